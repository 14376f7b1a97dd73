import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { VisitResult } from '../src/index.ts';
import { type Answer, Driver, done, EPOCH_MS, failed, index, SECONDARY } from './drive.ts';

/** Answers from a stock of expired documents by index: `target` of them a visit. */
function stock(due: Record<string, number>, target: number, tookMicros = 0): Answer {
  return ({ indexName }) => {
    const deleted = Math.min(due[indexName!] ?? 0, target);
    due[indexName!] = (due[indexName!] ?? 0) - deleted;
    return { result: done(deleted, deleted === target, `app.${indexName}`), tookMicros };
  };
}

const visited = (monitor: Driver) => monitor.effects('visit').map(({ indexName }) => indexName);

test('with nothing to do, a pass is one sub-pass', () => {
  const monitor = new Driver().start().runTo(61);
  expect(monitor.effects('ttlPassEnded')).toEqual([
    { type: 'ttlPassEnded', deleted: 0, byIndex: [], subPasses: 1, memberState: 'PRIMARY', acceptsWrites: true },
  ]);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses: 1 });
});

test('rounds go over those indexes that may have more, in registration order', () => {
  const monitor = new Driver().send(index('a', 'c1')).send(index('b', 'c2')).send(index('c', 'c1')).start();
  monitor.answer = stock({ a: 25, b: 3, c: 10 }, 10);
  monitor.runTo(61);
  expect(visited(monitor)).toEqual(['a', 'c', 'b', 'a', 'c', 'a']);
  expect(monitor.effects('ttlPassEnded')).toMatchObject([
    {
      deleted: 38,
      subPasses: 1,
      byIndex: [
        { ns: 'app.a', index: 'a', deleted: 25 },
        { ns: 'app.c', index: 'c', deleted: 10 },
        { ns: 'app.b', index: 'b', deleted: 3 },
      ],
    },
  ]);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 38 });
});

test.for([
  // Three visits of 1.5 s each: whole seconds 1, 3, 4 after them.
  { target: 60, subPasses: 1 },
  { target: 4, subPasses: 1 }, // the third round begins at 3 whole seconds
  { target: 3, subPasses: 2 },
  { target: 2, subPasses: 2 },
  { target: 1, subPasses: 3 },
  { target: 0, subPasses: 3 }, // each sub-pass visits once
])('ttlMonitorSubPassTargetSecs $target: $subPasses sub-passes', ({ target, subPasses }) => {
  const monitor = new Driver({ parameters: { ttlMonitorSubPassTargetSecs: target } }).send(index('a')).start();
  monitor.answer = stock({ a: 25 }, 10, 1_500_000);
  monitor.runTo(100);
  expect(visited(monitor)).toHaveLength(3);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses, deletedDocuments: 25 });
});

test('the time is looked at only after a whole round', () => {
  const monitor = new Driver({ parameters: { ttlMonitorSubPassTargetSecs: 1 } });
  for (const name of ['a', 'b', 'c']) monitor.send(index(name));
  monitor.start().answer = stock({ a: 15, b: 15, c: 15 }, 10, 5_000_000);
  monitor.runTo(100);
  expect(visited(monitor)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(monitor.state.metrics.subPasses).toBe(2);
});

test('an index registered during a pass is visited from the next sub-pass on', () => {
  const monitor = new Driver({ parameters: { ttlMonitorSubPassTargetSecs: 0 } }).send(index('a')).start();
  monitor.answer = stock({ a: 15 }, 10, 2_000_000);
  monitor.runTo(61).send(index('b')).runTo(70);
  expect(visited(monitor)).toEqual(['a', 'a', 'b']);
  const next = new Driver().send(index('a')).start();
  next.answer = stock({ a: 15 }, 10, 2_000_000);
  next.runTo(61).send(index('b')).runTo(70);
  expect(visited(next)).toEqual(['a', 'a']);
});

test('an index that is done or failed is back in the next sub-pass', () => {
  const monitor = new Driver({ parameters: { ttlMonitorSubPassTargetSecs: 0 } })
    .send(index('a'))
    .send(index('b'))
    .start();
  const answer = stock({ a: 15 }, 10);
  monitor.answer = (visit) => (visit.indexName === 'b' ? { result: failed(371, false) } : answer(visit));
  monitor.runTo(61);
  expect(visited(monitor)).toEqual(['a', 'b', 'a', 'b']);
});

test('registering a name again replaces the entry where it stands', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).send(index('a')).start().runTo(61);
  expect(visited(monitor)).toEqual(['a', 'b']);
});

