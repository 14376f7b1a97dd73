import type { MongodVersion } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';
import { backlog, batchedDeletes, expiring, idsOf, logged, runTo, slowDeletes, ttlMetrics } from './slowDeletes.ts';

// What an operator sees of the monitor: serverStatus, currentOp, the log.

const INSTANT = { deleteMicros: 0 };
const verbosity = (asked: AskedSet, level: number) =>
  asked.ok('n1', { setParameter: 1, logComponentVerbosity: { index: { verbosity: level } } }, 'admin');

test.for<[version: MongodVersion, shown: Doc]>([
  ['8.2', { deletedDocuments: 3, invalidTTLIndexSkips: 0, passes: 1, subPasses: 1 }],
  ['8.0', { collSubpassesIncreasedPriority: 0, deletedDocuments: 3, passes: 1, subPasses: 1 }],
  ['7.0', { collSubpassesIncreasedPriority: 0, deletedDocuments: 3, passes: 1, subPasses: 1 }],
  ['3.2', { deletedDocuments: 3, passes: 1 }],
])('metrics.ttl of %s', async ([version, shown]) => {
  const asked = await slowDeletes({ version, costs: INSTANT });
  await expiring(asked, 'c', 3);
  await runTo(asked, 61);
  expect(ttlMetrics(asked)).toEqual(shown);
  const { metrics } = asked.now('n1', { serverStatus: 1 });
  for (const value of Object.values(metrics.ttl))
    expect(typeof value === 'number' || typeof value === 'bigint').toBe(true);
});

test('3.2 counts a pass where it begins, all others where it ends', async () => {
  for (const [version, passes] of [
    ['3.2', 1],
    ['8.0', 0],
  ] as const) {
    const asked = await slowDeletes({ version });
    await expiring(asked, 'c', 5);
    await runTo(asked, 62);
    expect(ttlMetrics(asked).passes).toBe(passes);
  }
});

test('a collection that so many sub-passes could not finish is promoted, until it is done', async () => {
  // A visit, and so a sub-pass, deletes two documents.
  const parameters = { ttlIndexDeleteTargetDocs: 2, ttlMonitorSubPassTargetSecs: 0, ttlCollLowPrioritySubpassLimit: 3 };
  const asked = await slowDeletes({ parameters, costs: INSTANT });
  await expiring(asked, 'c', 11);
  await expiring(asked, 'd', 1);
  await runTo(asked, 61);
  // Six sub-passes; before the fourth, fifth and sixth c had been left with work three times in a row.
  expect(ttlMetrics(asked)).toMatchObject({ subPasses: 6, deletedDocuments: 12, collSubpassesIncreasedPriority: 3 });
  await asked.ok('n1', { insert: 'c', documents: backlog(asked, 5) });
  await runTo(asked, 122);
  // The next pass knows nothing of it.
  expect(ttlMetrics(asked)).toMatchObject({ subPasses: 6 + 3, collSubpassesIncreasedPriority: 3 });
});

test('batchedDeletes counts what the monitor and a multi-delete of a client do in batches', async () => {
  const asked = await slowDeletes({ parameters: { batchedDeletesTargetBatchDocs: 10 } });
  await expiring(asked, 'c', 25);
  await runTo(asked, 100);
  const { length } = await bytesOf(asked);
  const byMonitor = { batches: 3, docs: 25, timeInBatchMillis: 25_000, refetchesDueToYield: 0 };
  expect(batchedDeletes(asked)).toEqual({ ...byMonitor, stagedSizeBytes: 25 * length });
  await asked.ok('n1', { insert: 'd', documents: backlog(asked, 12) });
  await asked.ok('n1', { delete: 'd', deletes: [{ q: {}, limit: 0 }] });
  expect(batchedDeletes(asked)).toMatchObject({ batches: 3 + 2, docs: 25 + 12 });
  await asked.ok('n1', { insert: 'd', documents: backlog(asked, 1) });
  await asked.ok('n1', { delete: 'd', deletes: [{ q: {}, limit: 1 }] });
  expect(batchedDeletes(asked)).toMatchObject({ batches: 5 });
});

