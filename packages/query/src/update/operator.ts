/** What the update operators have in common. */
import { type BsonValue, CommandError } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';

/** What an operator may know of the document and the moment. */
export interface OperatorContext {
  /** The concrete path, for messages. */
  readonly path: string;
  /** The document's `_id` as in messages: `{_id: 1}`. */
  readonly documentId: string;
  /** Unit: ms since 1970. */
  readonly nowMs: number;
  readonly nextTimestamp: { readonly t: number; readonly i: number };
  readonly isUpsertInsert: boolean;
}

/** An array with its new last elements, where they alone are to be logged. */
export interface Appended {
  readonly value: BsonValue;
  readonly appended: readonly BsonValue[];
}

/**
 * Computes a field's new value from the current one (undefined: not there).
 * Undefined leaves the document as it is, and logs nothing; in particular a missing field stays missing. What is given back
 * counts as a change, even if it is the same.
 */
export type Modify = (current: BsonValue | undefined, context: OperatorContext) => BsonValue | Appended | undefined;

/**
 * Makes the operator for one `path: operand`; strings are compared by the collator, if there is one.
 * Throws CommandError if the operand is malformed.
 */
export type OperatorFactory = (operand: BsonValue, path: string, collator?: Collator) => Modify;

/** The same to the byte, which the operators that set and compute take for nothing to do. */
export function isIdentical(a: BsonValue, b: BsonValue): boolean {
  if (a.type !== b.type || a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (a.bytes[a.offset + i] !== b.bytes[b.offset + i]) return false;
  return true;
}

export const badValue = (message: string): CommandError => new CommandError('BadValue', message);
