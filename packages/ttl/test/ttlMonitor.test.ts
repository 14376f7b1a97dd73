import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type TtlMember, type TtlVisit, ttlMetrics } from '../src/index.ts';
import { Driver, done, EPOCH_MS, failed, index, PRIMARY, SECONDARY } from './drive.ts';

const FIVE_SECONDS = () => ({ result: done(1), tookMicros: 5_000_000 });
const setSleepSecs = (value: number) => ({ type: 'parameterChanged', name: 'ttlMonitorSleepSecs', value }) as const;

test('the first pass comes one interval after the start, the next one interval after its end', () => {
  const monitor = new Driver().send(index('ttl')).start();
  monitor.answer = FIVE_SECONDS;
  monitor.runTo(200);
  expect(monitor.times('visit')).toEqual([60.001, 125.002, 190.003]);
  expect(monitor.times('ttlPassEnded')).toEqual([65.001, 130.002, 195.003]);
});

test('a shorter ttlMonitorSleepSecs counts from where the sleep began, and may wake the monitor at once', () => {
  const monitor = new Driver().send(index('ttl')).start().runTo(70);
  monitor.send(setSleepSecs(5));
  expect(monitor.times('visit')).toEqual([60.001, 70]);
  const [changed] = monitor.effects('log').filter(({ line }) => line.id === 7005501);
  expect(changed?.line.attr).toEqual({
    oldDeadline: new Date(EPOCH_MS + 120_001),
    newDeadline: new Date(EPOCH_MS + 65_001),
  });
  expect(monitor.runTo(80).times('visit')).toEqual([60.001, 70, 75.001]);
});

test.for([
  { to: 100, at: 20, wakes: [100.001] }, // longer
  { to: 30, at: 20, wakes: [30.001] }, // shorter, still to come
  { to: 30, at: 30, wakes: [30.001] }, // the deadline itself is not past
  { to: 30, at: 40, wakes: [40] },
  { to: 60, at: 40, wakes: [60.001] }, // no change
])('sleepSecs $to from $at s on: $wakes', ({ to, at, wakes }) => {
  const monitor = new Driver().start().runTo(at).send(setSleepSecs(to)).runTo(110);
  expect(monitor.times('ttlPassEnded').slice(0, 1)).toEqual(wakes);
  expect(monitor.logIds().includes(7005501)).toBe(to !== 60);
});

test('changed during a pass, sleepSecs counts for the next sleep', () => {
  const monitor = new Driver().send(index('ttl')).start();
  monitor.answer = FIVE_SECONDS;
  monitor.runTo(62).send(setSleepSecs(10)).runTo(76);
  expect(monitor.times('visit')).toEqual([60.001, 75.002]);
  expect(monitor.logIds()).not.toContain(7005501);
});

test('3.2 sleeps to the second, and to the end', () => {
  const monitor = new Driver({ traits: VERSIONS['3.2'] }).start().runTo(10).send(setSleepSecs(5)).runTo(70);
  expect(monitor.times('ttlPassEnded')).toEqual([60, 65, 70]);
  expect(monitor.logIds()).not.toContain(7005501);
});

test.for(['4.4', '6.0'] as const)('%s sleeps to a deadline, which a new value does not move', (version) => {
  const monitor = new Driver({ traits: VERSIONS[version] }).start().runTo(10).send(setSleepSecs(5)).runTo(70);
  expect(monitor.times('ttlPassEnded')).toEqual([60, 65, 70]);
  expect(monitor.logIds()).not.toContain(7005501);
});

test.for([0, -5])('3.2 takes a sleep of %d s, and time goes on', (seconds) => {
  const monitor = new Driver({ traits: VERSIONS['3.2'] }).send(setSleepSecs(seconds)).start().runTo(0.01);
  expect(monitor.times('ttlPassEnded').length).toBe(10);
});

test('an alarm that goes off early is set again', () => {
  const monitor = new Driver().start().runTo(20).send({ type: 'timer' }).runTo(61);
  expect(monitor.effects('setAlarm').slice(0, 2)).toEqual([
    { type: 'setAlarm', wallMs: EPOCH_MS + 60_001 },
    { type: 'setAlarm', wallMs: EPOCH_MS + 60_001 },
  ]);
  expect(monitor.times('ttlPassEnded')).toEqual([60.001]);
});

