import { compileExpression } from '@replsim/query';
import { Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { doc, show, val } from '../bson.ts';

export const at = (text: string) => new Date(text);
export const int = (value: number) => new Int32(value);
export const long = (value: number | string) => Long.fromString(String(value));
export const NEW_YORK = 'America/New_York';
export const d = at('2024-01-31T10:20:30.456Z');

export const compute = (expression: object, document: object = { d, n: null }) =>
  compileExpression(val(expression))(doc(document));

/** A value with its type, the code of an error, or MISSING. */
export const MISSING = Symbol('missing');
export type Row = readonly [expression: object, expected: unknown, document?: object];

export function check([expression, expected, document]: Row): void {
  if (typeof expected === 'number')
    expect(() => compute(expression, document)).toThrow(expect.objectContaining({ code: expected })); // biome-ignore format: one line
  else if (expected === MISSING) expect(compute(expression, document)).toBeUndefined();
  else {
    const value = compute(expression, document);
    expect(value && show(value)).toBe(show(val(expected)));
  }
}

export const table = (rows: readonly Row[]) => test.for(rows)('%j', (row) => check(row));
