/** The update operators on arrays. Upstream: push_node.cpp, addtoset_node.cpp, pull_node.cpp, pop_node.cpp. */
import { BsonType, type BsonValue, CommandError, ElementCursor, indexName } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { elementOrder, type ValueOrder } from '../elementOrder.ts';
import { compileElementCondition } from '../filter/elementCondition.ts';
import { formatField, formatValue } from '../format.ts';
import { SortedValues } from '../sortedValues.ts';
import { typeName } from '../typeNames.ts';
import { buildValue, countElements, elementsOf, fieldsOf, firstName, isNumeric, readInteger } from '../values.ts';
import { badValue, type Modify, type OperatorFactory } from './operator.ts';

function arrayValue(elements: readonly BsonValue[]): BsonValue {
  return buildValue((writer, name) => {
    writer.beginArray(name);
    elements.forEach((element, i) => {
      writer.rawValue(indexName(i), element);
    });
    writer.endArray();
  });
}

/**
 * The elements of an array between two places, and others behind them. They are copied one after the other: where an array has a hundred
 * thousand, a list of them costs more than the copy.
 */
function copied(array: BsonValue, from: number, to: number, behind: readonly BsonValue[] = []): BsonValue {
  const cursor = new ElementCursor(array.bytes, array.offset);
  return buildValue((writer, name) => {
    writer.beginArray(name);
    let size = 0;
    for (let i = 0; i < to && cursor.next(); i++) if (i >= from) writer.rawValue(indexName(size++), cursor);
    for (const element of behind) writer.rawValue(indexName(size++), element);
    writer.endArray();
  });
}

interface PushClauses {
  readonly each: readonly BsonValue[];
  readonly position: number | undefined;
  readonly slice: number | undefined;
  readonly order: ValueOrder | undefined;
}

export const pushOperator: OperatorFactory = (operand, _path, collator) => {
  const { each, position, slice, order } = parsePush(operand, collator);
  const isAtEnd = position === undefined && slice === undefined && order === undefined;
  return (current, { path, documentId }) => {
    if (current !== undefined && current.type !== BsonType.array) {
      const type = typeName(current.type);
      throw badValue(`The field '${path}' must be an array but is of type ${type} in document {${documentId}}`);
    }
    if (current !== undefined && isAtEnd && each.length > 0) {
      const before = countElements(current);
      const value = copied(current, 0, before, each);
      return before > 0 ? { value, appended: each } : value;
    }
    const old = current === undefined ? [] : elementsOf(current);
    const before = old.length;
    // A negative position counts from the end, and never reaches beyond the start.
    const at = position ?? before;
    const elements = [...old.slice(0, at), ...each, ...old.slice(at)];
    if (order !== undefined) elements.sort(order);
    const left = slice === undefined ? elements : elements.slice(...(slice >= 0 ? [0, slice] : [slice]));
    const isCut = left.length < elements.length;
    if (current !== undefined && each.length === 0 && order === undefined && !isCut) return undefined;
    const value = arrayValue(left);
    // A position at the very end is written out whole, as mongod takes it for one in the middle.
    const isAppended = before > 0 && order === undefined && !isCut && (position === undefined || position > before);
    return isAppended ? { value, appended: each } : value;
  };
};

function parsePush(operand: BsonValue, collator: Collator | undefined): PushClauses {
  const plain = { each: [operand], position: undefined, slice: undefined, order: undefined };
  if (operand.type !== BsonType.object) return plain;
  const fields = new Map(fieldsOf(operand.bytes, operand.offset));
  const each = fields.get('$each');
  if (each === undefined) return plain;
  if (each.type !== BsonType.array) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(each.type)}`);
  }
  for (const name of fields.keys()) {
    if (!['$each', '$position', '$slice', '$sort'].includes(name))
      throw badValue(`Unrecognized clause in $push: ${name}`);
  }
  const sort = fields.get('$sort');
  return {
    each: elementsOf(each),
    position: integerClause('$position', fields.get('$position')),
    slice: integerClause('$slice', fields.get('$slice')),
    order: sort === undefined ? undefined : elementOrder(sort, badValue, collator),
  };
}

function integerClause(name: string, value: BsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  const integer = isNumeric(value.type) ? readInteger(value) : undefined;
  if (integer === undefined) {
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeName(value.type)}`);
  }
  return Number(integer);
}

export const addToSetOperator: OperatorFactory = (operand, _path, collator) => {
  const values = parseAddToSet(operand);
  const sorted = new SortedValues(values, collator);
  const additions = values.filter(({ type, bytes, offset }, place) => sorted.indexOf(type, bytes, offset) === place);
  return (current, { path }) => {
    if (current !== undefined && current.type !== BsonType.array) {
      const type = typeName(current.type);
      throw badValue(`Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${type}`);
    }
    const elements = current === undefined ? [] : elementsOf(current);
    const present = new Set(elements.map(({ type, bytes, offset }) => values[sorted.indexOf(type, bytes, offset)]));
    const fresh = additions.filter((value) => !present.has(value));
    if (fresh.length === 0 && current !== undefined) return undefined;
    return arrayValue([...elements, ...fresh]);
  };
};

function parseAddToSet(operand: BsonValue): BsonValue[] {
  if (operand.type !== BsonType.object || firstName(operand) !== '$each') return [operand];
  const [[, each], ...others] = fieldsOf(operand.bytes, operand.offset) as [
    [string, BsonValue],
    ...[string, BsonValue][],
  ];
  if (each.type !== BsonType.array) {
    throw new CommandError(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(each.type)}`,
    );
  }
  if (others.length > 0) {
    throw badValue(`Found unexpected fields after $each in $addToSet: ${formatValue(operand)}`);
  }
  return elementsOf(each);
}

export const pullOperator: OperatorFactory = (operand, _path, collator) =>
  removing('$pull', compileElementCondition(operand, collator));

export const pullAllOperator: OperatorFactory = (operand, _path, collator) => {
  if (operand.type !== BsonType.array) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand.type)}`);
  }
  const unwanted = new SortedValues(elementsOf(operand), collator);
  return removing('$pullAll', ({ type, bytes, offset }) => unwanted.indexOf(type, bytes, offset) >= 0);
};

function removing(operator: string, isUnwanted: (element: BsonValue) => boolean): Modify {
  return (current) => {
    if (current === undefined) return undefined;
    if (current.type !== BsonType.array) throw badValue(`Cannot apply ${operator} to a non-array value`);
    const elements = elementsOf(current);
    const left = elements.filter((element) => !isUnwanted(element));
    return left.length === elements.length ? undefined : arrayValue(left);
  };
}

export const popOperator: OperatorFactory = (operand, path) => {
  const direction = isNumeric(operand.type) ? readInteger(operand) : undefined;
  if (!isNumeric(operand.type)) {
    throw new CommandError('FailedToParse', `Expected a number in: ${formatField(path, operand)}`);
  }
  if (direction !== 1n && direction !== -1n) {
    throw new CommandError('FailedToParse', `$pop expects 1 or -1, found: ${formatValue(operand)}`);
  }
  return (current) => {
    if (current === undefined) return undefined;
    if (current.type !== BsonType.array) {
      const type = typeName(current.type);
      throw new CommandError('TypeMismatch', `Path '${path}' contains an element of non-array type '${type}'`);
    }
    const size = countElements(current);
    if (size === 0) return undefined;
    return direction === 1n ? copied(current, 0, size - 1) : copied(current, 1, size);
  };
};
