import type { ErrorReply, HeartbeatReply } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { holding, LoneMember } from '../loneMember.ts';

const SLOW = { settings: { electionTimeoutMillis: 100_000 } };
const refused = (code: number): ErrorReply => ({ ok: 0, code, errmsg: 'no' });

function viewOf(member: LoneMember, host: string) {
  const { state, health, heardSinceRestart } = member.repl.topology.viewOf(host)!;
  return { state, health, heardSinceRestart };
}

/** When heartbeats went to a host, in ms from the first. */
function times(member: LoneMember, host: string): number[] {
  const sent = member.asked('replSetHeartbeat', host).map(({ atMs }) => Math.round(atMs));
  return sent.map((at) => at - sent[0]!);
}

describe('sending', () => {
  test.for([
    { name: 'no source', config: SLOW, everyMs: 500 },
    { name: 'no source, a short election timeout', config: { settings: { electionTimeoutMillis: 500 } }, everyMs: 250 },
    { name: 'no source, a short interval', config: { settings: { ...SLOW.settings, heartbeatIntervalMillis: 800 } }, everyMs: 200 }, // biome-ignore format: one line
    { name: 'no source, a long interval: at each look for one', config: { settings: { ...SLOW.settings, heartbeatIntervalMillis: 20_000 } }, everyMs: 1000 }, // biome-ignore format: one line
  ])('$name: every $everyMs ms', ({ config, everyMs }) => {
    const member = LoneMember.initiated(2, config);
    member.repl.elections.stepDownUntilMicros = 1e12; // so that it goes on being a secondary
    member.sent.length = 0;
    member.advance(10 * everyMs);
    const at = times(member, 'b:1');
    expect(at.slice(1).map((time, i) => time - at[i]!)).toEqual(at.slice(1).map(() => everyMs));
  });

  test('an arbiter: at least twice in an election timeout', () => {
    for (const [electionTimeoutMillis, everyMs] of [
      [100_000, 2000],
      [3000, 1500],
    ] as const) {
      const member = LoneMember.initiated(2, { settings: { electionTimeoutMillis } }, { peers: { vote: 'silence' } });
      const { config } = member.repl.topology;
      const members = config!.members.map((each, i) => (i === 0 ? { ...each, arbiterOnly: true, priority: 0 } : each));
      member.repl.topology.install({ ...config!, version: 2, members });
      member.repl.replicator.stop(); // an arbiter never fetched
      member.advance(10);
      member.sent.length = 0;
      member.advance(6 * everyMs);
      expect(new Set(times(member, 'b:1').flatMap((at, i, all) => (i > 1 ? [at - all[i - 1]!] : [])))).toEqual(
        new Set([everyMs]),
      );
    }
  });

  test('a refusal for want of authentication is an answer: it is not asked again at once', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(400);
    member.peers.get('b:1')!.heartbeat = refused(18);
    member.sent.length = 0;
    member.advance(2300);
    expect(times(member, 'b:1')).toEqual([0, 500, 1000, 1500, 2000]);
  });

  test('a primary: every heartbeatIntervalMillis', () => {
    const member = LoneMember.primary(2);
    member.advance(2100);
    member.sent.length = 0;
    member.advance(10_000);
    expect(times(member, 'b:1')).toEqual([0, 2000, 4000, 6000, 8000]);
  });

  test('a connection that breaks at once is tried twice more, then given up until the next interval', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(400);
    member.peers.get('b:1')!.up = false;
    member.sent.length = 0;
    member.advance(300);
    expect(times(member, 'b:1')).toEqual([0, 0, 0]);
    expect(viewOf(member, 'b:1')).toMatchObject({ state: 'DOWN', health: 0 });
    expect(member.logged(23974)).toMatchObject([{ attr: { target: 'b:1', maxHeartbeatRetries: 2 } }]);
    expect(member.logged(21216)).toHaveLength(1);
  });

  test('silence lasts as long as the timeout, and needs no retry', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(400);
    const b = member.peers.get('b:1')!;
    b.heartbeat = 'silence';
    member.sent.length = 0;
    member.advance(10_050);
    expect(viewOf(member, 'b:1')).toMatchObject({ state: 'SECONDARY', health: 1 });
    member.advance(100);
    expect(viewOf(member, 'b:1')).toMatchObject({ state: 'DOWN', health: 0 });
    expect(times(member, 'b:1')).toEqual([0]);
    expect(member.logged(23974)).toEqual([]);
  });

  test('a won election restarts all, and catch-up hears of everybody first', () => {
    const member = LoneMember.primary(2);
    const wonAt = member.traces.findIndex(({ type }) => type === 'electionWon');
    expect(wonAt).toBeGreaterThan(0);
    expect(viewOf(member, 'c:1').heardSinceRestart).toBe(true);
  });
});

