/**
 * The boundaries that `$bucketAuto` chooses by its `granularity`. Upstream: granularity_rounder_preferred_numbers.cpp,
 * granularity_rounder_powers_of_two.cpp.
 */
import { BsonType, type BsonValue, CommandError, required } from '@replsim/protocol';
import { combineNumbers, compareValues, doubleValue } from '@replsim/query';
import { int64Of, numberOf } from '../fields/values.ts';
import { built } from './builtValues.ts';
import { applyOperator } from './expressions.ts';

/** Rounds to a number that is greater, or less, than the one given; zero stays zero. Not of what is below zero. */
export interface Rounder {
  readonly up: (value: BsonValue) => BsonValue;
  readonly down: (value: BsonValue) => BsonValue;
}

// biome-ignore format: lists
const SERIES: Readonly<Record<string, readonly number[]>> = {
  R5: [10, 16, 25, 40, 63],
  R10: [100, 125, 160, 200, 250, 315, 400, 500, 630, 800],
  R20: [100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900],
  R40: [
    100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300, 315, 355, 375, 400, 425,
    450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
  ],
  R80: [
    103, 109, 115, 122, 128, 136, 145, 155, 165, 175, 185, 195, 206, 218, 230, 243, 258, 272, 290, 307, 325, 345, 365, 387, 412,
    437, 462, 487, 515, 545, 575, 615, 650, 690, 730, 775, 825, 875, 925, 975,
  ],
  '1-2-5': [10, 20, 50],
  E6: [10, 15, 22, 33, 47, 68],
  E12: [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82],
  E24: [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91],
  E48: [
    100, 105, 110, 115, 121, 127, 133, 140, 147, 154, 162, 169, 178, 187, 196, 205, 215, 226, 237, 249, 261, 274, 287, 301, 316,
    332, 348, 365, 383, 402, 422, 442, 464, 487, 511, 536, 562, 590, 619, 649, 681, 715, 750, 787, 825, 866, 909, 953,
  ],
  E96: [
    100, 102, 105, 107, 110, 113, 115, 118, 121, 124, 127, 130, 133, 137, 140, 143, 147, 150, 154, 158, 162, 165, 169, 174, 178,
    182, 187, 191, 196, 200, 205, 210, 215, 221, 226, 232, 237, 243, 249, 255, 261, 267, 274, 280, 287, 294, 301, 309, 316, 324,
    332, 340, 348, 357, 365, 374, 383, 392, 402, 412, 422, 432, 442, 453, 464, 475, 487, 499, 511, 523, 536, 549, 562, 576, 590,
    604, 619, 634, 649, 665, 681, 698, 715, 732, 750, 768, 787, 806, 825, 845, 866, 887, 909, 931, 953, 976,
  ],
  E192: [
    100, 101, 102, 104, 105, 106, 107, 109, 110, 111, 113, 114, 115, 117, 118, 120, 121, 123, 124, 126, 127, 129, 130, 132, 133,
    135, 137, 138, 140, 142, 143, 145, 147, 149, 150, 152, 154, 156, 158, 160, 162, 164, 165, 167, 169, 172, 174, 176, 178, 180,
    182, 184, 187, 189, 191, 193, 196, 198, 200, 203, 205, 208, 210, 213, 215, 218, 221, 223, 226, 229, 232, 234, 237, 240, 243,
    246, 249, 252, 255, 258, 261, 264, 267, 271, 274, 277, 280, 284, 287, 291, 294, 298, 301, 305, 309, 312, 316, 320, 324, 328,
    332, 336, 340, 344, 348, 352, 357, 361, 365, 370, 374, 379, 383, 388, 392, 397, 402, 407, 412, 417, 422, 427, 432, 437, 442,
    448, 453, 459, 464, 470, 475, 481, 487, 493, 499, 505, 511, 517, 523, 530, 536, 542, 549, 556, 562, 569, 576, 583, 590, 597,
    604, 612, 619, 626, 634, 642, 649, 657, 665, 673, 681, 690, 698, 706, 715, 723, 732, 741, 750, 759, 768, 777, 787, 796, 806,
    816, 825, 835, 845, 856, 866, 876, 887, 898, 909, 920, 931, 942, 953, 965, 976, 988,
  ],
};

