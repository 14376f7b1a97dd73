import type { Answer } from '@replsim/replset';
import { headOf } from './replyHead.ts';

/** Errors after which a read is sent once more. Upstream: the retryable reads specification. */
const RETRYABLE_READ_CODES: ReadonlySet<number> = new Set([
  6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);
/** Errors that say that what the client knows of the server is old. Upstream: server discovery, "not writable primary" and "node is recovering". */
const STATE_CHANGE_CODES: ReadonlySet<number> = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);
/** How a request ended for the driver: what came back, or that its own timeout passed. */
export type Ended = Answer | { readonly kind: 'timedOut'; readonly errmsg: string };

/**
 * Whether a driver sends a command once more.
 * A write goes by the label that the server set, and by broken connections, which the driver labels itself; a read by
 * codes. Whether it was sent twice already, and whether it may be repeated at all, is for the caller to know.
 */
export function shouldRetry(ended: Ended, kind: 'read' | 'write'): boolean {
  if (ended.kind !== 'reply') return true;
  const { ok, code, errorLabels } = headOf(ended.reply);
  if (kind === 'write') return Array.isArray(errorLabels) && errorLabels.includes('RetryableWriteError');
  return ok !== 1 && RETRYABLE_READ_CODES.has(Number(code));
}

/** Whether a reply says that the server is no longer what it was, be it in a failure to wait for its write concern. */
export function tellsOfStateChange(reply: Uint8Array): boolean {
  const { ok, code, writeConcernError } = headOf(reply);
  return STATE_CHANGE_CODES.has(Number(ok === 1 ? writeConcernError?.code : code));
}

/** Whether a second failure says that nothing was written, so that the first one is what the application should hear of. */
export function saysNoWritesPerformed(reply: Uint8Array): boolean {
  const { errorLabels } = headOf(reply);
  return Array.isArray(errorLabels) && errorLabels.includes('NoWritesPerformed');
}
