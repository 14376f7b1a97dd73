import type { ClientTrace } from '@replsim/protocol';
import { beforeEach, expect, test } from 'vitest';
import { Ledgers } from '../../src/workload/ledgers.ts';
import { at, insertOf, LSID, noop, Tracing } from './tracing.ts';

let ledgers: Ledgers;
let trace: Tracing;
beforeEach(() => {
  ledgers = new Ledgers();
  trace = new Tracing((event) => ledgers.observe(event));
  trace.config('n1', 'n2', 'n3');
  trace.time(1);
  trace.elects('n1', 1, ['n2', 'n3'], 1);
  trace.fetches('n2', noop(at(1, 1)));
  trace.fetches('n3', noop(at(1, 1)));
});

const begin = (workload: string, operation: 'insert' | 'find' = 'insert') =>
  trace.run({ type: 'workloadStarted', workload, operation, everyMicros: 100_000, ns: 'app.c', concern: '{ w: 1 }' });
type Told = Partial<Extract<ClientTrace, { type: 'clientTold' }>>;
/** One attempt of one turn of w, with the turn as its number. */
const sent = (turn: number, server = 'n1', attempt = 1) =>
  trace.run({ type: 'clientSent', workload: 'w', turn, attempt, server, lsid: LSID, txnNumber: turn });
const told = (turn: number, outcome: 'acknowledged' | 'error' | 'unknown', more: Told = {}) =>
  trace.run({
    type: 'clientTold',
    workload: 'w',
    turn,
    sinceMicros: trace.nowMicros - 500_000,
    outcome,
    server: 'n1',
    ...more,
  });
/** n1 carries out a turn of w as entry `i`, and acknowledges it. */
const write = (turn: number, i: number) => {
  sent(turn);
  trace.writes('n1', insertOf(at(1, i), turn, turn));
  told(turn, 'acknowledged');
};
const counts = () => ledgers.counts('w', trace.nowMicros)!;
const operation = (turn: number) => ledgers.reports(trace.nowMicros)[0]!.operations.find((each) => each.turn === turn)!;

test('what was told is counted, each outcome by itself', () => {
  begin('w');
  expect(counts()).toMatchObject({ sent: 0, acknowledged: 0 });
  write(1, 2);
  sent(2);
  told(2, 'error', { error: { name: 'MongoServerError', code: 11000, message: 'E11000' } });
  sent(3);
  told(3, 'unknown', { error: { name: 'MongoNetworkError', message: 'connection closed' } });
  sent(4);
  expect(counts()).toMatchObject({ sent: 4, acknowledged: 1, lost: 0, errors: 1, unknown: 1, reads: 0 });
  expect(operation(2)).toMatchObject({ outcome: 'error', error: { code: 11000 }, survives: false });
  expect(operation(4)).toMatchObject({ outcome: 'underWay', attempts: 1 });
});

test('an acknowledged write is lost by the election whose winner did not hold it', () => {
  begin('w');
  trace.time(2);
  write(1, 2);
  trace.fetches('n2', insertOf(at(1, 2), 1, 1));
  trace.flushes('n2', at(1, 2));
  trace.time(3);
  write(2, 3);
  expect(counts().lost).toBe(0);
  trace.time(10);
  trace.elects('n2', 2, ['n3'], 4);
  trace.time(11);
  // n1 does not know yet, and goes on saying yes.
  write(3, 4);
  expect(counts()).toMatchObject({ acknowledged: 3, lost: 2 });
  trace.time(20);
  trace.rollsBack('n1', at(1, 4), at(1, 2));
  const lost = { term: 2, primary: 'n2', electedMicros: 10e6, keptBy: '{ w: "majority" }' };
  expect(operation(1)).toMatchObject({ survives: true, opTime: at(1, 2) });
  expect(operation(2)).toMatchObject({
    survives: false,
    heldBy: { written: ['n1'], durable: [] },
    lost,
    rolledBack: [{ member: 'n1', atMicros: 20e6 }],
  });
  expect(ledgers.reports(trace.nowMicros)[0]!.losses).toEqual([
    { writes: 2, server: 'n1', fromMicros: 3e6, toMicros: 11e6, heldBy: [1, 1], ...lost },
  ]);
});

test.for([
  ['before the write', 2, '{ w: "majority" }'],
  ['between the write and the vote', 4, '{ w: 1, j: true }'],
  ['after the election', 11, '{ w: "majority" }'],
] as const)('a member that was started anew %s', ([, startedSeconds, keptBy]) => {
  begin('w');
  const startAt = (seconds: number) => {
    if (seconds !== startedSeconds) return;
    trace.time(seconds);
    trace.starts('n1', at(1, 1));
  };
  startAt(2);
  trace.time(3);
  write(1, 2);
  startAt(4);
  trace.time(10);
  // Everybody votes for it, the writer too.
  trace.elects('n2', 2, ['n1', 'n3'], 3);
  startAt(11);
  expect(operation(1).lost).toMatchObject({ term: 2, keptBy });
});

