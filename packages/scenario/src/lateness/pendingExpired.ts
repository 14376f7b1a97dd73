import { BsonType, decodePromoted, encodeDocument, readInt64AsNumber, splitNamespace } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { firstBatch, valueAt } from '../stage/answers.ts';
import type { Members } from '../stage/members.ts';
import { dueBy, expiredFilter } from './dueBy.ts';
import type { KnownIndex } from './lateness.ts';

/** What has expired, by the run's own clock, and is still there. */
export interface PendingExpired {
  /** Who was asked. */
  readonly on: string;
  readonly count: number;
  /** For how long the oldest has been due, ms; absent if none is there or its date stands in an array. */
  readonly oldestMs?: number;
}

/**
 * Asks the primary, or else whoever answers, how much of an index's work is still to be done. Deletions come with the
 * trace, but what was never deleted can only be counted where it is.
 */
export function pendingExpired(known: KnownIndex, set: ReplicaSetApi, members: Members): PendingExpired | undefined {
  const on = members.primary() ?? members.withData()[0];
  if (on === undefined) return undefined;
  const [db, collection] = splitNamespace(known.ns);
  const ask = (command: object): Uint8Array =>
    set.ask(on, encodeDocument({ ...command, $db: db, $readPreference: { mode: 'primaryPreferred' } }));
  const due = dueBy(known, ask);
  if (!due) return undefined;
  const nowMs = set.epochMs + set.nowMicros / 1000;
  const filter = expiredFilter(due, nowMs);
  if (!filter) return undefined;
  const { n, ok } = decodePromoted(ask({ count: collection, query: filter }));
  if (ok !== 1) return undefined;
  const [oldest] = n > 0 ? firstBatch(ask({ find: collection, filter, sort: { [due.path]: 1 }, limit: 1 })) : [];
  const date = oldest && valueAt(oldest, due.path);
  if (date?.type !== BsonType.date) return { on, count: n };
  return { on, count: n, oldestMs: nowMs - (readInt64AsNumber(date.bytes, date.offset) + due.seconds * 1000) };
}