test.for<[version: MongodVersion, limits: number[]]>([
  ['8.0', [60_001, 62_001, 64_001]], // the clock is read at each visit
  ['8.2', [60_001, 60_001, 60_001]], // once a pass
  ['6.0', [60_000, 62_000, 64_000]],
  ['4.4', [60_000, 62_000, 64_000]],
  ['3.2', [60_000, 62_000, 64_000]],
])('%s judges its visits by %o', ([version, limits]) => {
  const monitor = new Driver({ traits: VERSIONS[version] }).send(index('a')).send(index('b')).send(index('c')).start();
  monitor.answer = stock({}, 10, 2_000_000);
  monitor.runTo(100);
  expect(monitor.effects('visit').map(({ wallMs }) => wallMs - EPOCH_MS)).toEqual(limits);
});

test('a visit carries the targets of its moment', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).start();
  monitor.answer = stock({}, 10, 2_000_000);
  monitor.runTo(61).send({ type: 'parameterChanged', name: 'ttlIndexDeleteTargetDocs', value: 25 });
  monitor.send({ type: 'parameterChanged', name: 'ttlMonitorBatchDeletes', value: false }).runTo(70);
  expect(monitor.effects('visit').map(({ targets }) => targets)).toMatchObject([
    { docs: 50_000, timeMS: 1000, batchDocs: 10, batchTimeMS: 5, stagedBytes: 2_097_152, batched: true },
    { docs: 25, batched: false },
  ]);
});

test.for([
  ['8.0', { ttlMonitorBatchDeletes: false }],
  ['6.0', {}],
  ['4.4', {}],
  ['3.2', {}],
] as const)('%s, document by document: one sub-pass, however long it takes', ([version, parameters]) => {
  const monitor = new Driver({ traits: VERSIONS[version], parameters }).send(index('a')).send(index('b')).start();
  monitor.answer = () => ({ result: done(100_000), tookMicros: 300_000_000 });
  monitor.runTo(700);
  expect(monitor.effects('visit').map(({ targets }) => targets.batched)).toEqual([false, false]);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 200_000 });
});

const gone: VisitResult = { type: 'gone' };
test('what a visit does not find is forgotten, without a word', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).send(index('c', 'c2')).start();
  monitor.answer = ({ indexName }) => ({ result: indexName === 'b' ? done(0) : gone });
  monitor.runTo(61);
  expect([...monitor.state.cache.values()].flat().map(({ indexName }) => indexName)).toEqual(['b']);
  expect(monitor.state.cache.size).toBe(1);
  expect(monitor.logIds()).toEqual([22528]);
});

test('an index that is not ready is passed over, and kept', () => {
  const monitor = new Driver().send(index('a')).start();
  monitor.answer = () => ({ result: { type: 'notReady' } });
  expect(visited(monitor.runTo(125))).toEqual(['a', 'a']);
  expect(monitor.logIds()).toEqual([22528, 22528]);
});

test('a skipped index is logged at each visit, and counted', () => {
  const monitor = new Driver({ traits: VERSIONS['8.2'] }).send(index('a')).start();
  monitor.answer = () => ({ result: { type: 'skipped', logId: 6909100, attr: { reason: 'NaN' } } });
  monitor.runTo(125);
  expect(monitor.logIds()).toEqual([22528, 6909100, 22528, 6909100]);
  expect(monitor.state.metrics).toMatchObject({ invalidTTLIndexSkips: 2, deletedDocuments: 0 });
});

