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

/**
 * Computes a field's new value from the current one (undefined: not there).
 * Undefined leaves the document as it is; in particular a missing field stays missing.
 */
export type Modify = (current: BsonValue | undefined, context: OperatorContext) => BsonValue | undefined;

/**
 * Makes the operator for one `path: operand`; strings are compared by the collator, if there is one.
 * Throws CommandError if the operand is malformed.
 */
export type OperatorFactory = (operand: BsonValue, path: string, collator?: Collator) => Modify;

export const badValue = (message: string): CommandError => new CommandError('BadValue', message);