test.for<[version: MongodVersion, jumpMs: number, passes: number[]]>([
  ['8.0', -3_600_000, [3660.001]], // an hour back: an hour without a pass
  ['8.0', 20_000, [40.001, 100.002]],
  ['8.0', 3_600_000, [30, 90.001]], // the deadline lies in the past at once
  ['6.0', -3_600_000, [3660]],
  ['6.0', 20_000, [40, 100]],
  ['3.2', -3_600_000, [60, 120]],
  ['3.2', 3_600_000, [60, 120]],
])('%s sleeps when its clock jumps by %d ms', ([version, jumpMs, passes]) => {
  const monitor = new Driver({ traits: VERSIONS[version] }).start().runTo(30).jump(jumpMs);
  monitor.runTo(Math.max(125, ...passes));
  expect(monitor.times('ttlPassEnded')).toEqual(passes);
});

test.for([
  ['disabled', true, 22529],
  ['fsync-locked', false, 22530],
] as const)('%s: the interval is used up and nothing counted', ([, disabled, logId]) => {
  const monitor = new Driver({
    member: { ...PRIMARY, fsyncLocked: !disabled },
    parameters: { ttlMonitorEnabled: !disabled },
  });
  monitor.send(index('ttl')).start().runTo(100);
  // Neither turning it on nor unlocking wakes the monitor.
  monitor.send({ type: 'parameterChanged', name: 'ttlMonitorEnabled', value: true });
  monitor.send({ type: 'memberChanged', member: PRIMARY }).runTo(120);
  expect(monitor.effects('visit')).toEqual([]);
  expect(monitor.state.metrics).toMatchObject({ passes: 0, subPasses: 0 });
  expect(monitor.logIds()).toEqual([22528, logId]);
  expect(monitor.runTo(121).times('visit')).toEqual([120.002]);
});

const draining: TtlMember = { ...PRIMARY, acceptsWrites: false };
const member = (memberState: TtlMember['memberState']): TtlMember => ({ ...SECONDARY, memberState });

test.for<[what: string, member: TtlMember, version: MongodVersion, visits: number, passes: number, subPasses: number]>([
  ['standalone', { ...PRIMARY, memberState: 'STANDALONE' }, '8.2', 1, 1, 1],
  ['standalone', { ...PRIMARY, memberState: 'STANDALONE' }, '8.0', 1, 1, 1],
  ['primary', PRIMARY, '8.2', 1, 1, 1],
  ['primary', PRIMARY, '8.0', 1, 1, 1],
  ['primary', PRIMARY, '3.2', 1, 1, 1],
  ['primary, draining', draining, '8.2', 0, 1, 1],
  ['primary, draining', draining, '8.0', 0, 1, 1],
  ['secondary', SECONDARY, '8.2', 0, 0, 0],
  ['secondary', SECONDARY, '8.0', 0, 1, 1],
  ['secondary', SECONDARY, '7.0', 0, 1, 1],
  ['secondary', SECONDARY, '3.2', 0, 1, 1],
  ['startup', member('STARTUP'), '8.2', 0, 0, 0],
  ['startup', member('STARTUP'), '8.0', 0, 1, 0],
  ['initial sync', member('STARTUP2'), '8.2', 0, 0, 0],
  ['initial sync', member('STARTUP2'), '8.0', 0, 1, 0],
  ['initial sync', member('STARTUP2'), '3.2', 0, 0, 0],
  ['recovering', member('RECOVERING'), '8.2', 0, 0, 0],
  ['recovering', member('RECOVERING'), '8.0', 0, 1, 0],
  ['rollback', member('ROLLBACK'), '8.2', 0, 0, 0],
  ['rollback', member('ROLLBACK'), '8.0', 0, 1, 0],
  ['arbiter', member('ARBITER'), '8.2', 0, 0, 0],
  ['arbiter', member('ARBITER'), '8.0', 0, 1, 0],
])('%s on %3$s', ([, member, version, visits, passes, subPasses]) => {
  const monitor = new Driver({ member, traits: VERSIONS[version] }).send(index('ttl')).start().runTo(61);
  expect(monitor.effects('visit')).toHaveLength(visits);
  expect(monitor.state.metrics).toMatchObject({ passes, subPasses });
  expect(monitor.effects('ttlPassEnded')).toHaveLength(passes);
  expect(monitor.logIds().filter((id) => id !== 22528 && id !== 22536)).toEqual([]); // silent at default verbosity
});

test.for<[version: MongodVersion, member: TtlMember, visits: number]>([
  ['8.0', SECONDARY, 1],
  ['8.2', SECONDARY, 0],
  ['8.2', draining, 1],
])('%s: a TTL index in local, no writes elsewhere', ([version, member, visits]) => {
  const monitor = new Driver({ member, traits: VERSIONS[version] });
  monitor
    .send(index('a', 'c1'))
    .send(index('b', 'c2', true))
    .start()
    .runTo(61);
  expect(monitor.effects('visit').map(({ indexName }) => indexName)).toEqual(['b'].slice(0, visits));
});

