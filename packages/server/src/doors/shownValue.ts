import { inspect } from 'node:util';

/** A value that somebody gave, for a message: JSON has no words for `NaN`, and fails on a bigint. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value, { breakLength: Number.POSITIVE_INFINITY });
}
