/** Functions of numbers, which keep the type that they are given wherever it can hold the result. Upstream: expression.cpp. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  doubleOfExact,
  type ExactNumber,
  readDecimal,
  readDouble,
  required,
} from '@replsim/protocol';
import { decimalValue, doubleValue, forDecimal, intOrLong } from '../arithmetic.ts';
import { compareExact, exactOfBigInt, exactOfDouble } from '../decimal.ts';
import {
  exponential,
  logarithm,
  naturalLogarithm,
  normalized,
  power,
  quantize,
  quotient,
  type Rounding,
  remainder,
  roundTo,
  squareRoot,
} from '../decimalMath.ts';
import { typeName } from '../typeNames.ts';
import { fromJs, isNumeric, readInteger } from '../values.ts';
import { isNullish, toDouble } from './operands.ts';
import type { Operand, Operator, Operators } from './operator.ts';

const NULL = fromJs(null);
const ZERO = exactOfBigInt(0n);
const ONE = exactOfBigInt(1n);
const TEN = exactOfBigInt(10n);

/** One number; null of null. */
const numeric = (name: string, compute: (value: BsonValue) => BsonValue): Operator => ({
  positional: ([value]) => {
    if (value === undefined || isNullish(value)) return NULL;
    return compute(numberOnly(value, 28765, name));
  },
});

/** Those whose refusal names both types. */
const PAIRED: ReadonlySet<string> = new Set(['$divide', '$mod']);

/** Two numbers; null if one of them is. @param refusals where the first or the second is no number */
const both = (
  name: string,
  refusals: readonly [number, number],
  compute: (a: BsonValue, b: BsonValue) => BsonValue,
) => ({
  positional: ([a, b]: readonly Operand[]) => {
    if (a === undefined || b === undefined || isNullish(a) || isNullish(b)) return NULL;
    const wrong = [a, b].findIndex(({ type }) => !isNumeric(type));
    if (wrong < 0) return compute(a, b);
    const types = PAIRED.has(name)
      ? `${typeName(a.type)} and ${typeName(b.type)}`
      : typeName((wrong === 0 ? a : b).type);
    throw new CommandError(refusals[wrong === 0 ? 0 : 1], `${name} only supports numeric types, not ${types}`);
  },
});

/** A double of a double, int or long, and a decimal of a decimal. */
const real = (name: string, ofDouble: (value: number) => number, ofDecimal: (value: ExactNumber) => ExactNumber) =>
  numeric(name, (value) =>
    value.type === BsonType.decimal
      ? decimalValue(ofDecimal(exactDecimal(value)))
      : doubleValue(ofDouble(toDouble(value))),
  );

const logarithmic = (
  name: string,
  refusal: number,
  ofDouble: (value: number) => number,
  ofDecimal: (value: ExactNumber) => ExactNumber,
) =>
  numeric(name, (value) => {
    if (value.type === BsonType.decimal && isPositive(exactDecimal(value))) {
      return decimalValue(ofDecimal(exactDecimal(value)));
    }
    return doubleValue(ofDouble(positive(value, refusal, `${name}'s argument`)));
  });

export const numberOperators: Operators = {
  $abs: numeric('$abs', absolute),
  $ceil: numeric('$ceil', (value) => toWhole(value, Math.ceil, 'up')),
  $floor: numeric('$floor', (value) => toWhole(value, Math.floor, 'down')),
  $round: { positional: (args) => rounded('$round', args, 'halfEven') },
  $trunc: { positional: (args) => rounded('$trunc', args, 'towardZero') },
  $divide: both('$divide', [14, 14], divide),
  $mod: both('$mod', [16611, 16611], modulo),
  $pow: both('$pow', [28762, 28763], raise),
  $sqrt: numeric('$sqrt', root),
  $exp: real('$exp', Math.exp, exponential),
  $ln: logarithmic('$ln', 28766, Math.log, naturalLogarithm),
  $log10: logarithmic('$log10', 28761, Math.log10, (value) => logarithm(value, TEN)),
  $log: both('$log', [28756, 28757], logarithmTo),
};