describe('answers', () => {
  test('nobody was heard of yet', () => {
    const member = LoneMember.initiated(2, SLOW, { peers: { heartbeat: 'silence' } });
    expect(viewOf(member, 'b:1')).toEqual({ state: 'UNKNOWN', health: -1, heardSinceRestart: false });
  });

  test.for<[name: string, answer: Partial<HeartbeatReply> | ErrorReply, seen: object]>([
    ['an answer', { state: 'RECOVERING' }, { state: 'RECOVERING', health: 1 }],
    ['of another set', { set: 'rs1' }, { state: 'DOWN', health: 0 }],
    ['InconsistentReplicaSetNames 108 is final at once', refused(108), { state: 'DOWN', health: 0 }],
    ['Unauthorized 13', refused(13), { state: 'UNKNOWN', health: 0 }],
    ['AuthenticationFailed 18', refused(18), { state: 'UNKNOWN', health: 0 }],
  ])('%s', ([, heartbeat, seen]) => {
    const member = LoneMember.initiated(2, SLOW);
    member.peers.get('b:1')!.heartbeat = heartbeat;
    member.advance(600);
    expect(viewOf(member, 'b:1')).toMatchObject({ ...seen, heardSinceRestart: true });
  });

  test('one of a set of the same name that was initiated elsewhere counts as an error, and is retried', () => {
    const member = LoneMember.initiated(2, SLOW);
    const $replData = { ...member.repl.topology.replData(), replicaSetId: 'f'.repeat(24) };
    member.peers.get('b:1')!.heartbeat = { $replData, term: 9 };
    member.advance(600);
    expect(viewOf(member, 'b:1')).toMatchObject({ state: 'DOWN', health: 0 });
    expect(member.repl.topology.term).toBe(0);
  });

  test('an error that may be retried leaves the view alone', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(400);
    const { series } = member.repl.topology.viewOf('b:1')!;
    member.peers.get('b:1')!.heartbeat = refused(6);
    member.watch = () => {
      if (!series.failed) expect(viewOf(member, 'b:1').state).toBe('SECONDARY');
    };
    member.advance(200);
    expect(series.failed).toBe(true);
    member.watch();
    expect(viewOf(member, 'b:1').state).toBe('DOWN');
  });

  test('an arbiter, which has no data, is where the commit point is', () => {
    const member = LoneMember.initiated(2, SLOW);
    const { topology, positions } = member.repl;
    const members = topology.config!.members.map((each, i) =>
      i === 0 ? { ...each, arbiterOnly: true, priority: 0 } : each,
    );
    topology.install({ ...topology.config!, version: 2, members });
    const lastOpCommitted = { ts: { t: 4_000_000_000, i: 1 }, t: 7 };
    member.peers.get('b:1')!.heartbeat = { $replData: { ...topology.replData(), lastOpCommitted } };
    const { durable } = positions;
    member.advance(1000);
    expect([positions.commitPoint.opTime, positions.applied.opTime]).toEqual([lastOpCommitted, lastOpCommitted]);
    expect(positions.durable).toBe(durable);
  });

  test('only refusals come back: RECOVERING', () => {
    const member = LoneMember.initiated(2, SLOW);
    for (const peer of member.peers.values()) peer.heartbeat = refused(13);
    member.advance(600);
    expect(member.mongod.memberState()).toBe('RECOVERING');
    member.peers.get('c:1')!.heartbeat = {};
    member.advance(600);
    expect(member.mongod.memberState()).toBe('SECONDARY');
  });

  test('a term in an answer is taken over; one in a request is not', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.heartbeat('b:1', { term: 7 });
    expect(member.repl.topology.term).toBe(0);
    member.peers.get('b:1')!.heartbeat = { term: 5 };
    member.advance(600);
    expect(member.repl.topology.term).toBe(5);
  });

  test('a member that goes down keeps the positions that are tracked of it', () => {
    const member = LoneMember.initiated(2, SLOW);
    const opTime = { ts: { t: 4_000_000_000, i: 1 }, t: 0 };
    member.peers.get('b:1')!.heartbeat = holding(opTime);
    member.advance(600);
    member.peers.get('b:1')!.up = false;
    member.advance(600);
    const { state, applied, heartbeat } = member.repl.topology.viewOf('b:1')!;
    expect([state, applied.opTime, heartbeat.applied.t]).toEqual(['DOWN', opTime, -1]);
  });

  test('the primary is whoever says so in the highest term', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 3 };
    member.peers.get('c:1')!.heartbeat = { state: 'PRIMARY', term: 4 };
    member.advance(600);
    expect(member.repl.topology.primaryHost).toBe('c:1');
    member.peers.get('c:1')!.up = false;
    member.advance(600);
    expect(member.repl.topology.primaryHost).toBe('b:1');
  });
});

