import {
  BsonType,
  decodePromoted,
  encodeDocument,
  readInt64AsNumber,
  required,
  splitNamespace,
} from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { endingOf, firstBatch, valueAt } from '../answers.ts';
import type { Members } from '../members.ts';
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
  const due = dueBy(known, collection, ask);
  if (!due) return undefined;
  const nowMs = set.epochMs + set.nowMicros / 1000;
  const limit = new Date(Math.floor(nowMs - due.seconds * 1000));
  if (Number.isNaN(limit.getTime())) return undefined;
  const filter = { $and: [{ [due.path]: { $lte: limit } }, ...due.filters] };
  const { n, ok } = decodePromoted(ask({ count: collection, query: filter }));
  if (ok !== 1) return undefined;
  const [oldest] = n > 0 ? firstBatch(ask({ find: collection, filter, sort: { [due.path]: 1 }, limit: 1 })) : [];
  const date = oldest && valueAt(oldest, due.path);
  if (date?.type !== BsonType.date) return { on, count: n };
  return { on, count: n, oldestMs: nowMs - (readInt64AsNumber(date.bytes, date.offset) + due.seconds * 1000) };
}

interface Due {
  readonly path: string;
  readonly seconds: number;
  /** What else a document must match. */
  readonly filters: readonly object[];
}

/** Which documents the index is to delete. Buckets of time series are left out: their dates are in no field. */
function dueBy({ index }: KnownIndex, collection: string, ask: (command: object) => Uint8Array): Due | undefined {
  if (collection.startsWith('system.buckets.')) return undefined;
  if (index === '_id_') {
    const reply = ask({ listCollections: 1, filter: { name: collection } });
    const options = endingOf(reply).ok ? decodePromoted(reply).cursor.firstBatch[0]?.options : undefined;
    if (typeof options?.expireAfterSeconds !== 'number') return undefined;
    return { path: '_id', seconds: options.expireAfterSeconds, filters: [{ _id: { $gte: new Date(0) } }] };
  }
  const reply = ask({ listIndexes: collection });
  if (!endingOf(reply).ok) return undefined;
  const specs: readonly Record<string, unknown>[] = decodePromoted(reply).cursor.firstBatch;
  const spec = specs.find(({ name }) => name === index);
  if (typeof spec?.expireAfterSeconds !== 'number') return undefined;
  const { partialFilterExpression } = spec;
  const [path] = Object.keys(spec.key as object);
  return {
    path: required(path, 'field in the key of the index'),
    seconds: spec.expireAfterSeconds,
    filters: partialFilterExpression ? [partialFilterExpression] : [],
  };
}
