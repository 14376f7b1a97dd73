import { type ClientCursor, type CursorOptions, killedCursor, type Operation } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import { RawBson } from '@replsim/protocol';
import type { MemberServices } from '../member.ts';
import { payFor } from './payFor.ts';

/** Documents of a first batch whose size nobody named. Upstream: query_request_helper.h, kDefaultBatchSize. */
const DEFAULT_BATCH_SIZE = 101;
/** Bytes of documents in one reply; the first always fits. Upstream: FindCommon::kMaxBytesToReturnToClientAtOnce. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

export interface FirstBatch {
  readonly batchSize: number | undefined;
  /** No cursor is kept, whatever is left. */
  readonly singleBatch?: boolean;
  /** What is left until then, of the monotonic clock, is for the next batches. */
  readonly deadlineMicros?: number;
}

/** Opens a cursor, fills its first batch and gives the reply; a cursor that is at its end is closed and has id 0. */
export function* openCursor(member: MemberServices, options: CursorOptions, first: FirstBatch): Operation<Reply> {
  const cursor = member.cursors.create(options);
  cursor.pinned = true;
  if (cursor.tailable) member.debug.isTailable = true;
  let kept = false;
  let returned = 0;
  try {
    const firstBatch = yield* fillBatch(member, cursor, first.batchSize ?? DEFAULT_BATCH_SIZE);
    kept = !first.singleBatch && !isAtEnd(cursor);
    returned = firstBatch.length;
    cursor.leftMicros = (first.deadlineMicros ?? Infinity) - member.now.monotonicMicros;
    return { cursor: { firstBatch, ...batchEnd(cursor, firstBatch), id: kept ? cursor.id : 0n, ns: cursor.ns } };
  } finally {
    member.debug.nReturned += returned;
    member.cursors.release(cursor, kept, returned);
  }
}

/** The documents of one reply: at most `limit`, as many as fit. Throws CursorKilled 237 if it is killed meanwhile. */
export function* fillBatch(member: MemberServices, cursor: ClientCursor, limit: number): Operation<RawBson[]> {
  const { source } = cursor;
  const batch: RawBson[] = [];
  let room = MAX_BATCH_BYTES;
  const count = Math.min(limit, cursor.remaining);
  source.resume();
  while (batch.length < count) {
    const document = cursor.leftOver ?? source.take();
    if (document) {
      cursor.leftOver = undefined;
      if (document.length > room && batch.length > 0) {
        cursor.leftOver = document;
        break;
      }
      room -= document.length;
      batch.push(new RawBson(document));
      continue;
    }
    if (source.state !== 'more') break;
    yield* payFor(member, source);
    if (cursor.killed) throw killedCursor(cursor);
    source.resume();
  }
  cursor.remaining -= batch.length;
  yield* payFor(member, source);
  return batch;
}

/** What a change stream tells with each batch; nothing of any other cursor. Upstream: cursor_response.cpp. */
export function batchEnd({ source, leftOver }: ClientCursor, batch: readonly RawBson[]): Reply {
  const end = source.batchEnd?.(leftOver && batch.at(-1)?.bytes);
  if (!end) return {};
  return { postBatchResumeToken: new RawBson(end.resumeToken), ...(end.isInvalidated && { invalidated: true }) };
}

/** Whether a cursor has nothing more to give, now or later. */
export function isAtEnd(cursor: ClientCursor): boolean {
  return cursor.remaining === 0 || (cursor.source.state === 'exhausted' && !cursor.leftOver);
}

/** The reply of a find on nothing. */
export function emptyCursor(ns: string): Reply {
  return { cursor: { firstBatch: [], id: 0n, ns } };
}