test('a majority that a forced config passes over: the ledger names it, and how many would have had to hold the write', () => {
  trace.config('n1', 'n2', 'n3', 'n4', 'n5');
  for (const member of ['n4', 'n5']) trace.fetches(member, noop(at(1, 1)));
  begin('w');
  trace.time(2);
  write(1, 2);
  for (const member of ['n2', 'n3']) trace.fetches(member, insertOf(at(1, 2), 1, 1));
  trace.time(3);
  write(2, 3);
  trace.time(4);
  for (const member of ['n4', 'n5']) trace.forces(member, 40_000, 'n4', 'n5');
  trace.time(10);
  trace.elects('n4', 2, ['n5'], 4);
  const forced = { version: 40_000, member: 'n4', atMicros: 4e6, without: ['n1', 'n2', 'n3'] };
  expect(operation(1)).toMatchObject({ lost: { term: 2, primary: 'n4', forced, keptBy: '{ w: 4 }' } });
  expect(ledgers.reports(trace.nowMicros)[0]!.losses).toMatchObject([{ writes: 2, forced, keptBy: '{ w: 4 }' }]);
});

test('a forced config that all had before the write changes nothing of what a majority means', () => {
  for (const member of ['n1', 'n2', 'n3']) trace.forces(member, 40_000, 'n1', 'n2', 'n3');
  begin('w');
  trace.time(2);
  write(1, 2);
  trace.elects('n2', 2, ['n3'], 4);
  expect(operation(1).lost).toMatchObject({ keptBy: '{ w: "majority" }' });
  expect(operation(1).lost).not.toHaveProperty('forced');
});

test('a forced config that leaves the voters a majority of before changes nothing either', () => {
  begin('w');
  trace.time(2);
  write(1, 2);
  trace.time(3);
  for (const member of ['n2', 'n3']) trace.forces(member, 40_000, 'n2', 'n3');
  trace.time(10);
  trace.elects('n2', 2, ['n3'], 4);
  expect(operation(1).lost).toMatchObject({ keptBy: '{ w: "majority" }' });
  expect(operation(1).lost).not.toHaveProperty('forced');
});

test('what one election lost another may bring back', () => {
  begin('w');
  write(1, 2);
  trace.elects('n2', 2, ['n3'], 3);
  expect(counts().lost).toBe(1);
  trace.elects('n1', 3, ['n3'], 4);
  expect(counts().lost).toBe(0);
});

test('a retry that the next primary carries out counts, not what the first left behind', () => {
  begin('w');
  sent(1);
  trace.writes('n1', insertOf(at(1, 2), 1, 1));
  trace.elects('n2', 2, ['n3'], 3);
  sent(1, 'n2', 2);
  trace.writes('n2', insertOf(at(2, 4), 1, 1));
  told(1, 'acknowledged', { server: 'n2' });
  expect(counts()).toMatchObject({ sent: 1, acknowledged: 1, lost: 0 });
  expect(operation(1)).toMatchObject({ attempts: 2, opTime: at(2, 4), survives: true });
});

test('a write of unknown outcome was carried out or not; the ledger knows', () => {
  begin('w');
  sent(1);
  trace.writes('n1', insertOf(at(1, 2), 1, 1));
  told(1, 'unknown');
  sent(2);
  told(2, 'unknown');
  expect([operation(1).survives, operation(2).survives]).toEqual([true, false]);
  trace.elects('n2', 2, ['n3'], 3);
  // It was never acknowledged, so nobody was promised anything.
  expect(counts()).toMatchObject({ unknown: 2, lost: 0 });
  expect(operation(1).survives).toBe(false);
});

test('a write without a number is known by what its reply said', () => {
  begin('w');
  trace.writes('n1', insertOf(at(1, 2), 1), insertOf(at(1, 3), 2));
  trace.fetches('n2', insertOf(at(1, 2), 1));
  told(1, 'acknowledged', { operationTime: at(1, 2).ts });
  told(2, 'acknowledged', { opTime: at(1, 3) });
  trace.elects('n2', 2, ['n3'], 4);
  expect([operation(1).survives, operation(2).survives]).toEqual([true, false]);
});

// --- reads ------------------------------------------------------------------------------------------------------------

const read = (turn: number, server: string, i: number, term: number, ids: number[]) =>
  told(turn, 'read' as never, { server, operationTime: at(term, i).ts, ids: ids.map(String) });

test('a read was dirty if it showed what a lost write had left', () => {
  begin('w', 'find');
  trace.writes('n1', insertOf(at(1, 2), 1), insertOf(at(1, 3), 2));
  trace.fetches('n2', insertOf(at(1, 2), 1));
  read(1, 'n1', 3, 1, [1, 2]);
  read(2, 'n1', 3, 1, [1]);
  read(3, 'n2', 2, 1, [1]);
  expect(counts()).toMatchObject({ reads: 3, dirtyReads: 0 });
  trace.elects('n2', 2, ['n3'], 4);
  expect(counts()).toMatchObject({ reads: 3, dirtyReads: 1 });
  expect(operation(1)).toMatchObject({ outcome: 'read', dirty: true, stale: false });
});