test('an error of one index is logged, and the others go on', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).start();
  monitor.answer = ({ indexName }) => ({ result: indexName === 'a' ? failed(371, false) : done(2) });
  monitor.runTo(61);
  expect(monitor.logIds()).toEqual([22528, 5400703]);
  expect(monitor.effects('log')[1]?.line).toMatchObject({ severity: 'E', attr: { namespace: 'app.sessions' } });
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 2 });
});

test('a drop under a delete ends it silently, and nothing of it counts', () => {
  const monitor = new Driver().send(index('a')).start();
  monitor.answer = () => ({ result: failed(175, false) });
  monitor.runTo(61);
  expect(monitor.logIds()).toEqual([22528]);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, deletedDocuments: 0 });
});

test('an interruption ends pass and sub-pass, which both count, with what was counted before', () => {
  const monitor = new Driver({ parameters: { ttlMonitorSubPassTargetSecs: 0 } }).send(index('a')).start();
  const results = [done(10, true), failed(11601, true)];
  monitor.answer = () => ({ result: results.shift() ?? done(0) });
  monitor.runTo(61);
  expect(monitor.state.metrics).toMatchObject({ passes: 1, subPasses: 2, deletedDocuments: 10 });
  expect(monitor.effects('ttlPassEnded')).toMatchObject([{ deleted: 10, subPasses: 2, error: expect.any(String) }]);
});

test('3.2 goes on to the next index even when interrupted', () => {
  const monitor = new Driver({ traits: VERSIONS['3.2'] }).send(index('a')).send(index('b')).start();
  monitor.answer = () => ({ result: failed(11602, true) });
  expect(visited(monitor.runTo(61))).toEqual(['a', 'b']);
  expect(monitor.logIds()).toEqual([22528, 22538, 22538]);
});

test('what is made again in the same pass is kept', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).start();
  monitor.answer = ({ indexName }) => ({
    result: indexName === 'a' ? { type: 'gone' } : done(0, false),
    tookMicros: 1_000_000,
  });
  monitor.runTo(61.5).send(index('a')).runTo(70);
  expect([...monitor.state.cache.values()].flat().map(({ indexName }) => indexName)).toEqual(['b', 'a']);
});

test('a stepdown between visits ends the pass quietly', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).start();
  monitor.answer = stock({ a: 25 }, 10, 1_000_000);
  monitor.runTo(60.5).send({ type: 'memberChanged', member: SECONDARY }).runTo(70);
  expect(visited(monitor)).toEqual(['a']);
  expect(monitor.effects('ttlPassEnded')).toMatchObject([{ deleted: 10, subPasses: 1, acceptsWrites: false }]);
  expect(monitor.logIds()).toEqual([22528]);
});

test('what was deleted goes to the log if it was slow', () => {
  const monitor = new Driver().send(index('a')).start();
  monitor.send({ type: 'indexesRegistered', entries: [{ collectionUuid: 'c2', indexName: undefined, local: false }] });
  // What a visit waits for before it begins to delete makes no deletion slow.
  monitor.answer = () => ({ result: done(7, false, 'app.sessions', 123_456), tookMicros: 2_000_000 });
  monitor.runTo(65);
  expect(monitor.effects('slowLog')).toMatchObject([
    { tookMicros: 123_456, line: { id: 5479200, attr: { index: 'a', numDeleted: 7, durationMillis: 123 } } },
    { tookMicros: 123_456, line: { id: 5400702, attr: { namespace: 'app.sessions', numDeleted: 7 } } },
  ]);
  expect(monitor.effects('ttlPassEnded')[0]?.byIndex.map(({ index }) => index)).toEqual(['a', '_id_']);
});

test.for<[version: MongodVersion, told: object]>([
  ['8.2', { extendedRange: false }],
  ['8.0', {}],
])('%s tells of a collection without an index: %o', ([version, told]) => {
  const monitor = new Driver({ traits: VERSIONS[version] }).start();
  monitor.send({ type: 'indexesRegistered', entries: [{ collectionUuid: 'c2', indexName: undefined, local: false }] });
  monitor.runTo(61);
  expect(monitor.effects('slowLog')[0]!.line.attr).toEqual({
    namespace: 'app.sessions',
    numDeleted: 0,
    durationMillis: 0,
    ...told,
  });
});
