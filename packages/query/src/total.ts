import {
  BsonType,
  type BsonValue,
  type ExactNumber,
  readDecimal,
  readDouble,
  readInt32,
  required,
} from '@replsim/protocol';
import { combineExact, decimalValue, doubleValue, intOrLong } from './arithmetic.ts';
import { divideExact, encodeDecimal, exactOfBigInt, exactOfDouble } from './decimal.ts';
import { readInteger } from './values.ts';

const WIDTHS: ReadonlyMap<number, number> = new Map([
  [BsonType.int, 0],
  [BsonType.long, 1],
  [BsonType.double, 2],
  [BsonType.decimal, 3],
]);

/** Of a long's values: what the lower half of its bits counts up to. */
const HALF = 2n ** 32n;

/**
 * Numbers that are added up: what is not decimal in two doubles, the sum and what it has lost by rounding, so that ten
 * times 0.1 is 1; decimals apart, joined at the end. The widest type wins. Upstream: summation.h, accumulator_sum.cpp.
 */
export class Total {
  #width = 0;
  #sum = 0;
  #lost = 0;
  /** Added up simply: infinities make the other one NaN. */
  #plain = 0;
  #decimal: ExactNumber = exactOfBigInt(0n);

  /** @param number of a numeric type @param sign -1 takes away one that was added, which is finite */
  add(number: BsonValue, sign: 1 | -1 = 1): void {
    const { type, bytes, offset } = number;
    this.#width = Math.max(this.#width, widthOf(number));
    if (type === BsonType.decimal) this.#decimal = added(this.#decimal, signed(readDecimal(bytes, offset), sign));
    else if (type === BsonType.double) this.#addDouble(sign * readDouble(bytes, offset));
    else if (type === BsonType.int) this.#addDouble(sign * readInt32(bytes, offset));
    else this.#addLong(BigInt(sign) * required(readInteger(number), 'long'));
  }

  get sum(): BsonValue {
    return this.sumAs(this.#width);
  }

  /**
   * Whole numbers that an int does not hold make a long, and those that no long holds a double.
   * @param width of the widest type in it
   */
  sumAs(width: number): BsonValue {
    if (width === 3) return decimalValue(this.#inDecimal());
    if (width < 2) {
      const whole = BigInt(this.#sum) + BigInt(this.#lost);
      if (BigInt.asIntN(64, whole) === whole) return intOrLong(whole, width === 1);
    }
    return doubleValue(this.#inDouble());
  }

  /** The mean. @param count how many numbers are in it */
  dividedBy(count: number, width = this.#width): BsonValue {
    if (width === 3) return decimalValue(divideExact(this.#inDecimal(), BigInt(count)));
    return doubleValue(this.#inDouble() / count);
  }

  /** In two parts, neither of which has more digits than a double. */
  #addLong(value: bigint): void {
    const high = (value / HALF) * HALF;
    this.#addDouble(Number(value - high));
    this.#addDouble(Number(high));
  }

  #addDouble(value: number): void {
    this.#plain += value;
    // What was lost goes to the value (Dekker 1971), and both to the sum (Knuth 1998): each addition says what it has rounded away.
    const small = value + this.#lost;
    const smallLost = this.#lost - (small - value);
    const sum = this.#sum + small;
    const ofSum = sum - small;
    this.#lost = smallLost + (this.#sum - ofSum + (small - (sum - ofSum)));
    this.#sum = sum;
  }

  #inDouble(): number {
    return Number.isNaN(this.#sum) ? this.#plain : this.#sum;
  }

  #inDecimal(): ExactNumber {
    const others = Number.isFinite(this.#sum)
      ? added(rounded(exactOfDouble(this.#sum)), rounded(exactOfDouble(this.#lost)))
      : exactOfDouble(this.#plain);
    return added(this.#decimal, others);
  }
}

function widthOf({ type }: BsonValue): number {
  return required(WIDTHS.get(type), 'numeric type');
}

/** NaN, or an infinity; undefined for what is finite. */
function boundless({ type, bytes, offset }: BsonValue): number | undefined {
  if (type === BsonType.double) {
    const value = readDouble(bytes, offset);
    return Number.isFinite(value) ? undefined : value;
  }
  if (type !== BsonType.decimal) return undefined;
  const { special, negative } = readDecimal(bytes, offset);
  if (special === undefined) return undefined;
  return special === 'NaN' ? Number.NaN : (negative ? -1 : 1) * Number.POSITIVE_INFINITY;
}

function signed(value: ExactNumber, sign: 1 | -1): ExactNumber {
  return sign === 1 ? value : { ...value, negative: !value.negative };
}

function added(a: ExactNumber, b: ExactNumber): ExactNumber {
  return rounded(combineExact('add', a, b));
}

/** To what a decimal holds. */
function rounded(value: ExactNumber): ExactNumber {
  return readDecimal(encodeDecimal(value), 0);
}

/**
 * The total of numbers that come and go. What is not finite is counted, as nothing takes it back out of a sum.
 * Upstream: window_function_sum.h, RemovableSum.
 */
export class MovingTotal {
  #total = new Total();
  /** By their width. */
  readonly #counts = [0, 0, 0, 0];
  #notANumber = 0;
  #infinite = 0;
  #negativeInfinite = 0;

  /** @param number of a numeric type */
  add(number: BsonValue): void {
    this.#count(number, 1);
  }

  /** @param number one that was added */
  remove(number: BsonValue): void {
    this.#count(number, -1);
  }

  /** 0 without any. */
  get sum(): BsonValue {
    return this.#boundless() ?? this.#total.sumAs(this.#width);
  }

  /** Undefined without any. */
  get mean(): BsonValue | undefined {
    const count = this.#counts.reduce((all, each) => all + each, 0);
    if (count === 0) return undefined;
    return this.#boundless() ?? this.#total.dividedBy(count, this.#width);
  }

  get #width(): number {
    return this.#counts.findLastIndex((count) => count > 0);
  }

  #count(number: BsonValue, by: 1 | -1): void {
    this.#counts[widthOf(number)]! += by;
    const special = boundless(number);
    if (special === undefined) this.#total.add(number, by);
    else if (Number.isNaN(special)) this.#notANumber += by;
    else if (special < 0) this.#negativeInfinite += by;
    else this.#infinite += by;
    // What rounding has left behind goes with the last one.
    if (this.#counts.every((count) => count === 0)) this.#total = new Total();
  }

  #boundless(): BsonValue | undefined {
    const isBoth = this.#infinite > 0 && this.#negativeInfinite > 0;
    let value: number;
    if (this.#notANumber > 0 || isBoth) value = Number.NaN;
    else if (this.#infinite > 0) value = Number.POSITIVE_INFINITY;
    else if (this.#negativeInfinite > 0) value = Number.NEGATIVE_INFINITY;
    else return undefined;
    return this.#width === 3 ? decimalValue(exactOfDouble(value)) : doubleValue(value);
  }
}
