/** Keywords about single values: types, numbers, strings, enumerations. */
import { BsonType, type BsonValue, type ExactNumber, readDouble, readString } from '@replsim/protocol';
import { compareRaw, equalValues, exactNumber, isNaNValue } from '../compare.ts';
import { compileRegex } from '../regex/compileRegex.ts';
import { SortedValues } from '../sortedValues.ts';
import { parseTypes, typeName } from '../typeNames.ts';
import { elementsOf, isNumeric, isTruthy } from '../values.ts';
import { considered, countOf, malformed, mustBe, type Rule, type RuleFactory, stringsOf } from './rule.ts';

/** The names that JSON Schema itself has. */
const jsonTypes = new Map<string, readonly number[]>([
  ['string', [BsonType.string]],
  ['object', [BsonType.object]],
  ['number', [BsonType.double, BsonType.int, BsonType.long, BsonType.decimal]],
  ['boolean', [BsonType.bool]],
  ['null', [BsonType.null]],
  ['array', [BsonType.array]],
]);

/** `bsonType`: names of `$type`. */
export const bsonTypeRule: RuleFactory = (operand, keyword) => {
  checkNames(operand, keyword);
  return typeRule(operand, keyword, parseTypes(operand));
};

/** `type`: the names of JSON Schema. */
export const jsonTypeRule: RuleFactory = (operand, keyword) => {
  const types = new Set<number>();
  for (const name of checkNames(operand, keyword)) {
    const named = jsonTypes.get(name);
    if (!named) throw malformed(`$jsonSchema has no type '${name}'`);
    for (const type of named) types.add(type);
  }
  return typeRule(operand, keyword, types);
};

function checkNames(operand: BsonValue, keyword: string): string[] {
  if (operand.type === BsonType.string) return [readString(operand)];
  if (operand.type !== BsonType.array) throw mustBe(keyword, 'a string or an array of strings');
  return stringsOf(operand, keyword);
}

function typeRule(operand: BsonValue, keyword: string, types: ReadonlySet<number>): Rule {
  return (value) => {
    if (types.has(value.type)) return undefined;
    const report = considered(keyword, operand, 'type did not match', value);
    return { ...report, consideredType: typeName(value.type) };
  };
}

/** `minimum`, `maximum`, with `exclusiveMinimum` and `exclusiveMaximum` beside them. */
export const rangeRule: RuleFactory = (operand, keyword, siblings) => {
  if (!isNumeric(operand.type)) throw mustBe(keyword, 'a number');
  const exclusiveName = `exclusive${keyword === 'minimum' ? 'Minimum' : 'Maximum'}`;
  const exclusive = siblings.get(exclusiveName);
  const isExclusive = exclusive !== undefined && isTruthy(exclusive);
  const sign = keyword === 'minimum' ? 1 : -1;
  const more = isExclusive ? { [exclusiveName]: true } : {};
  return (value) => {
    if (!isNumeric(value.type)) return undefined;
    const order = sign * compareRaw(value.type, value.bytes, value.offset, operand.type, operand.bytes, operand.offset);
    const isNaNHere = isNaNValue(value.type, value.bytes, value.offset);
    if (!isNaNHere && (isExclusive ? order > 0 : order >= 0)) return undefined;
    return considered(keyword, operand, 'comparison failed', value, more);
  };
};

/** `exclusiveMinimum: true`, which means nothing without the limit that it is about. */
export const exclusiveRule: RuleFactory = (operand, keyword, siblings) => {
  if (operand.type !== BsonType.bool) throw mustBe(keyword, 'a boolean');
  const limit = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum';
  if (!siblings.get(limit)) throw malformed(`'${keyword}' needs '${limit}' beside it`);
  return () => undefined;
};

export const multipleOfRule: RuleFactory = (operand, keyword) => {
  if (!isNumeric(operand.type)) throw mustBe(keyword, 'a number');
  const divisor = decimalOf(operand);
  if (divisor.special !== undefined || divisor.coefficient === 0n || divisor.negative) {
    throw malformed(`'${keyword}' must be above 0`);
  }
  return (value) => {
    if (!isNumeric(value.type) || isMultiple(decimalOf(value), divisor)) return undefined;
    return considered(keyword, operand, 'considered value is not a multiple of the specified value', value);
  };
};

/** A double counts as the decimal of fifteen digits that is nearest. Upstream: BSONElement::numberDecimal. */
function decimalOf({ type, bytes, offset }: BsonValue): ExactNumber {
  if (type !== BsonType.double) return exactNumber(type, bytes, offset);
  const number = readDouble(bytes, offset);
  if (!Number.isFinite(number)) return exactNumber(type, bytes, offset);
  const [digits, exponent] = Math.abs(number).toExponential(14).split('e');
  const coefficient = BigInt(digits!.replace('.', ''));
  return { special: undefined, negative: number < 0, coefficient, exponent: Number(exponent) - 14 };
}

/** Exactly, in decimal. */
function isMultiple(number: ExactNumber, divisor: ExactNumber): boolean {
  if (number.special !== undefined) return false;
  const exponent = Math.min(number.exponent, divisor.exponent);
  const scaled = ({ coefficient, exponent: own }: ExactNumber) => coefficient * 10n ** BigInt(own - exponent);
  return scaled(number) % scaled(divisor) === 0n;
}

/** `minLength`, `maxLength`: characters, not bytes. */
export const lengthRule: RuleFactory = (operand, keyword) => {
  const limit = countOf(operand, keyword);
  return (value) => {
    if (value.type !== BsonType.string) return undefined;
    const { length } = [...readString(value)];
    if (keyword === 'minLength' ? length >= limit : length <= limit) return undefined;
    return considered(keyword, operand, 'specified string length was not satisfied', value);
  };
};

export const patternRule: RuleFactory = (operand, keyword) => {
  if (operand.type !== BsonType.string) throw mustBe(keyword, 'a string');
  const regex = compileRegex(readString(operand), '');
  return (value) => {
    if (value.type !== BsonType.string || regex.test(readString(value))) return undefined;
    return considered(keyword, operand, 'regular expression did not match', value);
  };
};

/** Simplification: documents are equal only if their fields are in the same order. */
export const enumRule: RuleFactory = (operand, keyword) => {
  if (operand.type !== BsonType.array) throw mustBe(keyword, 'an array');
  const choices = elementsOf(operand);
  if (choices.length === 0) throw malformed(`'${keyword}' needs one element or more`);
  const distinct = new SortedValues(choices);
  if (choices.some((choice, place) => distinct.indexOf(choice.type, choice.bytes, choice.offset) !== place))
    throw malformed(`'${keyword}' must not have the same element twice`);
  return (value) => {
    if (choices.some((choice) => equalValues(choice, value))) return undefined;
    return considered(keyword, operand, 'value was not found in enum', value);
  };
};

/** `title`, `description`: words for people. */
export const annotationRule: RuleFactory = (operand, keyword) => {
  if (operand.type !== BsonType.string) throw mustBe(keyword, 'a string');
  return () => undefined;
};