/** Errors: Location40257 for a name that there is not. Upstream: granularity_rounder.cpp, getGranularityRounder. */
export function rounderNamed(name: string): Rounder {
  if (name === 'POWERSOF2') return { up: exceptEnds(nextPower), down: exceptEnds(powerBefore) };
  const series = Object.hasOwn(SERIES, name) ? SERIES[name] : undefined;
  if (!series) throw new CommandError(40257, `Unknown rounding granularity '${name}'`);
  return { up: exceptEnds((value) => nextIn(series, value)), down: exceptEnds((value) => lastIn(series, value)) };
}

/** Zero stays what it is; so does infinity, at which a mongod would count for ever. */
const exceptEnds = (round: (value: BsonValue) => BsonValue) => (value: BsonValue) => {
  const number = numberOf(value);
  return number === 0 || number === Number.POSITIVE_INFINITY ? value : round(value);
};

/** What a series is multiplied with: doubles for all but decimals, whose digits stay exact. */
interface Scale {
  readonly one: BsonValue;
  readonly ten: BsonValue;
  /** By ten. */
  readonly divided: (value: BsonValue) => BsonValue;
}

const DOUBLES: Scale = {
  one: doubleValue(1),
  ten: doubleValue(10),
  divided: (value) => doubleValue(numberOf(value) / 10),
};
const DECIMALS: Scale = {
  one: applyOperator(
    '$toDecimal',
    built((writer) => writer.int32('v', 1)),
  ),
  ten: applyOperator(
    '$toDecimal',
    built((writer) => writer.int32('v', 10)),
  ),
  divided: (value) => applyOperator('$divide', value, DECIMALS.ten),
};

/** The least member above a value, of the series in whatever power of ten. */
function nextIn(series: readonly number[], value: BsonValue): BsonValue {
  const { scale, times, isLess, first, last } = measuring(series, value);
  let multiplier = scale.one;
  while (!isLess(value, times(last, multiplier))) multiplier = times(scale.ten, multiplier);
  while (isLess(value, times(first, multiplier))) {
    const before = times(first, multiplier);
    multiplier = scale.divided(multiplier);
    if (!isLess(value, times(last, multiplier))) return before;
  }
  return series.map((each) => times(doubleValue(each), multiplier)).find((each) => isLess(value, each)) ?? value;
}

/** The greatest one below it. */
function lastIn(series: readonly number[], value: BsonValue): BsonValue {
  const { scale, times, isLess, first, last } = measuring(series, value);
  let multiplier = scale.one;
  while (!isLess(times(first, multiplier), value)) multiplier = scale.divided(multiplier);
  while (isLess(times(last, multiplier), value)) {
    const before = times(last, multiplier);
    multiplier = times(scale.ten, multiplier);
    if (!isLess(times(first, multiplier), value)) return before;
  }
  return series.map((each) => times(doubleValue(each), multiplier)).findLast((each) => isLess(each, value)) ?? value;
}

function measuring(series: readonly number[], value: BsonValue) {
  return {
    scale: value.type === BsonType.decimal ? DECIMALS : DOUBLES,
    times: (a: BsonValue, b: BsonValue) => required(combineNumbers('multiply', a, b), 'product'),
    isLess: (a: BsonValue, b: BsonValue) => compareValues(a, b) < 0,
    first: doubleValue(required(series[0], 'series')),
    last: doubleValue(required(series.at(-1), 'series')),
  };
}

function nextPower(value: BsonValue): BsonValue {
  if (value.type !== BsonType.int && value.type !== BsonType.long) return power(value, Math.floor(log2(value)) + 1);
  return power(value, bitsOf(value));
}

function powerBefore(value: BsonValue): BsonValue {
  if (value.type !== BsonType.int && value.type !== BsonType.long) return power(value, Math.ceil(log2(value)) - 1);
  const bits = bitsOf(value);
  return power(value, int64Of(value) === 2n ** BigInt(bits - 1) ? bits - 2 : bits - 1);
}

/** How many digits it has in binary. */
function bitsOf(value: BsonValue): number {
  return int64Of(value).toString(2).length;
}

function log2(value: BsonValue): number {
  if (value.type === BsonType.double) return Math.log2(numberOf(value));
  return numberOf(
    applyOperator(
      '$log',
      value,
      built((writer) => writer.int32('v', 2)),
    ),
  );
}

/** Two to it: an int or a long where these have it, and of a decimal a decimal. */
function power(of: BsonValue, exponent: number): BsonValue {
  const int = (value: number) => built((writer) => writer.int32('v', value));
  const exact = of.type === BsonType.decimal ? applyOperator('$toDecimal', int(exponent)) : int(exponent);
  return applyOperator('$pow', int(2), exact);
}
