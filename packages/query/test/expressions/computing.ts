import { CommandError } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { compileCollator, compileExpression } from '../../src/index.ts';
import { doc, show, val } from '../bson.ts';

/** An expression, the document it is computed from, and its value, `MISSING` or the number of an error. */
export type Row = readonly [expression: unknown, document: object, expected: unknown];

export const MISSING = Symbol('missing');
/** The number of an error. */
export const error = (code: number) => new CommandError(code, '');

const ignoringCase = compileCollator(doc({ locale: 'en', strength: 2 }));

/** One test a row; values are compared with their types. @param collated strings differ in more than case */
export function computes(rows: readonly Row[], collated = false): void {
  test.for(rows.map((row, i) => ({ name: `${i} ${JSON.stringify(row[0])}`, row })))('$name', ({ row }) => {
    const [expression, document, expected] = row;
    expect(outcome(expression, document, collated)).toEqual(
      expected instanceof CommandError ? expected.code : expected === MISSING ? MISSING : show(val(expected)),
    );
  });
}

function outcome(expression: unknown, document: object, collated: boolean): unknown {
  try {
    const value = compileExpression(val(expression), new Map(), collated ? ignoringCase : undefined)(doc(document));
    return value ? show(value) : MISSING;
  } catch (failure) {
    if (failure instanceof CommandError) return failure.code;
    throw failure;
  }
}
