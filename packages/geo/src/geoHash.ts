/** The keys of a 2d index: a square of the plane, halved again and again. Upstream: hash.cpp, GeoHashConverter. */
import { type BsonValue, CommandError } from '@replsim/protocol';
import { hashValue } from './keyValues.ts';
import type { Box } from './planar.ts';
import type { Position } from './position.ts';

/** The square that an index covers, and how often each side is halved. */
export interface TwoDParameters {
  readonly min: number;
  readonly max: number;
  /** From 1 to 32. */
  readonly bits: number;
}

export const TWO_D_DEFAULTS: TwoDParameters = { min: -180, max: 180, bits: 26 };

/** As fine as a side can be divided: 32 bits. */
const STEPS = 2 ** 32;

/** The key of a point. Errors: the given code, for a point outside of the square. */
export function geoHashOf(position: Position, parameters: TwoDParameters, code: 13027 | 16433): BsonValue {
  checkInSquare(position, parameters, code);
  const [x, y] = position;
  return hashValue(interleaved(stepOf(x, parameters), stepOf(y, parameters), parameters.bits, 0n));
}

/** Errors: the given code. */
export function checkInSquare(position: Position, { min, max }: TwoDParameters, code: 13027 | 16433): void {
  if (position.every((side) => side >= min && side <= max)) return;
  throw new CommandError(
    code,
    `point not in interval of [ ${min}, ${max} ] :: caused by :: [ ${position.join(', ')} ]`,
  );
}

function stepOf(side: number, { min, max }: TwoDParameters): number {
  const step = Math.floor(((side - min) / (max - min)) * STEPS);
  return Math.min(Math.max(step, 0), STEPS - 1);
}

/** The first bits of two numbers by turns, in the upper bits of 64; what is left is filled. */
function interleaved(x: number, y: number, bits: number, filling: 0n | 1n): bigint {
  let hash = 0n;
  for (let i = 31; i >= 0; i--) {
    const isKept = 31 - i < bits;
    const xBit = isKept ? BigInt(Math.floor(x / 2 ** i) % 2) : filling;
    const yBit = isKept ? BigInt(Math.floor(y / 2 ** i) % 2) : filling;
    hash = (hash << 2n) | (xBit << 1n) | yBit;
  }
  return hash;
}

/** Squares in one covering. Upstream: internalGeoPredicateQuery2DMaxCoveringCells. */
const MOST_SQUARES = 16;

/** The keys from `low` to `high`, both included. */
export interface HashRange {
  readonly low: BsonValue;
  readonly high: BsonValue;
}

/** Where in an index the points of a box are; nowhere for one beside the square. */
export function rangesInBox({ min, max }: Box, parameters: TwoDParameters): HashRange[] {
  if (max.some((side) => side < parameters.min) || min.some((side) => side > parameters.max)) return [];
  // One step more on each side, for what is rounded.
  const from = min.map((side) => Math.max(stepOf(side, parameters) - 1, 0));
  const to = max.map((side) => Math.min(stepOf(side, parameters) + 1, STEPS - 1));
  let level = 0;
  let squares: Position[] = [[0, 0]];
  while (level < parameters.bits) {
    const width = STEPS / 2 ** (level + 1);
    const finer = squares
      .flatMap(([x, y]): Position[] => [
        [2 * x, 2 * y],
        [2 * x, 2 * y + 1],
        [2 * x + 1, 2 * y],
        [2 * x + 1, 2 * y + 1],
      ])
      .filter((square) => square.every((side, i) => (side + 1) * width > from[i]! && side * width <= to[i]!));
    if (finer.length > MOST_SQUARES) break;
    squares = finer;
    level += 1;
  }
  const width = STEPS / 2 ** level;
  return squares.map(([x, y]) => ({
    low: hashValue(interleaved(x * width, y * width, level, 0n)),
    high: hashValue(interleaved(x * width, y * width, level, 1n)),
  }));
}
