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
