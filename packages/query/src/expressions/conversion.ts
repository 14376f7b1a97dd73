/** Making values of other types, and asking for the type. Upstream: expression.cpp, evaluate_convert.cpp. */
import { BsonType, type BsonValue, CommandError, readInt32, readString, required } from '@replsim/protocol';
import { intValue, longValue } from '../arithmetic.ts';
import { hashOfValue } from '../hashedValue.ts';
import { typeName, typeNamed, typeNumbered } from '../typeNames.ts';
import { fieldsOf, fromJs, isNumeric, readInteger } from '../values.ts';
import { binaryFormats } from './binaryText.ts';
import { convertValue, type Target } from './convertValue.ts';
import { isNullish } from './operands.ts';
import type { Control, Operand, Operator, Operators } from './operator.ts';

const NULL = fromJs(null);
const GENERIC_SUBTYPE = 0;
const UUID_SUBTYPE = 4;

const into = (type: number, format?: string, subtype = GENERIC_SUBTYPE): Operator => ({
  positional: ([value]) =>
    value === undefined || isNullish(value) ? NULL : convertValue(value, { type, subtype, format }),
});

export const conversionOperators: Operators = {
  $toBool: into(BsonType.bool),
  $toDate: into(BsonType.date),
  $toDecimal: into(BsonType.decimal),
  $toDouble: into(BsonType.double),
  $toInt: into(BsonType.int),
  $toLong: into(BsonType.long),
  $toObjectId: into(BsonType.objectId),
  $toString: into(BsonType.string, 'auto'),
  $toUUID: into(BsonType.binData, 'uuid', UUID_SUBTYPE),
  $type: { positional: ([value]) => fromJs(typeName(value?.type ?? 0)) },
  $isNumber: { positional: ([value]) => fromJs(value !== undefined && isNumeric(value.type)) },
  $binarySize: { positional: ([value]) => binarySize(value) },
  $toHashedIndexKey: { positional: ([value]) => longValue(hashOfValue(value ?? NULL)) },
  $bsonSize: { positional: ([value]) => bsonSize(value) },
};

/** Of a string too, whose bytes those of UTF-8 are. */
function binarySize(value: Operand): BsonValue {
  if (value === undefined || isNullish(value)) return NULL;
  const length = readInt32(value.bytes, value.offset);
  if (value.type === BsonType.binData) return intValue(length);
  if (value.type === BsonType.string) return intValue(length - 1);
  throw new CommandError(51276, `$binarySize requires a string or BinData argument, found: ${typeName(value.type)}`);
}

function bsonSize(value: Operand): BsonValue {
  if (value === undefined || isNullish(value)) return NULL;
  if (value.type === BsonType.object) return intValue(value.size);
  throw new CommandError(31393, `$bsonSize requires a document input, found: ${typeName(value.type)}`);
}

/**
 * `$convert`: `onNull` and `onError` are computed where they are needed alone. Errors: those of `convertValue`, BadValue 2 for an
 * unknown type, FailedToParse 9 for what names none, Location4341106 to 4341108 for a subtype, 4341114 and 4341125 for a format.
 */
export const convert: Control = (operand, compile) => {
  const fields = new Map(fieldsOf(operand.bytes, operand.offset));
  const compiled = (name: string) => {
    const field = fields.get(name);
    return field && compile(field);
  };
  const [input, to] = [required(compiled('input'), 'input'), required(compiled('to'), 'to')];
  const [format, onNull, onError] = [compiled('format'), compiled('onNull'), compiled('onError')];
  return (document) => {
    const target = targetOf(to(document));
    const value = input(document);
    if (value === undefined || isNullish(value)) return onNull ? onNull(document) : NULL;
    if (!target) return NULL;
    const way = { ...target, format: formatOf(format?.(document)) };
    try {
      return convertValue(value, { ...way, subtype: way.type === BsonType.binData ? subtypeOf(target.subtype) : 0 });
    } catch (error) {
      if (onError && error instanceof CommandError && error.codeName === 'ConversionFailure') return onError(document);
      throw error;
    }
  };
};

interface GivenTarget extends Pick<Target, 'type'> {
  readonly subtype: Operand;
}

/** Undefined for null. */
function targetOf(to: Operand): GivenTarget | undefined {
  if (to === undefined || isNullish(to)) return undefined;
  if (to.type !== BsonType.object) return { type: typeOf(to), subtype: undefined };
  const { type, subtype, ...others } = Object.fromEntries(fieldsOf(to.bytes, to.offset));
  const [unknown] = Object.keys(others);
  if (type === undefined || unknown !== undefined) {
    const reason = type === undefined ? "is missing 'type'" : `has the unknown field '${unknown}'`;
    throw new CommandError('FailedToParse', `$convert's 'to' argument must be a string or number, or { type, subtype }: it ${reason}`); // biome-ignore format: one line
  }
  return isNullish(type) ? undefined : { type: typeOf(type), subtype };
}

function typeOf(to: BsonValue): number {
  if (to.type === BsonType.string) {
    const name = readString(to);
    // `$type` says so, so that it is taken.
    return name === 'missing' ? 0 : typeNamed(name);
  }
  if (!isNumeric(to.type)) {
    const found = typeName(to.type);
    throw new CommandError('FailedToParse', `$convert's 'to' argument must be a string or number, but is ${found}`);
  }
  const code = readInteger(to);
  if (code === undefined)
    throw new CommandError('FailedToParse', "In $convert, numeric 'to' argument is not an integer");
  const type = typeNumbered(code);
  if (type !== undefined) return type;
  throw new CommandError('FailedToParse', `In $convert, numeric value for 'to' is no type's: ${code}`);
}

/** Subtypes from 128 on are the users' own. */
function subtypeOf(subtype: Operand): number {
  if (subtype === undefined) return GENERIC_SUBTYPE;
  if (!isNumeric(subtype.type)) {
    const found = typeName(subtype.type);
    throw new CommandError(4341108, `For BinData, $convert's 'subtype' argument must be a number, but is ${found}`);
  }
  const code = readInteger(subtype);
  if (code === undefined) throw new CommandError(4341106, "In $convert, numeric 'subtype' argument is not an integer");
  if ((code >= 0n && code <= 8n) || (code >= 128n && code <= 255n)) return Number(code);
  throw new CommandError(4341107, `In $convert, numeric value for 'subtype' is no BinData type's: ${code}`); // biome-ignore format: one line
}

function formatOf(format: Operand): string | undefined {
  if (format === undefined || isNullish(format)) return undefined;
  if (format.type !== BsonType.string) {
    const found = typeName(format.type);
    throw new CommandError(4341114, `$convert requires that 'format' be a string, found: ${found}`);
  }
  const name = readString(format);
  if (binaryFormats.has(name)) return name;
  throw new CommandError(4341125, `Invalid 'format' argument for $convert: ${name}`);
}
