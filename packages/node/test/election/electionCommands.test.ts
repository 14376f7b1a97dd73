import { DEFAULT_COSTS } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { type Doc, holding, LoneMember } from '../loneMember.ts';

// Every error of the commands about who is primary.

const ahead = { peers: { heartbeat: holding({ ts: { t: 4_000_000_000, i: 1 }, t: 0 }) } };
const startup = () => new LoneMember();
const secondary = () => LoneMember.initiated(2);
const primary = () => LoneMember.primary(2);
/** Everybody is level and up, but nobody says it may stand. */
const lonelyPrimary = () => {
  const member = LoneMember.primary(2);
  for (const peer of member.peers.values()) peer.heartbeat = { electable: false };
  member.advance(2500);
  return member;
};
const catchingUp = () => {
  const member = LoneMember.initiated(2, {}, ahead);
  member.advance(12_000);
  return member;
};
const candidate = () => {
  const member = LoneMember.initiated(2, {}, { peers: { vote: 'silence' } });
  member.advance(10_100);
  return member;
};

describe('errors', () => {
  test.for<[command: Doc, on: string, start: () => LoneMember, code: number]>([
    [{ replSetStepDown: -1 }, 'a primary', primary, 2],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 'x' }, 'a primary', primary, 14],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: null }, 'a primary', primary, 14],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 1.5 }, 'a primary', primary, 2],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: -1 }, 'a primary', primary, 2],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 61 }, 'a primary', primary, 2],
    [{ replSetStepDown: 5 }, 'a primary: the default period is 10', primary, 2],
    [{ replSetStepDown: 60 }, 'a secondary', secondary, 10107],
    [{ replSetStepDown: 60 }, 'a process without config', startup, 94],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 0 }, 'a primary without heir', lonelyPrimary, 262],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 2 }, 'a primary without heir', lonelyPrimary, 262],
    [{ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 5, force: true }, 'a primary without heir: too late', lonelyPrimary, 262], // biome-ignore format: one line
    [{ replSetStepDown: 60, maxTimeMS: 500 }, 'a primary without heir', lonelyPrimary, 50],
    [{ replSetStepUp: 1 }, 'one who stands already', candidate, 125],
    [{ replSetStepUp: 1 }, 'a process without config', startup, 94],
    [{ replSetFreeze: 10 }, 'a primary', primary, 95],
    [{ replSetFreeze: 0 }, 'a candidate', candidate, 95],
    [{ replSetMaintenance: true }, 'a primary', primary, 95],
    [{ replSetMaintenance: true }, 'a candidate', candidate, 95],
    [{ replSetMaintenance: false }, 'one who is not in it', secondary, 96],
    [{ replSetAbortPrimaryCatchUp: 1 }, 'a secondary', secondary, 10107],
    [{ replSetAbortPrimaryCatchUp: 1 }, 'a writable primary', primary, 20],
    [{ shutdown: 1 }, 'a primary without heir', lonelyPrimary, 262],
    [{ shutdown: 1, timeoutSecs: 'x' }, 'a secondary', secondary, 14],
  ])('%j on %s', ([command, , start, code]) => {
    const member = start();
    const before = member.mongod.memberState();
    expect(member.run(command)).toMatchObject({ ok: 0, code });
    expect([member.mongod.memberState(), member.exited]).toEqual([before, false]);
    if (before === 'PRIMARY') expect(member.repl.elections.mode).not.toBe('AttemptingStepDown');
  });

  test.for(['replSetStepDown', 'replSetStepUp', 'replSetFreeze', 'replSetMaintenance', 'shutdown'])(
    '%s is for the admin database',
    (name) => {
      expect(secondary().run({ [name]: 1 }, 'app')).toMatchObject({ ok: 0, code: 13 });
    },
  );
});

