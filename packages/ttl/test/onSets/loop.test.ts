import type { MongodVersion } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { expiring, idsOf, logged, runTo, slowDeletes, ttlMetrics } from './slowDeletes.ts';

// The loop of a running monitor: when it wakes, what it reads then, and what interrupts it. Source: upstream's
// jstests ttlMonitorSleepSecs_parameter.js, ttl_monitor_enabled_runtime_toggle.js.

const set = (asked: AskedSet, parameters: Doc) => asked.ok('n1', { setParameter: 1, ...parameters }, 'admin');
const failPoint = (asked: AskedSet, name: string, mode: unknown) =>
  asked.ok('n1', { configureFailPoint: name, mode }, 'admin');

/** When the passes from now on end, in seconds, and when those began that had an index to visit. */
async function passTimes(asked: AskedSet, untilSecs: number): Promise<{ begun: number[]; ended: number[] }> {
  const times = { begun: [] as number[], ended: [] as number[] };
  asked.set.onTrace((event) => {
    if (event.type === 'ttlMonitor' && event.phase === 'inPass') times.begun.push(event.atMicros / 1e6);
    if (event.type === 'ttlPassEnded') times.ended.push(event.atMicros / 1e6);
  });
  await runTo(asked, untilSecs);
  return times;
}

test('the worked example: passes at 60.001, and 60 s after the end of a pass of five seconds, strictly', async () => {
  const asked = await slowDeletes({ parameters: { batchedDeletesTargetBatchDocs: 5 } });
  await expiring(asked, 'c', 5);
  const { begun, ended } = await passTimes(asked, 200);
  expect(begun[0]).toBe(60.001);
  expect(ended).toEqual([65.001, 125.002, 185.003]);
});

test('the worked example: at 70 s five seconds are chosen, and a pass begins at 70 s', async () => {
  const asked = await slowDeletes();
  const times = passTimes(asked, 70);
  await times;
  const reply = await set(asked, { ttlMonitorSleepSecs: 5 });
  expect(reply).toMatchObject({ was: 60, ok: 1 });
  const { ended } = await times;
  await runTo(asked, 81);
  expect(ended).toEqual([60.001, 70, 75.001, 80.002]);
  const at = (secs: number) => ({ $date: new Date(Date.UTC(2025, 0, 1) + secs * 1000).toISOString() });
  expect(logged(asked, [7005501])).toMatchObject([
    { s: 'I', c: 'INDEX', ctx: 'TTLMonitor', attr: { oldDeadline: at(120.001), newDeadline: at(65.001) } },
  ]);
});

test('a sleep that begins between two milliseconds ends on one', async () => {
  const asked = await slowDeletes({ costs: { deleteMicros: 1_000_400 } });
  await expiring(asked, 'c', 1);
  const { begun, ended } = await passTimes(asked, 130);
  expect(ended[0]).toBe(61.001_4);
  expect(begun[1]).toBe(121.002);
});

test.for<[what: string, stop: (asked: AskedSet) => Promise<unknown>, goOn: (asked: AskedSet) => Promise<unknown>]>([
  ['disabled', (asked) => set(asked, { ttlMonitorEnabled: false }), (asked) => set(asked, { ttlMonitorEnabled: true })],
  [
    'fsync-locked',
    (asked) => asked.ok('n1', { fsync: 1, lock: true }, 'admin'),
    (asked) => asked.ok('n1', { fsyncUnlock: 1 }, 'admin'),
  ],
])('%s, a wake-up uses its interval up and counts nothing; going on wakes nobody', async ([, stop, goOn]) => {
  const asked = await slowDeletes();
  await stop(asked);
  const times = passTimes(asked, 70);
  await times;
  await goOn(asked);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 0, subPasses: 0 });
  await runTo(asked, 130);
  expect((await times).ended).toEqual([120.002]);
});