test('a read is not dirty for what was written after it', () => {
  begin('w', 'find');
  trace.writes('n1', insertOf(at(1, 2), 1));
  trace.fetches('n2', insertOf(at(1, 2), 1));
  read(1, 'n1', 2, 1, [1]);
  // The same document again, in an entry that is lost.
  trace.writes('n1', insertOf(at(1, 3), 1));
  trace.elects('n2', 2, ['n3'], 4);
  expect(counts().dirtyReads).toBe(0);
});

test('a read was stale if it missed what a majority had acknowledged before it began', () => {
  begin('w', 'find');
  trace.time(2);
  trace.writes('n1', insertOf(at(1, 2), 1));
  trace.fetches('n2', insertOf(at(1, 2), 1));
  trace.time(3);
  trace.member('n1', { type: 'writeAcknowledged', opTime: at(1, 2), w: 'majority', majority: true });
  trace.time(3.4);
  read(1, 'n3', 1, 1, []);
  trace.time(4);
  read(2, 'n3', 1, 1, []);
  read(3, 'n2', 2, 1, [1]);
  // The first began 100 ms before the write was acknowledged.
  expect(ledgers.reports(trace.nowMicros)[0]!.operations.map(({ stale }) => stale)).toEqual([false, true, false]);
  expect(counts().staleReads).toBe(1);
});

test('only writes on what is read count, and only those of a majority', () => {
  begin('w', 'find');
  trace.time(2);
  trace.writes('n1', insertOf(at(1, 2), 1));
  trace.member('n1', { type: 'writeAcknowledged', opTime: at(1, 2), w: 1, majority: false });
  trace.time(3);
  read(1, 'n3', 1, 1, []);
  trace.writes('n1', noop(at(1, 3)));
  trace.member('n1', { type: 'writeAcknowledged', opTime: at(1, 1), w: 'majority', majority: true });
  trace.time(4);
  read(2, 'n3', 1, 1, []);
  expect(counts().staleReads).toBe(0);
});

const outages = () => {
  const { unservedMs, longestUnservedMs, withoutPrimaryMs, longestWithoutPrimaryMs } = counts();
  return [unservedMs, longestUnservedMs, withoutPrimaryMs, longestWithoutPrimaryMs];
};
const failure = { error: { name: 'MongoServerSelectionError', message: 'none' } };
const accepts = (member: string, value = true) => trace.member(member, { type: 'acceptsWrites', value, term: 1 });

test('an outage lasts from the asking to the next acknowledgement, if that takes more than a second', () => {
  accepts('n1');
  begin('w');
  write(1, 2);
  expect(outages()).toEqual([0, 0, 0, 0]);
  // The next turn was to be at 1.1 s.
  trace.time(2.1);
  expect(outages()).toEqual([0, 0, 0, 0]);
  trace.time(3.1);
  expect(outages()).toEqual([2000, 2000, 0, 0]);
  told(2, 'error', failure);
  trace.time(4.1);
  told(3, 'unknown', failure);
  expect(outages()).toEqual([3000, 3000, 0, 0]);
  write(4, 3);
  trace.time(6.2);
  expect(outages()).toEqual([5000, 3000, 0, 0]);
  // What was never meant to be acknowledged is as good as if it were.
  told(5, 'unknown');
  trace.run({ type: 'workloadStopped', workload: 'w' });
  trace.time(20);
  expect(outages()).toEqual([5000, 3000, 0, 0]);
});

test('the operation that is under way at the stop counts to its end', () => {
  accepts('n1');
  begin('w');
  trace.time(2);
  trace.run({ type: 'workloadStopped', workload: 'w' });
  trace.time(4);
  told(1, 'error', failure);
  trace.time(9);
  expect(outages()).toEqual([3000, 3000, 0, 0]);
});

test('the time without a primary is that in which nobody who runs accepts writes', () => {
  trace.time(0);
  begin('w');
  trace.time(1);
  expect(outages()).toEqual([0, 0, 1000, 1000]);
  accepts('n1');
  trace.time(2);
  accepts('n2');
  accepts('n1', false);
  trace.time(3);
  trace.member('n2', { type: 'processPaused' });
  trace.time(5);
  trace.member('n2', { type: 'processResumed' });
  trace.time(6);
  trace.member('n2', { type: 'processStopped', how: 'killed' });
  trace.time(9.5);
  write(1, 2);
  trace.run({ type: 'workloadStopped', workload: 'w' });
  trace.time(30);
  expect(outages().slice(2)).toEqual([6500, 3500]);
});