describe('replSetStepDown', () => {
  test('a second attempt while one is under way: 117', () => {
    const member = lonelyPrimary();
    member.send({ replSetStepDown: 60 });
    member.advance(1);
    expect(member.run({ replSetStepDown: 60 })).toMatchObject({ code: 117 });
  });

  test('deposed while it waits: 189', () => {
    const member = lonelyPrimary();
    const command = member.send({ replSetStepDown: 60 });
    member.advance(100);
    member.vote(1, { term: 9, dryRun: true });
    expect(member.reply(command)).toMatchObject({ code: 189, codeName: 'PrimarySteppedDown' });
  });

  test('killed while it waits: writes go on', () => {
    const member = lonelyPrimary();
    const command = member.send({ replSetStepDown: 60 });
    member.advance(100);
    expect(member.run({ insert: 'c', documents: [{ _id: 1 }] }, 'app')).toMatchObject({ code: 10107 });
    for (const operation of member.mongod.scheduler.operations) {
      if (operation.waitingFor === 'stepDown') member.send({ killOp: 1, op: operation.opId });
    }
    expect(member.reply(command)).toMatchObject({ code: 11601 });
    expect(member.run({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 'app')).toMatchObject({
      ok: 1,
    });
  });

  test.for([
    { command: { replSetStepDown: 60, force: true }, tookMs: 0 },
    { command: { replSetStepDown: 60, force: true, secondaryCatchUpPeriodSecs: 7 }, tookMs: 7000 },
  ])('force waits its catch-up period: $command', ({ command, tookMs }) => {
    const member = lonelyPrimary();
    const before = member.nowMicros;
    const id = member.send(command);
    const tookMicros = member.until(() => member.replies.has(id)) - before;
    expect(member.replies.get(id)).toMatchObject({ ok: 1 });
    expect(tookMicros).toBe(tookMs * 1000 + DEFAULT_COSTS.commandMicros);
    expect(member.mongod.memberState()).toBe('SECONDARY');
    expect(member.asked('replSetStepUp')).toEqual([]);
  });

  test('it hands over to the electable, caught-up member of the highest priority', () => {
    const member = LoneMember.primary(3, { members: { 'c:1': { priority: 3 }, 'd:1': { priority: 5 } } });
    member.peers.get('d:1')!.heartbeat = { electable: false };
    member.advance(2500);
    member.run({ replSetStepDown: 60 });
    expect(member.asked('replSetStepUp')).toMatchObject([{ to: 'c:1', command: { skipDryRun: true } }]);
    expect(member.logged(21347)).toHaveLength(1);
  });

  test('fractions of priorities are forgotten, so a later, lower one may win', () => {
    const member = LoneMember.primary(2, { members: { 'b:1': { priority: 1.5 }, 'c:1': { priority: 1.2 } } });
    member.run({ replSetStepDown: 60 });
    expect(member.asked('replSetStepUp')).toMatchObject([{ to: 'c:1' }]);
  });

  test('enableElectionHandoff: false', () => {
    const member = LoneMember.primary(2, {}, { parameters: { enableElectionHandoff: false } });
    expect(member.run({ replSetStepDown: 60 })).toMatchObject({ ok: 1 });
    expect([member.asked('replSetStepUp'), member.logged(21346).length]).toEqual([[], 0]);
  });

  test('nothing written in the term: nobody is waited for, in the middle of catch-up', () => {
    const member = catchingUp();
    for (const peer of member.peers.values()) peer.up = false;
    expect(member.run({ replSetStepDown: 60 })).toMatchObject({ ok: 1 });
    expect(member.mongod.memberState()).toBe('SECONDARY');
  });

  test('nobody to hand over to: only the log tells', () => {
    const member = catchingUp();
    for (const peer of member.peers.values()) peer.heartbeat = { ...ahead.peers.heartbeat, state: 'RECOVERING' };
    member.advance(2500);
    expect(member.run({ replSetStepDown: 60 })).toMatchObject({ ok: 1 });
    expect([member.asked('replSetStepUp'), member.logged(21346).length]).toEqual([[], 1]);
  });

  test('a member that is caught up, but not SECONDARY, could not take over', () => {
    const member = primary();
    for (const peer of member.peers.values()) peer.heartbeat = { state: 'RECOVERING' };
    member.advance(2500);
    expect(member.run({ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 1 })).toMatchObject({ ok: 0, code: 262 });
  });

  test('it does not stand again before its time is over', () => {
    const member = primary();
    for (const peer of member.peers.values()) peer.vote = { voteGranted: false };
    member.send({ replSetStepDown: 35 });
    const steppedDownAt = member.until(() => member.mongod.memberState() === 'SECONDARY');
    member.traces.length = 0;
    const stands = () => member.traces.some(({ type }) => type === 'electionStarted');
    // Its timer runs out every ten seconds; three times it may not stand.
    expect(member.until(stands)).toBe(steppedDownAt + 40_000_000);
  });

  test('a member alone comes back when its time is over', () => {
    const member = LoneMember.primary(0);
    expect(member.run({ replSetStepDown: 30, force: true })).toMatchObject({ ok: 1 });
    member.advance(29_000);
    expect(member.mongod.acceptsWrites()).toBe(false);
    member.advance(1200);
    expect(member.mongod.acceptsWrites()).toBe(true);
    expect(member.repl.elections.metrics.byReason.freezeTimeout).toEqual({ called: 1, successful: 1 });
  });
});

describe('the others', () => {
  test('replSetStepUp', () => {
    const member = secondary();
    member.advance(600);
    expect(member.run({ replSetStepUp: 1 })).toMatchObject({ ok: 1 });
    expect(member.mongod.memberState()).toBe('PRIMARY');
    expect(member.run({ replSetStepUp: 1 })).toMatchObject({ ok: 1 });
    expect(member.logged(4615661)).toHaveLength(1);
  });

  test('replSetStepUp that is lost', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: { voteGranted: false } } });
    member.advance(600);
    expect(member.run({ replSetStepUp: 1 })).toMatchObject({ ok: 0, code: 125, errmsg: 'Election failed.' });
  });

  test.for<[secs: unknown, reply: Doc]>([
    [0, { ok: 1, info: 'unfreezing' }],
    ['x', { ok: 1, info: 'unfreezing' }],
    [1, { ok: 1, warning: 'you really want to freeze for only 1 second?' }],
    [30, { ok: 1 }],
    [-5, { ok: 1 }],
  ])('replSetFreeze %j', ([secs, reply]) => {
    expect(secondary().run({ replSetFreeze: secs })).toMatchObject(reply);
  });

  test('a frozen member does not stand, and a shorter freeze does not shorten a longer one', () => {
    const member = secondary();
    member.run({ replSetFreeze: 40 });
    member.run({ replSetFreeze: 5 });
    member.advance(39_000);
    expect(member.logged(4615652)).toEqual([]);
    expect(member.logged(4615655)).not.toEqual([]);
    member.advance(20_000);
    expect(member.logged(4615652)).not.toEqual([]);
  });

  test('a member alone that is unfrozen elects itself', () => {
    const member = LoneMember.primary(0);
    member.run({ replSetStepDown: 300, force: true });
    member.advance(1000);
    member.run({ replSetFreeze: 0 });
    member.advance(100);
    expect(member.mongod.acceptsWrites()).toBe(true);
  });

  test('replSetMaintenance counts, and RECOVERING does not read', () => {
    const member = secondary();
    const find = { find: 'c', $readPreference: { mode: 'secondary' } };
    member.run({ replSetMaintenance: 1 });
    member.run({ replSetMaintenance: true });
    expect(member.run(find, 'app')).toMatchObject({ code: 13436, errmsg: 'node is recovering' });
    // Before it looks whether there is such a cursor.
    expect(member.run({ getMore: 1n, collection: 'c' }, 'app').code).toBe(13436);
    expect(member.run({ getMore: 1n, collection: 'oplog.rs' }, 'local').code).toBe(43);
    expect(member.run({ killCursors: 'c', cursors: [1n] }, 'app').code).toBe(13436);
    expect(member.run({ listDatabases: 1, $readPreference: { mode: 'secondary' } }).code).toBe(13436);
    member.run({ replSetMaintenance: 0 });
    expect(member.mongod.memberState()).toBe('RECOVERING');
    member.run({ replSetMaintenance: false });
    expect(member.mongod.memberState()).toBe('SECONDARY');
  });
});

