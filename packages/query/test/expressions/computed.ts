import { CommandError } from '@replsim/protocol';
import { compileExpression } from '../../src/index.ts';
import { doc, show, val } from '../bson.ts';

/** What an expression makes of a document, in canonical Extended JSON; `missing`, or the number of the error. */
export function computed(expression: unknown, document: object = {}): string | number {
  try {
    const value = compileExpression(val(expression))(doc(document));
    return value === undefined ? 'missing' : show(value);
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

/** A value as `computed` says it. */
export const shown = (value: unknown): string => show(val(value));