describe('requests', () => {
  test.for<[name: string, change: Parameters<LoneMember['heartbeat']>[1], code: number]>([
    ['another set', { replSetHeartbeat: 'rs1' }, 108],
    ['a member that thinks it is me', { fromId: 0 }, 2],
  ])('%s', ([, change, code]) => {
    const member = LoneMember.initiated(2, SLOW);
    expect(member.heartbeat('b:1', change)).toMatchObject({ ok: 0, code });
  });

  test('a process without config answers STARTUP, and asks back once for the config that the sender has', () => {
    const member = new LoneMember();
    const answer = member.heartbeat('b:1', { configVersion: 3, configTerm: 1 });
    expect(answer).toMatchObject({ ok: 1, state: 'STARTUP', v: -2, configTerm: -1, electable: false });
    member.heartbeat('b:1', { configVersion: 3, configTerm: 1 });
    expect(member.asked('replSetHeartbeat', 'b:1').map(({ command }) => command)).toMatchObject([
      { configVersion: -2, from: '', term: 0 },
    ]);
  });

  test('a sign of life from whoever has the same config', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(50);
    const b = member.repl.topology.viewOf('b:1')!;
    const heardBefore = b.lastUpdateMicros;
    member.advance(100);
    member.heartbeat('b:1', { configVersion: 9 });
    expect(b.lastUpdateMicros).toBe(heardBefore);
    member.heartbeat('b:1');
    expect(b.lastUpdateMicros).toBe(member.nowMicros);
  });

  test('a sender that says it is primary is looked at, at once', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.advance(100);
    member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 0 };
    member.heartbeat('b:1', { primaryId: 1 });
    member.advance(1);
    expect(member.repl.topology.primaryHost).toBe('b:1');
  });

  test.for([
    {
      configTerm: 1,
      asks: 0,
      name: 'a primary does not ask for a newer config before it has given its own the new term',
    },
    { configTerm: -1, asks: 1, name: 'a forced one need not wait for that' },
  ])('$name', ({ configTerm, asks }) => {
    const far = holding({ ts: { t: 4_000_000_000, i: 1 }, t: 0 });
    const member = LoneMember.initiated(2, {}, { peers: { heartbeat: far } });
    while (member.mongod.memberState() !== 'PRIMARY') member.advance(100);
    member.advance(100);
    const before = member.asked('replSetHeartbeat', 'b:1').length;
    member.heartbeat('b:1', { configVersion: 2, configTerm });
    expect(member.asked('replSetHeartbeat', 'b:1').length - before).toBe(asks);
    expect(member.logged(4794901)).toHaveLength(1 - asks);
  });

  test('a sender that says it is primary in an earlier term is not', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.peers.get('c:1')!.heartbeat = { term: 2 };
    member.advance(600);
    const before = member.sent.length;
    member.heartbeat('b:1', { primaryId: 1, term: 1 });
    expect(member.sent.length).toBe(before);
    member.heartbeat('b:1', { primaryId: 1, term: 2 });
    expect(member.sent.length).toBe(before + 2);
  });

  test('whoever sees no majority says that it is not electable', () => {
    const member = LoneMember.initiated(2, {});
    member.advance(5000);
    expect(member.heartbeat('b:1')).toMatchObject({ electable: true });
    for (const peer of member.peers.values()) peer.up = false;
    member.advance(30_000);
    expect(member.heartbeat('b:1')).toMatchObject({ electable: false });
  });

  test('members without a vote are no part of that majority', () => {
    const voteless = { votes: 0, priority: 0 };
    const member = LoneMember.initiated(4, { members: { 'd:1': voteless, 'e:1': voteless } });
    for (const host of ['b:1', 'c:1']) member.peers.get(host)!.up = false;
    member.advance(30_000);
    expect(member.heartbeat('d:1')).toMatchObject({ electable: false });
  });

  test('nothing of an initial sync is told, nor is an initial sync electable', () => {
    const member = LoneMember.initiated(2, SLOW);
    member.repl.follow('STARTUP2');
    expect(member.heartbeat('b:1')).toMatchObject({ state: 'STARTUP2', electable: false, opTime: { t: -1 } });
  });
});

