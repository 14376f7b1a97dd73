import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { elementsOf, isNumeric, readTruncated } from '../values.ts';

/** Which elements of an array `$slice` keeps, given how many there are. */
export type Slice = (length: number) => readonly [start: number, end: number];

/** `n` keeps the first n or, below zero, the last; `[skip, n]` keeps n from there on. Throws CommandError 28667. */
export function parseSlice(operand: BsonValue): Slice {
  if (operand.type !== BsonType.array) {
    const count = wholeNumber(operand);
    return count >= 0 ? () => [0, count] : (length) => [Math.max(0, length + count), length];
  }
  const [first, second, ...more] = elementsOf(operand);
  if (first === undefined || second === undefined || more.length > 0) {
    throw badSlice('$slice array argument should be of form [skip, limit]');
  }
  const skip = wholeNumber(first);
  const limit = wholeNumber(second);
  if (limit <= 0) throw badSlice('$slice limit must be positive');
  return (length) => {
    const start = skip < 0 ? Math.max(0, length + skip) : skip;
    return [start, start + limit];
  };
}

function wholeNumber(value: BsonValue): number {
  const number = isNumeric(value.type) ? readTruncated(value) : undefined;
  if (number === undefined) throw badSlice('$slice only supports numbers and [skip, limit] arrays');
  return Number(number);
}

function badSlice(message: string): CommandError {
  return new CommandError(28667, `Invalid $slice syntax. ${message}`);
}