function numberOnly(value: BsonValue, refusal: number, name: string): BsonValue {
  if (isNumeric(value.type)) return value;
  throw new CommandError(refusal, `${name} only supports numeric types, not ${typeName(value.type)}`);
}

function exactDecimal({ bytes, offset }: BsonValue): ExactNumber {
  return readDecimal(bytes, offset);
}

function isPositive({ special, negative, coefficient }: ExactNumber): boolean {
  return special !== 'NaN' && !negative && (special !== undefined || coefficient > 0n);
}

function isZero({ special, coefficient }: ExactNumber): boolean {
  return special === undefined && coefficient === 0n;
}

function eitherIs(type: number, a: BsonValue, b: BsonValue): boolean {
  return a.type === type || b.type === type;
}

function absolute(value: BsonValue): BsonValue {
  if (value.type === BsonType.double) return doubleValue(Math.abs(toDouble(value)));
  if (value.type === BsonType.decimal) return decimalValue({ ...exactDecimal(value), negative: false });
  const whole = required(readInteger(value), 'integer');
  if (whole === -(2n ** 63n)) throw new CommandError(28680, "can't take $abs of long long min");
  return intOrLong(whole < 0n ? -whole : whole, value.type === BsonType.long);
}

function toWhole(value: BsonValue, ofDouble: (value: number) => number, rounding: Rounding): BsonValue {
  if (value.type === BsonType.double) return doubleValue(ofDouble(toDouble(value)));
  // An infinite decimal, or one of more digits than 34, becomes NaN as in mongod.
  if (value.type === BsonType.decimal) return decimalValue(quantize(exactDecimal(value), 0, rounding));
  return value;
}

/** Errors: Location51080 for a long that overflows, 51081 to 51083, and 16004 where the places are no number. */
function rounded(name: string, args: readonly Operand[], rounding: Rounding): BsonValue {
  const [value, places] = args;
  if (value === undefined || isNullish(value)) return NULL;
  numberOnly(value, 51081, name);
  const digits = args.length === 1 ? 0 : placesIn(name, places);
  return digits === undefined ? NULL : roundedTo(name, value, digits, rounding);
}

function roundedTo(name: string, value: BsonValue, digits: number, rounding: Rounding): BsonValue {
  if (value.type === BsonType.decimal) return decimalValue(roundTo(exactDecimal(value), digits, rounding));
  if (value.type === BsonType.double) {
    const number = readDouble(value.bytes, value.offset);
    if (!Number.isFinite(number)) return value;
    return doubleValue(doubleOfExact(roundTo(exactOfDouble(number), digits, rounding)));
  }
  if (digits >= 0) return value;
  const whole = required(readInteger(value), 'integer');
  const { negative, coefficient, exponent } = roundTo(exactOfBigInt(whole), digits, rounding);
  const magnitude = coefficient * 10n ** BigInt(exponent);
  const result = negative ? -magnitude : magnitude;
  if (BigInt.asIntN(64, result) !== result) {
    throw new CommandError(51080, `${name} of ${whole} to ${digits} places does not fit into a long`);
  }
  return intOrLong(result, value.type === BsonType.long);
}