/** A document of the backlog, { _id: int, at: date }. */
async function bytesOf(asked: AskedSet): Promise<Uint8Array> {
  const { encodeDocument } = await import('@replsim/protocol');
  return encodeDocument(backlog(asked, 1)[0]!);
}

test('3.2 has no such section, and a multi-delete of a client is one entry a document', async () => {
  const asked = await slowDeletes({ version: '3.2', costs: INSTANT, members: [{ name: 'n1' }] });
  expect(asked.now('n1', { serverStatus: 1 }).batchedDeletes).toBeUndefined();
  await asked.ok('n1', { insert: 'd', documents: backlog(asked, 3) });
  await asked.ok('n1', { delete: 'd', deletes: [{ q: {}, limit: 0 }] });
  const found = await asked.ok('n1', { find: 'oplog.rs', filter: { ns: 'app.d', op: 'd' } }, 'local');
  expect(found.cursor.firstBatch).toHaveLength(3);
});

test('opcounters.delete knows nothing of TTL, opcountersRepl.delete of a secondary does', async () => {
  const members = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
  const asked = await slowDeletes({ members, costs: INSTANT, parameters: { batchedDeletesTargetBatchDocs: 10 } });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await expiring(asked, 'c', 21);
  await asked.until(() => idsOf(asked, 'c', 'n2').length === 21);
  await asked.until(() => idsOf(asked, 'c', 'n2').length === 0);
  const counted = (member: string) => {
    const { opcounters, opcountersRepl } = asked.now(member, { serverStatus: 1 });
    return [Number(opcounters.delete), Number(opcountersRepl.delete)];
  };
  expect([counted('n1'), counted('n2')]).toEqual([
    [0, 0],
    [0, 21],
  ]);
});

test('currentOp shows the monitor at work, as one operation from visit to visit', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 2);
  await expiring(asked, 'd', 2);
  await runTo(asked, 61);
  const operation = () => asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog[0];
  const first = operation();
  const shown = { op: 'remove', planSummary: 'IXSCAN { at: 1 }', command: {} };
  expect(first).toMatchObject({ type: 'op', desc: 'TTLMonitor', active: true, ns: 'app.c', ...shown });
  expect(first).not.toHaveProperty('client');
  expect(asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog).toEqual([first]);
  await runTo(asked, 63);
  expect(operation()).toMatchObject({ opid: first.opid, secs_running: 2, ns: 'app.d', ...shown });
  await runTo(asked, 65);
  expect(operation()).toBeUndefined();
});

test('killOp in a visit: the pass is over, what was committed stays uncounted, the next interval goes on', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 4);
  await expiring(asked, 'd', 2);
  await runTo(asked, 63);
  const [{ opid }] = asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog;
  await asked.ok('n1', { killOp: 1, op: opid }, 'admin');
  await runTo(asked, 100);
  expect([idsOf(asked, 'c'), idsOf(asked, 'd')]).toEqual([
    [3, 4],
    [1, 2],
  ]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
  expect(logged(asked, [22537])).toMatchObject([{ s: 'W', attr: { interruption: { codeName: 'Interrupted' } } }]);
  await runTo(asked, 130);
  expect([idsOf(asked, 'c'), idsOf(asked, 'd')]).toEqual([[], []]);
});

test.for<[level: number, ids: number[]]>([
  [0, []],
  [1, [22533, 5479200]],
  [2, [22533, 5479200]],
  [3, [22528, 22533, 5479200]],
])('at verbosity %d a quick pass logs %o', async ([level, ids]) => {
  const asked = await slowDeletes({ costs: INSTANT });
  await expiring(asked, 'c', 2);
  await verbosity(asked, level);
  await runTo(asked, 61);
  const lines = logged(asked, [22528, 22533, 5479200]);
  expect(lines.map(({ id }) => id)).toEqual(ids);
  for (const line of lines) expect(line).toMatchObject({ c: 'INDEX', ctx: 'TTLMonitor' });
});

