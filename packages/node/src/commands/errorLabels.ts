import type { Reply } from './command.ts';

/** Codes after which a write may be tried again elsewhere. Upstream: error_codes.yml, category RetriableError. */
const retriable: ReadonlySet<number> = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Codes that tell a client that its idea of this member is old: NotPrimaryError and ShutdownError. */
const stateChange: ReadonlySet<number> = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** Codes that say that a member is not the one to ask. Upstream: error_codes.yml, category NotPrimaryError. */
const notPrimary: ReadonlySet<number> = new Set([189, 10107, 11602, 13435, 13436]);

export function isNotPrimaryError(code: number): boolean {
  return notPrimary.has(code);
}

export function isStateChangeError(code: number): boolean {
  return stateChange.has(code);
}

/**
 * Codes that end a whole command even when one of its statements met them: the operation was killed, or its member is
 * no primary any more. Upstream: write_ops_exec.cpp, handleError.
 */
export function endsCommand(code: number): boolean {
  return stateChange.has(code) || code === 50 || code === 237 || code === 11601;
}

/**
 * Adds `RetryableWriteError` where the client may send a retryable write once more; the client goes by the label alone.
 * `NoWritesPerformed` beside it says that this attempt wrote nothing. Codes inside `writeErrors` are not looked at.
 * Upstream: error_labels.cpp, ErrorLabelBuilder.
 * @param wrote the command has put an entry into the oplog
 */
export function withRetryLabel(reply: Reply, retryable: boolean, wrote: boolean): Reply {
  // Labels that a fail point has put there stand, even none.
  if (!retryable || reply.errorLabels !== undefined) return reply;
  const failed = reply.ok === 1 ? (reply.writeConcernError as Reply | undefined) : reply;
  if (!failed || !retriable.has(failed.code as number)) return reply;
  const label = 'RetryableWriteError';
  return { ...reply, errorLabels: reply.ok === 1 || wrote ? [label] : [label, 'NoWritesPerformed'] };
}
