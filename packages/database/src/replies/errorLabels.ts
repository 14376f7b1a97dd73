import type { CommandArguments, Reply } from '@replsim/pipeline';
import type { CommandDefinition } from '../definition.ts';

/** Codes after which a write may be tried again elsewhere. Upstream: error_codes.yml, category RetriableError. */
const retriable: ReadonlySet<number> = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Codes that say that a member is not the one to ask. Upstream: error_codes.yml, category NotPrimaryError. */
const notPrimary: ReadonlySet<number> = new Set([189, 10107, 11602, 13435, 13436]);

export function isNotPrimaryError(code: number): boolean {
  return notPrimary.has(code);
}

/** Codes that say that a member ends. Upstream: error_codes.yml, category ShutdownError. */
export function isShutdownError(code: number): boolean {
  return code === 91 || code === 11600;
}

/** Codes that tell a client that its idea of this member is old. */
export function isStateChangeError(code: number): boolean {
  return isNotPrimaryError(code) || isShutdownError(code);
}

/**
 * Codes that end a whole command even when one of its statements met them: the operation was killed, or its member is
 * no primary any more. Upstream: write_ops_exec.cpp, handleError.
 */
export function endsCommand(code: number): boolean {
  return isStateChangeError(code) || code === 50 || code === 237 || code === 11601;
}

/** What a client can do about a failure depends on what it is about. */
export type Attempt =
  /** A write with a `txnNumber` that stands for itself. */
  | 'retryableWrite'
  /** A statement of a transaction. */
  | 'inTransaction'
  /** A commit or an abort. */
  | 'endOfTransaction'
  /** A change stream is opened, or asked for more. */
  | 'changeStream';

/**
 * Undefined for what is neither a retryable write nor part of a transaction, nor opens a change stream. Whether a `getMore` is one
 * of a stream is known once it has the cursor. Upstream: error_labels.cpp, which asks the operation for its originating command.
 */
export function attemptOf(args: CommandArguments, command: CommandDefinition): Attempt | undefined {
  const { kind, name } = command;
  if (args.inTransaction) {
    return name === 'commitTransaction' || name === 'abortTransaction' ? 'endOfTransaction' : 'inTransaction';
  }
  if (kind === 'write' && command.retryable && args.has('txnNumber')) return 'retryableWrite';
  return kind === 'read' && command.oneLevel?.(args)?.level === 'majority' ? 'changeStream' : undefined;
}

/**
 * Adds `RetryableWriteError` where the client may send a write, or the end of a transaction, once more: it goes by the label
 * alone. `NoWritesPerformed` beside it says that this attempt wrote nothing. `TransientTransactionError` says that the whole
 * transaction may be tried again, `NonResumableChangeStreamError` that a change stream is over. Codes inside `writeErrors` are not looked at.
 * Upstream: error_labels.cpp, ErrorLabelBuilder.
 * @param wrote the command has put an entry into the oplog
 */
export function withErrorLabels(reply: Reply, attempt: Attempt | undefined, wrote: boolean): Reply {
  // Labels that a fail point has put there stand, even none.
  if (reply.errorLabels !== undefined) return reply;
  const failed = reply.ok === 1 ? (reply.writeConcernError as Reply | undefined) : reply;
  if (!failed) return reply;
  const errorLabels = attempt ? labelsOf(reply, failed, attempt, wrote) : [];
  // By the code alone, whatever the command.
  if (reply.ok !== 1 && notResumable.has(reply.code as number)) errorLabels.push('NonResumableChangeStreamError');
  return errorLabels.length > 0 ? { ...reply, errorLabels } : reply;
}

function labelsOf(reply: Reply, failed: Reply, attempt: Attempt, wrote: boolean): string[] {
  const code = failed.code as number;
  if (attempt === 'changeStream') return streamLabelsOf(code);
  const ofWriteConcern = reply.ok === 1;
  const concernCode = (reply.writeConcernError as Reply | undefined)?.code as number | undefined;
  if (isTransient(code, attempt, concernCode !== undefined)) return ofWriteConcern ? [] : ['TransientTransactionError'];
  const retried = retriable.has(code) || (concernCode !== undefined && retriable.has(concernCode));
  if (attempt === 'inTransaction' || !retried) return [];
  return ofWriteConcern || wrote ? ['RetryableWriteError'] : ['RetryableWriteError', 'NoWritesPerformed'];
}

/** Codes that say that the whole transaction may be tried again. Upstream: error_codes.yml; error_labels.cpp. */
export function isTransientInTransaction(code: number): boolean {
  return isTransient(code, 'inTransaction', false);
}

/** StaleShardVersion, FailedToSatisfyReadPreference, StaleEpoch, RetryChangeStream, StaleConfig: some other member may do. */
const resumable: ReadonlySet<number> = new Set([63, 133, 150, 234, 13388]);
/** ChangeStreamFatalError, ChangeStreamHistoryLost: no member will ever do. */
const notResumable: ReadonlySet<number> = new Set([280, 286]);

/** Drivers go by the first label alone; an error of the network they know by themselves. Upstream: isResumableChangeStreamError. */
function streamLabelsOf(code: number): string[] {
  return retriable.has(code) || resumable.has(code) ? ['ResumableChangeStreamError'] : [];
}

/** WriteConflict, LockTimeout, SnapshotUnavailable, SnapshotTooOld, PreparedTransactionInProgress. */
const transient: ReadonlySet<number> = new Set([112, 24, 246, 239, 267]);
const NO_SUCH_TRANSACTION = 251;

/** Upstream: error_labels.cpp, isTransientTransactionError. */
function isTransient(code: number, attempt: Attempt, hasWriteConcernError: boolean): boolean {
  if (attempt === 'retryableWrite' || attempt === 'changeStream') return false;
  if (transient.has(code)) return true;
  if (attempt === 'inTransaction') return code === NO_SUCH_TRANSACTION || retriable.has(code);
  // A transaction that is gone for certain may be begun again; whether it is, a commit that is not replicated cannot tell.
  return code === NO_SUCH_TRANSACTION && !hasWriteConcernError;
}
