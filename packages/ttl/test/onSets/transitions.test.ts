import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

// What becomes of a pass and of the monitor when its member changes state or ends. Scenarios show the same from
// outside: step-down-in-the-middle-of-a-delete, deposed-primary-deletes-come-back, failover-moves-ttl, restart-forgets-….

const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3', config: { priority: 0 } }];
const STEP_DOWN = { replSetStepDown: 300, secondaryCatchUpPeriodSecs: 5, force: true };

const metrics = (asked: AskedSet, member = 'n1'): Doc => asked.now(member, { serverStatus: 1 }).metrics.ttl;
const lines = (asked: AskedSet, member = 'n1'): Doc[] =>
  asked
    .now(member, { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter(({ ctx }: Doc) => ctx === 'TTLMonitor');

/** n1 leads, and has two collections with thirty expired documents each, one of which takes a tenth of a second to delete. */
async function backlog(): Promise<AskedSet> {
  const asked = await AskedSet.start(MEMBERS, { costs: { deleteMicros: 100_000 }, version: '8.0' });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  for (const collection of ['a', 'b']) {
    const indexes = [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 0 }];
    await asked.ok('n1', { createIndexes: collection, indexes, writeConcern: { w: 3 } });
    const documents = Array.from({ length: 30 }, (_, _id) => ({ _id, at: new Date(0) }));
    await asked.ok('n1', { insert: collection, documents, writeConcern: { w: 3 } });
  }
  return asked;
}

const left = async (asked: AskedSet, collection: string, member = 'n1') =>
  (await asked.documents(member, collection)).length;

test('a step-down interrupts the delete: its batches stay, nothing is counted but the pass, and a whole interval follows', async () => {
  const asked = await backlog();
  await asked.until(() => asked.now('n1', { count: 'a' }, 'app').n < 25);
  await asked.ok('n1', STEP_DOWN, 'admin');
  const steppedDown = asked.set.nowMicros;
  expect(metrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
  const [warning] = lines(asked).filter(({ id }) => id === 22537);
  expect(warning).toMatchObject({ s: 'W', attr: { interruption: { code: 11602 }, waitMillis: 60_000 } });
  expect(await left(asked, 'a')).toBeGreaterThan(10);
  expect(await left(asked, 'b')).toBe(30);
  // As a secondary it counts its next pass once the interval is over, and not before.
  await asked.set.advanceTo(steppedDown + 59_500_000);
  expect(metrics(asked).passes).toBe(1);
  await asked.pass(1000);
  expect(metrics(asked).passes).toBe(2);
});

test('a step-down between two visits ends the pass without a word', async () => {
  const asked = await backlog();
  await asked.ok('n1', { setParameter: 1, ttlIndexDeleteTargetDocs: 10 }, 'admin');
  // The monitor stops inside its second visit, and finds there that it may not delete any more.
  await asked.ok('n1', { configureFailPoint: 'hangTTLMonitorBetweenPasses', mode: 'alwaysOn' }, 'admin');
  await asked.pass(62_000);
  await asked.ok('n1', STEP_DOWN, 'admin');
  await asked.ok('n1', { configureFailPoint: 'hangTTLMonitorBetweenPasses', mode: 'off' }, 'admin');
  await asked.pass(1000);
  expect(metrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
  expect(lines(asked).filter(({ s }) => s === 'W' || s === 'E')).toEqual([]);
});

test('the new primary deletes at its own next wake-up, whose phase is its own', async () => {
  const asked = await backlog();
  const woke = asked.set.nowMicros;
  asked.set.kill('n3');
  await asked.set.start('n3');
  await asked.pass(20_000);
  asked.set.kill('n2');
  await asked.set.start('n2');
  const started = asked.set.nowMicros;
  await asked.pass(5000);
  asked.set.kill('n1');
  await asked.until(() => asked.primaryIfAny() === 'n2');
  await asked.set.advanceTo(started + 60_000_000);
  expect(await left(asked, 'a', 'n2')).toBe(30);
  await asked.pass(4000);
  expect(await left(asked, 'a', 'n2')).toBeLessThan(30);
  expect(asked.set.nowMicros).toBeGreaterThan(woke);
});

test('a shutdown tells when the monitor is told to end and when it has; a restart begins anew', async () => {
  const asked = await backlog();
  await asked.ok('n1', { setParameter: 1, ttlMonitorSleepSecs: 5 }, 'admin');
  await asked.until(() => metrics(asked).passes >= 2);
  const ids: number[] = [];
  asked.set.onTrace((event) => {
    if (event.type === 'log' && event.member === 'n1' && event.line.component === 'INDEX') ids.push(event.line.id);
  });
  asked.send('n1', { shutdown: 1, force: true, timeoutSecs: 0 }, 'admin');
  await asked.until(() => !asked.set.status('n1').running);
  expect(ids.slice(-2)).toEqual([3684100, 3684101]);
  await asked.set.start('n1');
  await asked.pass(100);
  expect(metrics(asked)).toMatchObject({ passes: 0, subPasses: 0, deletedDocuments: 0 });
  expect(asked.now('n1', { getParameter: 1, ttlMonitorSleepSecs: 1 }).ttlMonitorSleepSecs).toBe(60);
  await asked.pass(59_000);
  expect(metrics(asked).passes).toBe(0);
  await asked.pass(1500);
  expect(metrics(asked).passes).toBe(1);
});

test('what a rollback brings back goes again, by whoever is primary', async () => {
  const asked = await backlog();
  await asked.pass(45_000);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.until(() => asked.now('n1', { count: 'a' }, 'app').n < 30);
  await asked.until(() => asked.primaryIfAny() === 'n2');
  expect(asked.now('n1', { count: 'a', $readPreference: { mode: 'nearest' } }, 'app').n).toBeLessThan(30);
  expect(await left(asked, 'a', 'n2')).toBe(30);
  // n2's own monitor waits, so that what n1 has lost can be seen to come back.
  asked.set.hold('n2', 'ttl');
  await asked.ok('n2', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 'majority' } });
  asked.set.heal('all');
  asked.set.hold('n1', 'ttl');
  await asked.until(() => asked.now('n1', { count: 'a', $readPreference: { mode: 'nearest' } }, 'app').n === 30);
  asked.set.release('n1', 'ttl');
  asked.set.release('n2', 'ttl');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.pass(90_000);
  for (const member of ['n1', 'n2', 'n3']) expect(await left(asked, 'a', member)).toBe(0);
});
