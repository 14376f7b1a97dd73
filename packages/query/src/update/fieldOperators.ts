/** The update operators on single values. Upstream: one node class each, in src/mongo/db/update. */
import { BsonType, type BsonValue, CommandError, readString, required } from '@replsim/protocol';
import { combineNumbers, intValue, longValue } from '../arithmetic.ts';
import { compareValues } from '../compare.ts';
import { formatField, formatValue } from '../format.ts';
import { typeName } from '../typeNames.ts';
import { buildValue, fieldsOf, isNumeric, readInteger } from '../values.ts';
import { badValue, isIdentical, type Modify, type OperatorContext, type OperatorFactory } from './operator.ts';

export const setOperator: OperatorFactory = (operand) => (current) =>
  current !== undefined && isIdentical(current, operand) ? undefined : operand;

export const setOnInsertOperator: OperatorFactory =
  (operand) =>
  (_, { isUpsertInsert }) =>
    isUpsertInsert ? operand : undefined;

export const minOperator: OperatorFactory = (operand, _path, collator) => (current) =>
  current === undefined || compareValues(operand, current, collator) < 0 ? operand : undefined;

export const maxOperator: OperatorFactory = (operand, _path, collator) => (current) =>
  current === undefined || compareValues(operand, current, collator) > 0 ? operand : undefined;

export const incOperator: OperatorFactory = (operand, path) => {
  if (!isNumeric(operand.type)) {
    throw new CommandError(
      'TypeMismatch',
      `Cannot increment with non-numeric argument: {${formatField(path, operand)}}`,
    );
  }
  return (current, context) => {
    if (current === undefined) return operand;
    requireNumber('$inc', current, context);
    return unlessIdentical(current, combineNumbers('add', current, operand) ?? overflow('$inc', current, context));
  };
};

export const mulOperator: OperatorFactory = (operand, path) => {
  if (!isNumeric(operand.type)) {
    throw new CommandError(
      'TypeMismatch',
      `Cannot multiply with non-numeric argument: {${formatField(path, operand)}}`,
    );
  }
  return (current, context) => {
    // A missing field becomes zero of the operand's type.
    if (current === undefined) return combineNumbers('multiply', intValue(0), operand);
    requireNumber('$mul', current, context);
    return unlessIdentical(current, combineNumbers('multiply', current, operand) ?? overflow('$mul', current, context));
  };
};

function unlessIdentical(current: BsonValue | undefined, result: BsonValue): BsonValue | undefined {
  return current !== undefined && isIdentical(current, result) ? undefined : result;
}

function requireNumber(operator: string, current: BsonValue, { documentId, path }: OperatorContext): void {
  if (isNumeric(current.type)) return;
  const field = `{${documentId}} has the field '${lastName(path)}' of non-numeric type ${typeName(current.type)}`;
  throw new CommandError('TypeMismatch', `Cannot apply ${operator} to a value of non-numeric type. ${field}`);
}

function overflow(operator: string, current: BsonValue, { documentId }: OperatorContext): never {
  throw badValue(
    `Failed to apply ${operator} operations to current value (${current.type === BsonType.long ? '(NumberLong)' : ''}${formatValue(current)}) for document {${documentId}}`,
  );
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export const currentDateOperator: OperatorFactory = (operand) => {
  const wantsTimestamp = parseCurrentDate(operand);
  const timestamp: Modify = (_, { nextTimestamp }) =>
    buildValue((writer, name) => writer.timestamp(name, nextTimestamp));
  const date: Modify = (_, { nowMs }) => buildValue((writer, name) => writer.date(name, nowMs));
  return wantsTimestamp ? timestamp : date;
};

function parseCurrentDate(operand: BsonValue): boolean {
  if (operand.type === BsonType.bool) return false;
  if (operand.type !== BsonType.object) {
    const expected = "Please use a boolean (true) or a $type expression ({$type: 'timestamp/date'}).";
    throw badValue(`${typeName(operand.type)} is not valid type for $currentDate. ${expected}`);
  }
  let wanted: string | undefined;
  for (const [name, value] of fieldsOf(operand.bytes, operand.offset)) {
    if (name !== '$type') throw badValue(`Unrecognized $currentDate option: ${name}`);
    if (value.type === BsonType.string) wanted = readString(value);
  }
  if (wanted !== 'date' && wanted !== 'timestamp') {
    const example = "{$currentDate: {field : {$type: 'date'}}}";
    throw badValue(`The '$type' string field is required to be 'date' or 'timestamp': ${example}`);
  }
  return wanted === 'timestamp';
}

const bitOperations = new Map<string, (a: bigint, b: bigint) => bigint>([
  ['and', (a, b) => a & b],
  ['or', (a, b) => a | b],
  ['xor', (a, b) => a ^ b],
]);

export const bitOperator: OperatorFactory = (operand, path) => {
  if (operand.type !== BsonType.object) {
    const example = '{$bit: {<field>: {<and/or/xor>: <number>}}}';
    throw badValue(
      `The $bit modifier is not compatible with a ${typeName(operand.type)}. You must pass in an embedded document: ${example}`,
    );
  }
  const steps = fieldsOf(operand.bytes, operand.offset).map(([name, mask]) => {
    const operation = bitOperations.get(name);
    if (operation === undefined) {
      throw badValue(
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${formatField(name, mask)}}`,
      );
    }
    if (mask.type !== BsonType.int && mask.type !== BsonType.long) {
      throw badValue(
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(mask.type)}' is not supported here: {${formatField(name, mask)}}`,
      );
    }
    return { operation, mask: required(readInteger(mask), 'integer mask'), isLong: mask.type === BsonType.long };
  });
  if (steps.length === 0) {
    throw badValue(
      `You must pass in at least one bitwise operation. The format is: {$bit: {${path}: {<and/or/xor>: <number>}}}`,
    );
  }
  return (current, { documentId }) => {
    if (current !== undefined && current.type !== BsonType.int && current.type !== BsonType.long) {
      const field = `${documentId} has the field ${lastName(path)} of non-integer type ${typeName(current.type)}`;
      throw badValue(`Cannot apply $bit to a value of non-integral type.${field}`);
    }
    const start = current === undefined ? 0n : required(readInteger(current), 'integer');
    const result = steps.reduce((value, { operation, mask }) => operation(value, mask), start);
    const isLong = current?.type === BsonType.long || steps.some((step) => step.isLong);
    return unlessIdentical(current, isLong ? longValue(result) : intValue(Number(result)));
  };
};