describe('parameters at run time', () => {
  test.for<[name: string, value: unknown, was: unknown]>([
    ['ttlMonitorEnabled', false, true],
    ['ttlMonitorSleepSecs', 1, 60],
    ['ttlMonitorBatchDeletes', false, true],
    ['ttlMonitorSubPassTargetSecs', 0, 60],
    ['ttlIndexDeleteTargetTimeMS', 5, 1000],
    ['ttlIndexDeleteTargetDocs', 0, 50_000],
    ['ttlCollLowPrioritySubpassLimit', 0, 5],
    ['batchedDeletesTargetBatchDocs', 0, 10],
    ['batchedDeletesTargetBatchTimeMS', 0, 5],
    ['batchedDeletesTargetStagedDocBytes', 1, 2_097_152],
  ])('%s: it was there, is changed, and is read back', async ([name, value, was]) => {
    const asked = await AskedSet.start([{ name: 'n1', standalone: true }]);
    expect(asked.now('n1', { setParameter: 1, [name]: value })).toEqual({ was, ok: 1 });
    expect(asked.now('n1', { getParameter: 1, [name]: 1 })).toEqual({ [name]: value, ok: 1 });
  });

  test.for<[version: MongodVersion, name: string]>([
    ['3.2', 'ttlMonitorBatchDeletes'],
    ['3.2', 'ttlIndexDeleteTargetDocs'],
    ['8.2', 'ttlCollLowPrioritySubpassLimit'],
  ])('%s does not know %s', async ([version, name]) => {
    const asked = await slowDeletes({ version });
    expect(asked.now('n1', { setParameter: 1, [name]: 1 })).toMatchObject({ ok: 0, code: 72 });
    expect(asked.now('n1', { getParameter: 1, [name]: 1 })).toMatchObject({ ok: 0 });
  });

  test('one out of bounds is refused, and nothing changes; at startup the process does not come up', async () => {
    const asked = await slowDeletes();
    const errmsg = 'Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0';
    expect(asked.now('n1', { setParameter: 1, ttlMonitorSleepSecs: 0 })).toMatchObject({ ok: 0, code: 2, errmsg });
    const batches = { setParameter: 1, batchedDeletesTargetBatchDocs: -1 };
    expect(asked.now('n1', batches).errmsg).toContain('-1 is not greater than or equal to 0');
    expect(asked.now('n1', { getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({ ttlMonitorSleepSecs: 60 });
    await expect(slowDeletes({ parameters: { ttlMonitorSleepSecs: 0 } })).rejects.toThrow('not greater than 0');
  });

  test('targets that change during a pass count from the next visit on', async () => {
    const asked = await slowDeletes();
    await expiring(asked, 'c', 4);
    await expiring(asked, 'd', 6);
    await runTo(asked, 61);
    await set(asked, { batchedDeletesTargetBatchDocs: 3 });
    await runTo(asked, 66.9);
    // c went on in twos, from 60 to 64 s; d is at its first three.
    expect([idsOf(asked, 'c').length, idsOf(asked, 'd').length]).toEqual([0, 6]);
    await runTo(asked, 67.1);
    expect(idsOf(asked, 'd').length).toBe(3);
  });
});

describe('hangTTLMonitorBetweenPasses', () => {
  const HANG = 'hangTTLMonitorBetweenPasses';

  test('{ skip: n } lets n passes through, whatever woke the monitor', async () => {
    const asked = await slowDeletes();
    await failPoint(asked, HANG, { skip: 3 });
    const times = passTimes(asked, 70);
    await times;
    await set(asked, { ttlMonitorSleepSecs: 5 });
    await runTo(asked, 300);
    expect((await times).ended).toEqual([60.001, 70, 75.001]);
    expect(await failPoint(asked, HANG, 'off')).toMatchObject({ ok: 1 });
    expect((await times).ended).toEqual([60.001, 70, 75.001, 300]);
  });

  test.for([
    [1, 60.101],
    [3, 60.301],
  ])('{ times: %d } holds the monitor up for as many tenths of a second', async ([times, first]) => {
    const asked = await slowDeletes();
    await failPoint(asked, HANG, { times });
    expect((await passTimes(asked, 70)).ended).toEqual([first]);
  });

  test('the pass has the time of its release', async () => {
    const asked = await slowDeletes({ version: '8.2' });
    await expiring(asked, 'c', 0);
    await failPoint(asked, HANG, 'alwaysOn');
    // Due at 80 s.
    const at = new Date(asked.set.wallMs('n1') + 20_000 - asked.set.nowMicros / 1000);
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at }] });
    await runTo(asked, 90);
    await failPoint(asked, HANG, 'off');
    await asked.pass(2000);
    expect(idsOf(asked, 'c')).toEqual([]);
  });

  test('killOp ends it there: nothing is counted, a warning is logged, and the next interval goes on', async () => {
    const asked = await slowDeletes();
    await failPoint(asked, HANG, 'alwaysOn');
    const times = passTimes(asked, 70);
    await times;
    const [hanging] = operations(asked);
    expect(hanging).toMatchObject({ desc: 'TTLMonitor', op: 'none', ns: '', command: {}, secs_running: 9 });
    await asked.ok('n1', { killOp: 1, op: hanging!.opid }, 'admin');
    await failPoint(asked, HANG, 'off');
    expect(operations(asked)).toEqual([]);
    expect(ttlMetrics(asked)).toMatchObject({ passes: 0, subPasses: 0 });
    expect(logged(asked, [22537])).toMatchObject([
      { s: 'W', attr: { interruption: { code: 11601, codeName: 'Interrupted' }, waitMillis: 60_000 } },
    ]);
    await runTo(asked, 140);
    expect((await times).ended).toEqual([130.001]);
  });

  test('a stepdown does not end it, as it holds no lock; the pass that follows is a secondary’s', async () => {
    const asked = await slowDeletes({ members: [{ name: 'n1' }] });
    await expiring(asked, 'c', 2);
    await failPoint(asked, HANG, 'alwaysOn');
    await runTo(asked, 65);
    await asked.ok('n1', { replSetStepDown: 30, force: true }, 'admin');
    expect(operations(asked)).toHaveLength(1);
    await failPoint(asked, HANG, 'off');
    await asked.pass(1000);
    expect(logged(asked, [22537])).toEqual([]);
    expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
    expect(idsOf(asked, 'c')).toEqual([1, 2]);
  });

  test('a shutdown does not wait for it', async () => {
    const asked = await slowDeletes();
    await failPoint(asked, HANG, 'alwaysOn');
    await runTo(asked, 65);
    asked.send('n1', { shutdown: 1, force: true }, 'admin');
    await asked.until(() => !asked.set.status('n1').running, 20_000);
  });
});