describe('shutdown', () => {
  test('a secondary quiesces for fifteen seconds: hello is refused, the rest goes on', () => {
    const member = secondary();
    member.signal();
    member.advance(5000);
    expect(member.run({ hello: 1 })).toMatchObject({
      ok: 0,
      code: 91,
      remainingQuiesceTimeMillis: expect.anything(),
      topologyVersion: { counter: expect.anything() },
    });
    expect(member.run({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(member.heartbeat('b:1')).toMatchObject({ ok: 1, state: 'SECONDARY' });
    expect(member.ask('b:1', 'fetch', { find: 'oplog.rs', limit: 1 })).toMatchObject({ ok: 0, code: 91 });
    member.advance(9000);
    expect(member.exited).toBe(false);
    member.advance(1100);
    expect(member.exited).toBe(true);
    expect([4695102, 4695103].map((id) => member.logged(id).length)).toEqual([1, 1]);
  });

  test('a quiescing member does not stand', () => {
    const member = secondary();
    member.signal();
    member.advance(14_000);
    expect(member.logged(4615652)).toEqual([]);
    expect(member.run({ replSetStepUp: 1 })).toMatchObject({ ok: 0, code: 125 });
  });

  test('a primary steps down first, and uses what is left of its time', () => {
    const member = primary();
    member.signal();
    member.advance(10);
    expect([member.mongod.memberState(), member.asked('replSetStepUp').length]).toEqual(['SECONDARY', 1]);
    expect(member.logged(4784900)).toHaveLength(1);
    member.advance(15_000);
    expect(member.exited).toBe(true);
  });

  test('a signal goes on where nobody can take over, and then there is no time left to quiesce', () => {
    const member = lonelyPrimary();
    member.signal();
    member.advance(14_900);
    expect(member.exited).toBe(false);
    member.advance(200);
    expect([member.exited, member.logged(4695102)]).toEqual([true, []]);
  });

  test('a member alone just ends', () => {
    const member = LoneMember.primary(0);
    member.signal();
    member.advance(100);
    expect(member.exited).toBe(true);
  });

  test('the command with a time of its own, and with force', () => {
    const quick = secondary();
    quick.send({ shutdown: 1, timeoutSecs: 1 });
    quick.advance(900);
    expect(quick.exited).toBe(false);
    quick.advance(200);
    expect(quick.exited).toBe(true);
    const forced = lonelyPrimary();
    forced.send({ shutdown: 1, force: true, timeoutSecs: 0 });
    forced.advance(100);
    expect(forced.exited).toBe(true);
  });

  test('what still runs at the end is interrupted', () => {
    const member = secondary();
    const waiting = member.send({
      hello: 1,
      topologyVersion: member.hello().topologyVersion,
      maxAwaitTimeMS: 1_000_000,
    });
    const other = member.send({ shutdown: 1, timeoutSecs: 0, force: true });
    member.advance(100);
    expect(member.replies.get(waiting)).toMatchObject({ ok: 0, code: 11600 });
    expect(member.replies.has(other)).toBe(false);
  });
});

describe('what a step-down kills', () => {
  test('writes are interrupted, whoever waits for a write concern is told, reads live', () => {
    const member = primary();
    member.run({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 'app');
    const many = Array.from({ length: 1000 }, (_, _id) => ({ _id: _id + 10 }));
    const waiting = member.send({ insert: 'c', documents: [{ _id: 2 }], writeConcern: { w: 3 } }, 'app');
    member.advance(1);
    const writing = member.send({ insert: 'c', documents: many, writeConcern: { w: 1 } }, 'app');
    const reading = member.send({ find: 'c', $readPreference: { mode: 'secondaryPreferred' } }, 'app');
    member.vote(1, { term: 9, dryRun: true });
    expect(member.reply(waiting)).toMatchObject({ ok: 1, writeConcernError: { code: 189 } });
    expect(member.reply(reading)).toMatchObject({ ok: 1 });
    expect([10107, 11602]).toContain(member.reply(writing).code);
    expect(member.repl.metrics.stateTransition).toMatchObject({ last: 'stepDown' });
  });
});
