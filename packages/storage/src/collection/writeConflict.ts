import { CommandError } from '@replsim/protocol';

/**
 * What a write meets where another transaction has written and is not over, or has written since the snapshot of the one that
 * writes now: 112. Upstream: write_conflict_exception.h.
 */
export function writeConflict(): CommandError {
  return new CommandError(
    'WriteConflict',
    // Applications try again where they read these words.
    'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
  );
}

/**
 * What a transaction meets that writes to a collection whose options or indexes have changed since its snapshot: 112.
 * Upstream: catalog_raii.cpp, verifyDbAndCollection.
 */
export function changedSince(ns: string): CommandError {
  return new CommandError(
    'WriteConflict',
    `WriteConflict error: the options or indexes of '${ns}' have changed since the snapshot of this transaction. Please retry the transaction.`,
  );
}