describe('hangTTLMonitorWithLock', () => {
  const HANG = 'hangTTLMonitorWithLock';

  test('is come by once a visit, and says so', async () => {
    const asked = await slowDeletes({ costs: { deleteMicros: 0 } });
    await expiring(asked, 'c', 1);
    await expiring(asked, 'd', 1);
    await failPoint(asked, HANG, 'alwaysOn');
    await runTo(asked, 70);
    expect(logged(asked, [22534])).toMatchObject([{ s: 'I', ctx: 'TTLMonitor', attr: { ttlPasses: 0 } }]);
    await failPoint(asked, HANG, 'off');
    expect(idsOf(asked, 'd')).toEqual([]);
    await failPoint(asked, HANG, { skip: 1 });
    await runTo(asked, 200);
    // The visit of c was let through, that of d hangs.
    expect(logged(asked, [22534])).toMatchObject([{ attr: { ttlPasses: 0 } }, { attr: { ttlPasses: 1 } }]);
  });

  test('a stepdown ends it, as it holds a lock', async () => {
    const asked = await slowDeletes({ members: [{ name: 'n1' }] });
    await expiring(asked, 'c', 2);
    await failPoint(asked, HANG, 'alwaysOn');
    await runTo(asked, 65);
    await asked.ok('n1', { replSetStepDown: 30, force: true }, 'admin');
    expect(operations(asked)).toEqual([]);
    expect(logged(asked, [22537])).toMatchObject([{ attr: { interruption: { code: 11602 } } }]);
    expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
  });

  test('killOp ends the pass', async () => {
    const asked = await slowDeletes();
    await expiring(asked, 'c', 2);
    await failPoint(asked, HANG, 'alwaysOn');
    await runTo(asked, 65);
    await asked.ok('n1', { killOp: 1, op: operations(asked)[0]!.opid }, 'admin');
    expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
    await failPoint(asked, HANG, 'off');
    await runTo(asked, 130);
    expect(idsOf(asked, 'c')).toEqual([]);
  });
});

function operations(asked: AskedSet): Doc[] {
  return asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog;
}

describe('the wall clock', () => {
  test.for<[what: string, change: (asked: AskedSet) => void, passes: number[]]>([
    ['an hour back: no pass for an hour', ({ set }) => set.jumpClock('n1', -3_600_000), [3660.001]],
    ['half a minute forward: the pass comes earlier', ({ set }) => set.jumpClock('n1', 30_000), [30.001, 90.002]],
    ['beyond the deadline: a pass at once', ({ set }) => set.jumpClock('n1', 3_600_000), [30, 90.001]],
    ['at twice its pace from there on', ({ set }) => set.driftClock('n1', 1_000_000), [45.000_5, 75.001]],
    ['at half its pace from there on', ({ set }) => set.driftClock('n1', -500_000), [90.002]],
    ['standing still: no pass', ({ set }) => set.driftClock('n1', -1_000_000), []],
  ])('at 30 s the clock is put %s', async ([, change, passes]) => {
    const asked = await slowDeletes();
    await runTo(asked, 30);
    change(asked);
    const until = Math.max(100, ...passes.map((secs) => secs + 0.5));
    expect((await passTimes(asked, until)).ended).toEqual(passes);
  });

  test('a clock that stands still and then runs on wakes the monitor', async () => {
    const asked = await slowDeletes();
    asked.set.driftClock('n1', -1_000_000);
    await runTo(asked, 100);
    asked.set.driftClock('n1', 0);
    expect((await passTimes(asked, 161)).ended).toEqual([160.001]);
  });

  test('a jump back lowers the limit, and nothing remembers the earlier one', async () => {
    const asked = await slowDeletes({ parameters: { ttlMonitorSleepSecs: 10 } });
    await expiring(asked, 'c', 0);
    // Due at 30 s of a right clock.
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: new Date(Date.UTC(2025, 0, 1) - 30_000) }] });
    await runTo(asked, 25);
    asked.set.jumpClock('n1', -5000);
    await runTo(asked, 34.9);
    expect(idsOf(asked, 'c')).toEqual([1]);
    await runTo(asked, 47);
    expect(idsOf(asked, 'c')).toEqual([]);
  });
});
