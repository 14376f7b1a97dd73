/** What accumulators make of many values, in groups and in expressions alike. Upstream: accumulator_sum.cpp and its like. */
import type { BsonValue } from '@replsim/protocol';
import { doubleValue } from '../arithmetic.ts';
import type { Collator } from '../collation/collator.ts';
import { compareValues } from '../compare.ts';
import { Total } from '../total.ts';
import { fromJs, isNumeric } from '../values.ts';
import { isNullish, toDouble } from './operands.ts';

type Values = readonly (BsonValue | undefined)[];

const NULL = fromJs(null);

/** What is no number counts nothing; whole numbers that no int64 holds make a double. */
export function sumOf(values: Values): BsonValue {
  return totalOf(numbersIn(values)).sum;
}

/** Null if there is no number; else a decimal if one is among them, or a double. Upstream: accumulator_avg.cpp. */
export function meanOf(values: Values): BsonValue {
  const numbers = numbersIn(values);
  return numbers.length === 0 ? NULL : totalOf(numbers).dividedBy(numbers.length);
}

/** All numbers added up, as precisely as upstream does it. */
function totalOf(numbers: readonly BsonValue[]): Total {
  const total = new Total();
  for (const number of numbers) total.add(number);
  return total;
}

/**
 * The standard deviation, a double; null for fewer than two of a sample, or none of a population. What is no number counts
 * nothing. Upstream: accumulator_std_dev.cpp, which adds up in one pass as well (Welford).
 * @param lost 1 for a sample
 */
export function deviationOf(values: Values, lost: 0 | 1): BsonValue {
  let count = 0;
  let mean = 0;
  let squares = 0;
  for (const value of numbersIn(values)) {
    const number = toDouble(value);
    count++;
    const delta = number - mean;
    if (delta !== 0) {
      mean += delta / count;
      squares += delta * (number - mean);
    }
  }
  return count - lost <= 0 ? NULL : doubleValue(Math.sqrt(squares / (count - lost)));
}

/** The least or greatest of all that is there; null if nothing is. */
export function extremeOf(values: Values, sign: 1 | -1, collator: Collator | undefined): BsonValue {
  let best: BsonValue | undefined;
  for (const value of values) {
    if (value === undefined || isNullish(value)) continue;
    if (!best || Math.sign(compareValues(value, best, collator)) === sign) best = value;
  }
  return best ?? NULL;
}

function numbersIn(values: Values): BsonValue[] {
  return values.filter((value): value is BsonValue => value !== undefined && isNumeric(value.type));
}