describe('liveness of a primary', () => {
  const signOfLife = (member: LoneMember, host: string, ids: readonly number[]) => {
    const { opTime, wallMs } = member.repl.positions.applied;
    const at = { durableOpTime: opTime, appliedOpTime: opTime, writtenOpTime: opTime };
    const walls = { durableWallTimeMs: wallMs, appliedWallTimeMs: wallMs, writtenWallTimeMs: wallMs };
    const optimes = ids.map((memberId) => ({ memberId, cfgver: 1, ...at, ...walls }));
    member.ask(host, 'progress', { replSetUpdatePosition: 1, optimes, $replData: member.repl.topology.replData() });
  };

  test('nobody answers: it gives up an election timeout after the last sign of a majority', () => {
    const member = LoneMember.primary(2);
    for (const peer of member.peers.values()) peer.up = false;
    member.advance(2500);
    expect(viewOf(member, 'b:1').state).toBe('DOWN');
    expect(member.mongod.memberState()).toBe('PRIMARY');
    member.advance(8000);
    expect(member.mongod.memberState()).toBe('SECONDARY');
    expect(member.logged(21809)).toHaveLength(1);
  });

  test('positions of a majority that come through one member keep it in office', () => {
    const member = LoneMember.primary(4);
    for (const peer of member.peers.values()) peer.heartbeat = 'silence';
    for (let i = 0; i < 12; i++) {
      member.advance(4000);
      signOfLife(member, 'b:1', [1, 2]);
    }
    expect(member.mongod.memberState()).toBe('PRIMARY');
    member.advance(10_100);
    expect(member.mongod.memberState()).toBe('SECONDARY');
  });

  test('whoever voted was heard of: a new primary has a whole election timeout, even if heartbeats failed before', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: {} } });
    member.advance(5000);
    for (const peer of member.peers.values()) Object.assign(peer, { heartbeat: 'silence', vote: 'silence' });
    member.advance(3000);
    member.peers.get('b:1')!.vote = {};
    const electedAt = member.until(() => member.mongod.memberState() === 'PRIMARY');
    expect(member.until(() => member.mongod.memberState() !== 'PRIMARY')).toBe(electedAt + 10_000_000);
  });

  test('a primary of two that hears one of two voters stays', () => {
    const member = LoneMember.primary(2);
    member.peers.get('b:1')!.up = false;
    member.advance(60_000);
    expect(member.mongod.memberState()).toBe('PRIMARY');
  });
});