/** Undefined for null. */
function placesIn(name: string, places: Operand): number | undefined {
  if (places === undefined || isNullish(places)) return undefined;
  numberOnly(places, 16004, `precision argument of ${name}`);
  const digits = readInteger(places);
  if (digits === undefined) throw new CommandError(51082, `precision argument to ${name} must be a integral value`);
  if (digits >= -20n && digits <= 100n) return Number(digits);
  throw new CommandError(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`);
}

function divide(a: BsonValue, b: BsonValue): BsonValue {
  const byZero = () => new CommandError('BadValue', "can't $divide by zero");
  if (eitherIs(BsonType.decimal, a, b)) {
    const divisor = forDecimal(b);
    if (isZero(divisor)) throw byZero();
    return decimalValue(quotient(forDecimal(a), divisor));
  }
  const divisor = toDouble(b);
  if (divisor === 0) throw byZero();
  return doubleValue(toDouble(a) / divisor);
}

/**
 * The sign is the dividend's. A double that is a whole number of 32 bits divides an int or a long as an int does.
 * Errors: Location16610 by zero, 5733415 by a decimal one.
 */
function modulo(a: BsonValue, b: BsonValue): BsonValue {
  if (eitherIs(BsonType.decimal, a, b)) {
    const divisor = forDecimal(b);
    if (isZero(divisor)) throw new CommandError(5733415, "can't $mod by zero");
    return decimalValue(remainder(forDecimal(a), divisor));
  }
  if (toDouble(b) === 0) throw new CommandError(16610, "can't $mod by zero");
  const divisor = readInteger(b);
  const isWhole = b.type !== BsonType.double || (divisor !== undefined && BigInt.asIntN(32, divisor) === divisor);
  if (a.type === BsonType.double || !isWhole) return doubleValue(toDouble(a) % toDouble(b));
  const rest = required(readInteger(a), 'integer') % required(divisor, 'integer');
  return intOrLong(rest, eitherIs(BsonType.long, a, b));
}

/** Ints and longs as long as a long holds them, and a double beyond. Errors: Location28764. */
function raise(base: BsonValue, exponent: BsonValue): BsonValue {
  if (eitherIs(BsonType.decimal, base, exponent)) {
    const [x, y] = [forDecimal(base), forDecimal(exponent)];
    if (isZero(x) && y.negative) throw zeroBase();
    return decimalValue(normalized(power(x, y)));
  }
  const [x, y] = [toDouble(base), toDouble(exponent)];
  if (x === 0 && y < 0) throw zeroBase();
  const isDouble = eitherIs(BsonType.double, base, exponent);
  const whole = isDouble ? undefined : wholePower(required(readInteger(base), 'base'), required(readInteger(exponent), 'exponent')); // biome-ignore format: one line
  if (whole !== undefined) return intOrLong(whole, eitherIs(BsonType.long, base, exponent));
  // In C 1 is 1 to any power.
  return doubleValue(x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y)) ? 1 : x ** y);
}

function zeroBase(): CommandError {
  return new CommandError(28764, '$pow cannot take a base of 0 and a negative exponent');
}

/** Undefined for what no long holds. */
function wholePower(base: bigint, exponent: bigint): bigint | undefined {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  if (exponent < 0n || exponent > 63n) return undefined;
  const result = base ** exponent;
  return BigInt.asIntN(64, result) === result ? result : undefined;
}

function root(value: BsonValue): BsonValue {
  const exact = value.type === BsonType.decimal ? exactDecimal(value) : exactOfDouble(toDouble(value));
  if (compareExact(exact, ZERO) < 0 && exact.special !== 'NaN') {
    throw new CommandError(28714, "$sqrt's argument must be greater than or equal to 0");
  }
  return value.type === BsonType.decimal ? decimalValue(squareRoot(exact)) : doubleValue(Math.sqrt(toDouble(value)));
}

function positive(value: BsonValue, refusal: number, what: string): number {
  const number = toDouble(value);
  if (number > 0 || Number.isNaN(number)) return number;
  throw new CommandError(refusal, `${what} must be a positive number, but is ${number}`);
}

/** Errors: Location28758 for the argument, 28759 for the base. */
function logarithmTo(value: BsonValue, base: BsonValue): BsonValue {
  if (eitherIs(BsonType.decimal, value, base)) {
    const [x, b] = [forDecimal(value), forDecimal(base)];
    if (isPositive(x) && isPositive(b) && compareExact(b, ONE) !== 0) return decimalValue(logarithm(x, b));
  }
  const number = positive(value, 28758, "$log's argument");
  const to = positive(base, 28759, "$log's base");
  if (to === 1) throw new CommandError(28759, "$log's base must be a positive number not equal to 1, but is 1");
  return doubleValue(Math.log(number) / Math.log(to));
}
