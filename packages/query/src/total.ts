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

  /** @param number of a numeric type */
  add(number: BsonValue): void {
    const { type, bytes, offset } = number;
    this.#width = Math.max(this.#width, required(WIDTHS.get(type), 'numeric type'));
    if (type === BsonType.decimal) this.#decimal = added(this.#decimal, readDecimal(bytes, offset));
    else if (type === BsonType.double) this.#addDouble(readDouble(bytes, offset));
    else if (type === BsonType.int) this.#addDouble(readInt32(bytes, offset));
    else this.#addLong(required(readInteger(number), 'long'));
  }

  /** Whole numbers that an int does not hold make a long, and those that no long holds a double. */
  get sum(): BsonValue {
    if (this.#width === 3) return decimalValue(this.#inDecimal());
    if (this.#width < 2) {
      const whole = BigInt(this.#sum) + BigInt(this.#lost);
      if (BigInt.asIntN(64, whole) === whole) return intOrLong(whole, this.#width === 1);
    }
    return doubleValue(this.#inDouble());
  }

  /** The mean. @param count how many numbers are in it */
  dividedBy(count: number): BsonValue {
    if (this.#width === 3) return decimalValue(divideExact(this.#inDecimal(), BigInt(count)));
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

function added(a: ExactNumber, b: ExactNumber): ExactNumber {
  return rounded(combineExact('add', a, b));
}

/** To what a decimal holds. */
function rounded(value: ExactNumber): ExactNumber {
  return readDecimal(encodeDecimal(value), 0);
}
