import type { MongodVersion } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

interface Slow {
  readonly version?: MongodVersion;
  readonly parameters?: Doc;
  readonly costs?: Doc;
  readonly members?: ReplSetOptions['members'];
}

const NOTHING = {
  commandMicros: 0,
  insertMicros: 0,
  updateMicros: 0,
  indexKeyMicros: 0,
  scanKeyMicros: 0,
  commitMicros: 0,
};

/**
 * A standalone, or the members given, on which a delete takes one second and all else nothing, so that a test can step in
 * between two batches. Batches are of two documents, and nothing else ends a batch or a visit.
 */
export async function slowDeletes({ version, parameters, costs, members }: Slow = {}): Promise<AskedSet> {
  const legacy = version === '3.2';
  return AskedSet.start(members ?? [{ name: 'n1', standalone: true }], {
    ...(version && { version }),
    costs: { ...NOTHING, deleteMicros: 1_000_000, ...costs },
    parameters: legacy ? { ...parameters } : { ...UNLIMITED, ...parameters },
  });
}

const UNLIMITED = {
  batchedDeletesTargetBatchDocs: 2,
  batchedDeletesTargetBatchTimeMS: 0,
  ttlIndexDeleteTargetTimeMS: 0,
  ttlIndexDeleteTargetDocs: 0,
};

/** So many documents `{ _id: 1 …, at }`, the first an hour old and each a second younger than the one before. */
export function backlog(asked: AskedSet, count: number): Doc[] {
  const oldest = asked.set.wallMs('n1') - 3_600_000;
  return Array.from({ length: count }, (_, i) => ({ _id: i + 1, at: new Date(oldest + i * 1000) }));
}

/** A collection in `app` with a TTL index of one minute on `at`, and that many expired documents in it. */
export async function expiring(asked: AskedSet, name: string, count: number, index: Doc = {}): Promise<void> {
  const indexes = [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60, ...index }];
  await asked.ok('n1', { createIndexes: name, indexes });
  if (count > 0) await asked.ok('n1', { insert: name, documents: backlog(asked, count) });
}

/** Seconds of virtual time. */
export async function runTo(asked: AskedSet, secs: number): Promise<void> {
  await asked.set.advanceTo(Math.round(secs * 1_000_000));
}

/** `metrics.ttl`, as numbers. */
export function ttlMetrics(asked: AskedSet, member = 'n1'): Record<string, number> {
  const { ttl } = asked.now(member, { serverStatus: 1 }).metrics;
  return Object.fromEntries(Object.entries(ttl).map(([name, value]) => [name, Number(value)]));
}

export function batchedDeletes(asked: AskedSet): Record<string, number> {
  const section: Doc = asked.now('n1', { serverStatus: 1 }).batchedDeletes;
  return Object.fromEntries(Object.entries(section).map(([name, value]) => [name, Number(value)]));
}

/** The log's lines with these ids, in order. */
export function logged(asked: AskedSet, ids: readonly number[], member = 'n1'): Doc[] {
  const { log } = asked.now(member, { getLog: 'global' });
  return (log as string[]).map((line) => JSON.parse(line)).filter(({ id }) => ids.includes(id));
}

export function idsOf(asked: AskedSet, collection: string, member = 'n1'): unknown[] {
  const find = { find: collection, sort: { _id: 1 }, batchSize: 100_000, $readPreference: { mode: 'nearest' } };
  return asked.now(member, find, 'app').cursor.firstBatch.map(({ _id }: Doc) => _id);
}

/** What the set wrote about deletions, in oplog order. */
export async function deleteEntries(asked: AskedSet, member = 'n1'): Promise<Doc[]> {
  const filter = { $or: [{ op: 'd' }, { 'o.applyOps.op': 'd' }] };
  const find = { find: 'oplog.rs', filter, batchSize: 100_000, $readPreference: { mode: 'nearest' } };
  return (await asked.ok(member, find, 'local')).cursor.firstBatch;
}