test.for<[what: string, ms: number, lines: number]>([
  ['just below slowms', 99, 0],
  ['slowms', 100, 1],
])('a visit of %s (%d ms) leaves %d lines', async ([, ms, lines]) => {
  const asked = await slowDeletes({ costs: { deleteMicros: ms * 1000 } });
  await expiring(asked, 'c', 1);
  await runTo(asked, 62);
  expect(logged(asked, [5479200]).map(({ s, attr }) => [s, attr])).toEqual(
    [['I', { namespace: 'app.c', index: 'at_1', numDeleted: 1, durationMillis: ms }]].slice(0, lines),
  );
});

test('the line of a visit names the collection, the key and the index', async () => {
  const asked = await slowDeletes({ costs: INSTANT });
  await verbosity(asked, 1);
  await expiring(asked, 'c', 0, { key: { at: -1 } });
  await runTo(asked, 61);
  expect(logged(asked, [22533])).toMatchObject([
    { s: 'D1', attr: { namespace: 'app.c', key: { at: -1 }, name: 'at_1' } },
  ]);
});

test.for<[what: string, stop: Doc, id: number, severity: string, level: number]>([
  ['disabled', { setParameter: 1, ttlMonitorEnabled: false }, 22529, 'D1', 1],
  ['fsync-locked', { fsync: 1, lock: true }, 22530, 'D3', 3],
])('%s, it says so at its level only', async ([, stop, id, s, level]) => {
  for (const at of [level - 1, level]) {
    const asked = await slowDeletes();
    await verbosity(asked, at);
    await asked.ok('n1', stop, 'admin');
    await runTo(asked, 61);
    expect(logged(asked, [id]).map((line) => [line.s, line.c])).toEqual(at === level ? [[s, 'INDEX']] : []);
  }
});

test.for<[version: MongodVersion, index: Doc, id: number, attributes: string[]]>([
  ['8.0', { key: { at: 'hashed' } }, 22541, ['index']],
  ['8.2', { key: { at: 'hashed' } }, 22541, ['index']],
  ['8.0', { expireAfterSeconds: -1 }, 6909100, ['reason', 'ns', 'uuid', 'index']],
  ['8.2', { key: { at: 1, n: 1 } }, 6909100, ['reason', 'ns', 'uuid', 'index']],
  ['8.0', { key: { at: 1, n: 1 } }, 22540, ['index']],
])('%s passes over %o with %d at each pass', async ([version, index, id, attributes]) => {
  const asked = await slowDeletes({ version, costs: INSTANT });
  for (const name of ['skipTTLIndexValidationOnCreateIndex', 'skipTTLIndexExpireAfterSecondsValidation'])
    await asked.ok('n1', { configureFailPoint: name, mode: 'alwaysOn' }, 'admin');
  await expiring(asked, 'c', 0, index);
  await asked.ok('n1', { insert: 'c', documents: backlog(asked, 2) });
  await runTo(asked, 125);
  const lines = logged(asked, [22540, 22541, 6909100]);
  expect(lines.map((line) => [line.s, line.id])).toEqual([
    ['E', id],
    ['E', id],
  ]);
  expect(Object.keys(lines[0]!.attr)).toEqual(attributes);
  expect(lines[0]!.attr.index).toMatchObject({ v: 2, name: 'at_1' });
  expect(idsOf(asked, 'c')).toEqual([1, 2]);
  expect(ttlMetrics(asked).invalidTTLIndexSkips).toBe(version === '8.2' ? 2 : undefined);
});

test('a shutdown ends the monitor with two lines of the thread that shuts down', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }] });
  const lines: Doc[] = [];
  asked.set.onTrace((event) => {
    if (event.type === 'log') lines.push(event.line);
  });
  asked.send('n1', { shutdown: 1, force: true }, 'admin');
  await asked.until(() => !asked.set.status('n1').running, 40_000);
  const ended = lines.filter(({ id }) => id === 3684100 || id === 3684101);
  expect(ended.map(({ id, severity, component, ctx }) => [id, severity, component, ctx])).toEqual([
    [3684100, 'I', 'INDEX', 'SignalHandler'],
    [3684101, 'I', 'INDEX', 'SignalHandler'],
  ]);
});