test('a standalone on replica-set data never starts, and is otherwise as usual', () => {
  const monitor = new Driver({ member: { ...PRIMARY, memberState: 'STANDALONE' } });
  monitor.send(index('ttl')).start({ mode: 'standalone', hasReplSetConfig: true }).runTo(100);
  monitor.send(setSleepSecs(1)).send({ type: 'timer' }).runTo(200);
  monitor.send({ type: 'stopped' });
  expect(monitor.seen).toEqual([]);
  expect(monitor.state.parameters.ttlMonitorSleepSecs).toBe(1);
  expect(ttlMetrics(monitor.state)).toMatchObject({ passes: 0, subPasses: 0, deletedDocuments: 0 });
});

test('a new primary deletes at its own next wake-up', () => {
  const monitor = new Driver({ member: SECONDARY, traits: VERSIONS['8.2'] }).send(index('ttl')).start().runTo(70);
  monitor.send({ type: 'memberChanged', member: PRIMARY }).runTo(130);
  expect(monitor.times('visit')).toEqual([120.002]);
});

test('the fail point holds the monitor back before the pass, whose time is that of its release', () => {
  const monitor = new Driver({ traits: VERSIONS['8.2'] }).send(index('ttl')).start();
  monitor.hangs = true;
  monitor.runTo(100);
  expect(monitor.state.metrics.passes).toBe(0);
  monitor.hangs = false;
  monitor.send({ type: 'passBegins' });
  expect(monitor.effects('visit')).toMatchObject([{ wallMs: EPOCH_MS + 100_000 }]);
  expect(monitor.runTo(165).times('visit')).toEqual([100, 160.001]);
});

test.for([0, 62])('stopped at %d s, it says so and does nothing more', (secs) => {
  const monitor = new Driver().send(index('ttl')).start();
  monitor.answer = FIVE_SECONDS;
  monitor.runTo(secs).send({ type: 'stopped' }).runTo(500);
  expect(monitor.logIds().slice(-2)).toEqual([3684100, 3684101]);
  expect(monitor.times('ttlPassEnded')).toEqual([]);
  expect(monitor.effects('cancelTimer')).toHaveLength(secs === 0 ? 1 : 0);
});

test.for<[version: MongodVersion, names: string[]]>([
  ['8.2', ['deletedDocuments', 'invalidTTLIndexSkips', 'passes', 'subPasses']],
  ['8.0', ['collSubpassesIncreasedPriority', 'deletedDocuments', 'passes', 'subPasses']],
  ['3.2', ['deletedDocuments', 'passes']],
])('serverStatus of %s shows %o', ([version, names]) => {
  expect(Object.keys(ttlMetrics(new Driver({ traits: VERSIONS[version] }).state))).toEqual(names);
});

test('a stepdown during a visit interrupts the pass, which counts, and the monitor sleeps on', () => {
  const monitor = new Driver().send(index('a')).send(index('b')).start();
  monitor.answer = () => ({ result: failed(11602, true), tookMicros: 2_000_000 });
  monitor.runTo(61).send({ type: 'memberChanged', member: SECONDARY }).runTo(130);
  expect(monitor.times('visit')).toEqual([60.001]);
  expect(monitor.effects('log').find(({ line }) => line.id === 22537)?.line).toMatchObject({
    severity: 'W',
    attr: { waitMillis: 60_000, interruption: { code: 11602, codeName: 'InterruptedDueToReplStateChange' } },
  });
  expect(monitor.times('ttlPassEnded')).toEqual([62.001, 122.002]);
  expect(monitor.effects('ttlPassEnded')[0]).toMatchObject({
    deleted: 0,
    subPasses: 1,
    memberState: 'SECONDARY',
    error: expect.stringContaining('InterruptedDueToReplStateChange'),
  });
  expect(monitor.state.metrics).toMatchObject({ passes: 2, subPasses: 2, deletedDocuments: 0 });
});

test('the answer to another visit than the one under way says nothing', () => {
  const monitor = new Driver();
  monitor.answer = () => ({ result: done(1), tookMicros: 5_000_000 });
  monitor.send(index('ttl')).start().runTo(61);
  const { state } = monitor;
  const [{ visit }] = monitor.effects('visit') as [TtlVisit];
  monitor.send({ type: 'visitEnded', visit: visit - 1, result: done(7) });
  expect(monitor.state).toBe(state);
});
