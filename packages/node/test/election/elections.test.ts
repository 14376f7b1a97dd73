import { noopOperation } from '@replsim/oplog';
import { type ErrorReply, type HeartbeatReply, OplogEntry, type RequestVotesReply } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { type Doc, holding, LoneMember, peer } from '../loneMember.ts';
import { FakeSource } from '../replication/fakeSource.ts';

// Elections: one real member, and voters whose answers are made up.

const FAR = { ts: { t: 4_000_000_000, i: 1 }, t: 0 };
const no: Partial<RequestVotesReply> = { voteGranted: false, reason: 'no' };
const { other: refuses } = peer();
const later: Partial<RequestVotesReply> = { voteGranted: false, term: 9 };

/** Waits for the next election. @returns when it began, µs */
function standsAt(member: LoneMember): number {
  const before = starts(member);
  return member.until(() => starts(member) > before);
}

/** Starts of elections as the trace has them. */
const starts = ({ traces }: LoneMember) => traces.filter(({ type }) => type === 'electionStarted').length;
const losses = ({ traces }: LoneMember) => traces.filter(({ type }) => type === 'electionLost');
const conclusions = (member: LoneMember) =>
  member.traces.flatMap((event) => (event.type === 'catchUpEnded' ? [event.reason] : []));

/** An answer to a heartbeat that brings the next version of the member's config. */
function newConfigOf({ topology }: LoneMember['repl']): Partial<HeartbeatReply> {
  const config = { ...topology.config!, version: 2 };
  return { v: 2, configTerm: config.term, config };
}

describe('the election timer', () => {
  test.for([
    { jitter: 0, standsMicros: 10_000_000 },
    { jitter: 0.5, standsMicros: 10_750_000 },
    { jitter: 0.9999999, standsMicros: 11_499_999 },
  ])('stands a timeout and up to 15 % after the last sign of a primary: $jitter', ({ jitter, standsMicros }) => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
    member.jitter = jitter;
    const asPrimary: Partial<HeartbeatReply> = { state: 'PRIMARY' };
    member.peers.get('b:1')!.heartbeat = asPrimary;
    member.advance(20_100);
    expect(starts(member)).toBe(0);
    member.peers.get('b:1')!.heartbeat = {};
    const { lastUpdateMicros } = member.repl.topology.viewOf('b:1')!;
    expect(standsAt(member) - lastUpdateMicros).toBe(standsMicros);
  });

  test('a primary of an older term, a request of a primary and a dry run do not postpone it', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
    member.peers.get('c:1')!.heartbeat = { term: 2 };
    member.advance(600);
    member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 1 };
    for (let i = 0; i < 10; i++) {
      member.heartbeat('b:1', { primaryId: 1, term: 2 });
      member.vote(1, { dryRun: true, term: 2 });
      member.advance(1000);
    }
    expect(starts(member)).toBe(1);
  });

  test.for([
    {
      name: 'that knows a primary begins it anew',
      primaryIndex: 1,
      at: (batchMicros: number) => batchMicros + 10_000_000,
    },
    {
      name: 'that knows none does not',
      primaryIndex: -1,
      at: (_: number, termMicros: number) => termMicros + 10_000_000,
    },
  ])('a batch of a source $name', ({ primaryIndex, at }) => {
    const source = new FakeSource();
    const { member } = source;
    source.primaryIndex = primaryIndex;
    for (const peer of member.peers.values()) Object.assign(peer, { heartbeat: { term: 1 }, vote: no });
    const termAt = member.until(() => member.repl.topology.term === 1);
    member.advance(5500);
    source.write(1);
    member.peers.get('b:1')!.heartbeat = { term: 1, ...holding(source.last) };
    // The batch that was taken over is followed by the question for the next one.
    const batchAt = member.until(() => member.asked('getMore').length > 0);
    expect(standsAt(member)).toBe(at(batchAt, termAt));
  });

  test.for<[sign: string, change: (member: LoneMember) => void, isSeen: (repl: LoneMember['repl']) => boolean]>([
    [
      'a later term',
      ({ peers }) => Object.assign(peers.get('c:1')!, { heartbeat: { term: 2 } }),
      ({ topology }) => topology.term === 2,
    ],
    [
      'a new config',
      ({ peers, repl }) => Object.assign(peers.get('c:1')!, { heartbeat: newConfigOf(repl) }),
      ({ topology }) => topology.config?.version === 2,
    ],
    [
      'a change of state',
      (member) => {
        member.run({ replSetMaintenance: true });
        member.send({ replSetMaintenance: false });
      },
      ({ topology }) => topology.state === 'SECONDARY',
    ],
  ])('%s begins it anew', ([, change, isSeen]) => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
    member.advance(6000);
    change(member);
    const seenAt = member.until(() => isSeen(member.repl));
    expect(standsAt(member)).toBe(seenAt + 10_000_000);
  });

  test('a loser waits for its timer again', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
    member.advance(35_000);
    expect(starts(member)).toBe(3);
    expect(member.repl.topology.term).toBe(0);
  });
});

describe('a round of votes', () => {
  test.for<
    [name: string, id: number, dryRun: boolean, vote: Partial<RequestVotesReply> | 'silence', termAfter: number]
  >([
    ['too few in the dry run', 21440, true, no, 0],
    ['nobody answers the dry run', 21440, true, 'silence', 0],
    ['a later term in the dry run is not taken over', 21441, true, later, 0],
    ['too few in the real one', 21448, false, no, 1],
    ['nobody answers the real one', 21448, false, 'silence', 1],
    ['a later term in the real one', 21449, false, later, 1],
  ])('%s: %d', ([, id, dryRun, vote, termAfter]) => {
    const member = LoneMember.initiated(2);
    member.watch = () => {
      const asksInEarnest = member
        .asked('replSetRequestVotes')
        .some(({ command }) => 'dryRun' in command && !command.dryRun);
      const isPersisting = member.repl.topology.term === 1 && !asksInEarnest;
      if (dryRun || isPersisting) for (const peer of member.peers.values()) peer.vote = vote;
    };
    member.watch();
    member.advance(21_000);
    expect(member.logged(id).length).toBeGreaterThanOrEqual(1);
    expect(member.logged(21434).length).toBeGreaterThanOrEqual(1);
    expect(losses(member)[0]).toMatchObject({ dryRun });
    expect(member.repl.topology.term).toBe(termAfter);
    if (dryRun) expect(member.logged(51799).length > 0).toBe(vote !== 'silence');
  });

  test.for([
    { dryRun: true, id: 21439 },
    { dryRun: false, id: 21447 },
  ])('superseded by a term heard of meanwhile (dry run: $dryRun)', ({ dryRun, id }) => {
    const member = LoneMember.initiated(2);
    for (const peer of member.peers.values()) peer.vote = dryRun ? 'silence' : {};
    member.watch = () => {
      const [last] = member.asked('replSetRequestVotes').slice(-1);
      if (last && 'dryRun' in last.command && last.command.dryRun === dryRun && member.repl.topology.term < 7) {
        for (const peer of member.peers.values()) peer.heartbeat = { term: 7 };
        if (!dryRun) member.vote(1, { term: 7, dryRun: true });
      }
    };
    member.advance(dryRun ? 21_000 : 11_000);
    expect(member.logged(id)).toHaveLength(1);
    expect(member.mongod.memberState()).toBe('SECONDARY');
  });

  test('superseded while the own vote goes to disk: 21446, and nobody is asked in earnest', () => {
    const member = LoneMember.initiated(2);
    member.advance(9900);
    member.holdDisk = true;
    member.advance(200);
    expect(member.repl.topology.term).toBe(1);
    member.vote(1, { term: 5, dryRun: true });
    member.releaseDisk();
    member.advance(10);
    expect(member.logged(21446)).toHaveLength(1);
    expect(member.asked('replSetRequestVotes').every(({ command }) => 'dryRun' in command && command.dryRun)).toBe(
      true,
    );
  });

  test('a config that is forced meanwhile ends it', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: 'silence' } });
    standsAt(member);
    const { config } = member.run({ replSetGetConfig: 1 }) as { config: Doc };
    member.run({ replSetReconfig: config, force: true });
    expect(losses(member)).toMatchObject([{ dryRun: true, reason: 'a new config was installed' }]);
    expect(starts(member)).toBe(1);
  });

  test.for([
    { electionTimeoutMillis: 20_000, lastsMs: 20_000 },
    { electionTimeoutMillis: 50_000, lastsMs: 30_000 },
  ])(
    'with a timeout of $electionTimeoutMillis ms it lasts $lastsMs ms at most',
    ({ electionTimeoutMillis, lastsMs }) => {
      const member = LoneMember.initiated(2, { settings: { electionTimeoutMillis } }, { peers: { vote: 'silence' } });
      const stoodAt = standsAt(member);
      expect(member.until(() => losses(member).length > 0)).toBe(stoodAt + lastsMs * 1000);
    },
  );

  test('an answer is a sign of life, whatever it says', () => {
    const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
    member.advance(9000);
    for (const peer of member.peers.values()) peer.heartbeat = 'silence';
    const stoodAt = standsAt(member);
    member.advance(10);
    expect(member.repl.topology.viewOf('b:1')!.lastUpdateMicros).toBe(stoodAt + 1);
  });

  test('a majority is enough; nobody waits for the rest', () => {
    const member = LoneMember.initiated(4);
    for (const host of ['d:1', 'e:1']) member.peers.get(host)!.vote = 'silence';
    member.advance(10_100);
    expect(member.mongod.acceptsWrites()).toBe(true);
  });

  test('non-voters are not asked', () => {
    const member = LoneMember.primary(2, { members: { 'c:1': { votes: 0, priority: 0 } } });
    expect(member.asked('replSetRequestVotes', 'c:1')).toEqual([]);
    expect(member.asked('replSetRequestVotes', 'b:1')).toHaveLength(2);
  });

  test('a member alone is elected at once', () => {
    const member = LoneMember.initiated(0);
    member.advance(50);
    expect(member.mongod.acceptsWrites()).toBe(true);
  });
});

describe('a vote request', () => {
  test('the answer waits until the vote is on disk', () => {
    const member = LoneMember.initiated(2);
    member.holdDisk = true;
    expect(member.vote(1)).toBeUndefined();
    expect(member.repl.votes.lastVote).toMatchObject({ term: 1, candidateIndex: 1 });
    member.advance(5);
    expect(member.responses.size).toBe(0);
    member.releaseDisk();
    expect([...member.responses.values()]).toMatchObject([{ voteGranted: true, term: 1 }]);
    expect(member.logged(23980)).toHaveLength(1);
  });

  test('a dry run is answered at once, and leaves term and vote alone', () => {
    const member = LoneMember.initiated(2);
    expect(member.vote(1, { dryRun: true, term: 0 })).toMatchObject({ voteGranted: true, term: 0 });
    expect(member.repl.votes.lastVote.term).toBe(-1);
  });

  test.for<[name: string, index: number, before: (member: LoneMember) => void, answer: Partial<ErrorReply>]>([
    ['an index beyond the members', 3, () => {}, { ok: 0, code: 2 }],
    ['no such index', -1, () => {}, { ok: 0, code: 2 }],
    ['in terminal shutdown', 1, (member) => member.signal(), { ok: 0, code: 91 }],
    ['shutdown comes first', 9, (member) => member.signal(), { ok: 0, code: 91 }],
  ])('%s', ([, index, before, answer]) => {
    const member = LoneMember.initiated(2);
    before(member);
    expect(member.vote(index)).toMatchObject(answer);
    expect(member.repl.topology.term).toBe(1);
  });

  test('a process without config has no members to vote for', () => {
    expect(new LoneMember().vote(0)).toMatchObject({ ok: 0, code: 2 });
  });

  test('a primary steps down before it answers, and votes in the later term', () => {
    const member = LoneMember.primary(2);
    member.vote(1, { term: 8 });
    expect([member.mongod.memberState(), member.repl.topology.term]).toEqual(['SECONDARY', 8]);
    member.advance(1);
    expect([...member.responses.values()].at(-1)).toMatchObject({ voteGranted: true, term: 8 });
    expect(member.repl.elections.metrics.numStepDownsCausedByHigherTerm).toBe(1);
  });
});

describe('take-overs', () => {
  /** A primary of term 3 that has less, or a lower priority. */
  function underPrimary(config: Doc, heartbeat: Partial<HeartbeatReply>) {
    const member = LoneMember.initiated(2, config, { peers: { heartbeat } });
    member.peers.get('c:1')!.heartbeat = {};
    member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 3, ...heartbeat };
    return member;
  }
  const older = holding({ ts: { t: 1, i: 1 }, t: -1 });
  const preferred = { members: { 'a:1': { priority: 2 } } };

  test('by priority: after one timeout per rank', () => {
    for (const [rank, config] of [
      preferred,
      { members: { 'a:1': { priority: 2 }, 'c:1': { priority: 3 } } },
    ].entries()) {
      const member = underPrimary(config, {});
      const thoughtOfAt = member.until(() => member.logged(4615601).length > 0);
      expect(member.logged(4615601)).toHaveLength(1);
      expect(standsAt(member)).toBe(thoughtOfAt + (rank + 1) * 10_000_000);
      expect(member.logged(4615660)).toHaveLength(1);
    }
  });

  test('by priority: called off by a new term, then thought of again', () => {
    const member = underPrimary(preferred, {});
    member.advance(5000);
    member.peers.get('b:1')!.heartbeat = { state: 'PRIMARY', term: 4 };
    member.advance(1000);
    expect(member.logged(21484)).toHaveLength(1);
    expect(member.logged(4615601)).toHaveLength(2);
  });

  test('by priority: not of one who was primary in an earlier term', () => {
    const member = underPrimary(preferred, { term: 1 });
    member.peers.get('c:1')!.heartbeat = { term: 2 };
    member.advance(5000);
    // Thought of while the later term was not known.
    expect([member.logged(4615601).length, member.logged(21484).length]).toEqual([1, 1]);
  });

  test.for<[why: string, change: (member: LoneMember) => void]>([
    ['a new config', ({ peers, repl }) => Object.assign(peers.get('c:1')!, { heartbeat: newConfigOf(repl) })],
    ['no SECONDARY any more', (member) => member.run({ replSetMaintenance: true })],
    ['an election', (member) => member.run({ replSetStepUp: 1 })],
  ])('called off: %s', ([, change]) => {
    const member = underPrimary(preferred, {});
    member.advance(5000);
    change(member);
    member.advance(1000);
    expect(member.logged(21484)).toHaveLength(1);
  });

  test('by data: after catchUpTakeoverDelayMillis, and the primary decides first', () => {
    const member = underPrimary({}, older);
    member.peers.get('b:1')!.vote = 'silence';
    member.advance(31_000);
    expect(member.logged(4615662)).toHaveLength(1);
    expect(member.mongod.memberState()).toBe('SECONDARY');
    member.advance(11_000);
    expect(member.logged(21442)).toHaveLength(1);
    expect(member.repl.topology.term).toBe(3);
  });

  test('by data: the primary agrees', () => {
    const member = underPrimary({}, older);
    member.advance(31_000);
    expect(member.repl.elections.metrics.byReason.catchUpTakeover).toEqual({ called: 1, successful: 1 });
  });

  test('by data: called off once anybody has an entry of the term', () => {
    const member = underPrimary({}, older);
    member.advance(5000);
    member.peers.get('c:1')!.heartbeat = holding({ ts: { t: 2, i: 1 }, t: 3 });
    member.advance(1000);
    expect(member.logged(21485)).not.toEqual([]);
  });
});

test('nobody stands while a config is on its way to the disk', () => {
  const member = LoneMember.initiated(2, {}, { peers: { vote: no } });
  member.advance(6000);
  member.holdDisk = true;
  member.peers.get('c:1')!.heartbeat = newConfigOf(member.repl);
  member.advance(10_000);
  expect([member.repl.topology.config!.version, starts(member)]).toEqual([1, 0]);
  member.releaseDisk();
  member.advance(12_000);
  expect([member.repl.topology.config!.version, starts(member)]).toEqual([2, 1]);
});

describe('catch-up', () => {
  const someoneIsAhead = { peers: { heartbeat: holding(FAR) } };

  test.for<[conclusion: string, ids: number[], go: () => LoneMember]>([
    ['AlreadyCaughtUp', [21359, 21364, 21363, 21331], () => LoneMember.primary(2)],
    ['Skipped', [21359, 6015304, 21363], () => LoneMember.primary(0)],
    ['Skipped', [21360, 21363], () => LoneMember.primary(2, { settings: { catchUpTimeoutMillis: 0 } }, someoneIsAhead)],
    [
      'TimedOut',
      [21359, 21365, 21361, 21363],
      () => LoneMember.primary(2, { settings: { catchUpTimeoutMillis: 3000 } }, someoneIsAhead),
    ],
    [
      'FailedWithReplSetAbortPrimaryCatchUpCmd',
      [21359, 21365, 21363],
      () => {
        const member = LoneMember.initiated(2, {}, someoneIsAhead);
        member.advance(12_000);
        member.run({ replSetAbortPrimaryCatchUp: 1 });
        return member;
      },
    ],
    [
      'FailedWithNewTerm',
      [21359, 21365, 21363, 21402],
      () => {
        const member = LoneMember.initiated(2, {}, someoneIsAhead);
        member.advance(12_000);
        member.vote(1, { term: 5, dryRun: true });
        return member;
      },
    ],
    [
      'FailedWithError',
      [21359, 21365, 21363],
      () => {
        const member = LoneMember.initiated(2, {}, someoneIsAhead);
        member.advance(12_000);
        member.run({ replSetStepDown: 60, force: true });
        return member;
      },
    ],
    [
      'AlreadyCaughtUp',
      [21359, 21365, 21364, 21363],
      () => {
        const member = LoneMember.initiated(2, {}, someoneIsAhead);
        member.advance(12_000);
        // The target follows downwards: whoever was ahead went down.
        for (const peer of member.peers.values()) peer.up = false;
        member.advance(2200);
        return member;
      },
    ],
  ])('%s', ([conclusion, ids, go]) => {
    const member = go();
    expect(conclusions(member)).toEqual([conclusion]);
    for (const id of ids) expect(member.logged(id), `${id}`).not.toEqual([]);
    const { catchUps, numCatchUps } = member.repl.elections.metrics;
    expect(Object.entries(catchUps).filter(([, count]) => count > 0)).toEqual([[conclusion, 1]]);
    expect(numCatchUps).toBe(ids.includes(21365) ? 1 : 0);
  });

  test('it would have to roll back: catch-up is given up, the rollback does not happen', () => {
    const source = new FakeSource();
    const { member } = source;
    const b = member.peers.get('b:1')!;
    const { other } = b;
    // What the others have parts from what the member has, and none of them can be read before it is elected.
    const { ts } = source.entries[0]!.opTime;
    source.entries[0] = new OplogEntry(noopOperation('other'), { ts: { t: ts.t - 1, i: 1 }, t: -1 }, 0);
    source.write(2);
    for (const peer of member.peers.values()) Object.assign(peer, { heartbeat: holding(source.last), other: refuses });
    member.until(() => member.mongod.memberState() === 'PRIMARY');
    expect(conclusions(member)).toEqual([]);
    b.other = other;
    member.advance(12_000);
    expect([conclusions(member), member.mongod.acceptsWrites()]).toEqual([['FailedWithError'], true]);
    expect(member.traces.map(({ type }) => type)).not.toContain('rollbackStarted');
  });

  test('nothing is decided before there was a word of everybody, or until somebody is given up', () => {
    const member = LoneMember.initiated(2);
    member.advance(9800);
    member.peers.get('b:1')!.heartbeat = 'silence';
    member.sent.length = 0;
    member.until(() => member.mongod.memberState() === 'PRIMARY');
    // Being elected begins a new attempt; the ten seconds are those of the series, which was under way.
    const seriesAt = Math.round(member.asked('replSetHeartbeat', 'b:1')[0]!.atMs * 1000);
    expect(member.until(() => !member.repl.topology.viewOf('b:1')!.up)).toBe(seriesAt + 10_000_000);
    expect(member.until(() => member.mongod.acceptsWrites())).toBe(seriesAt + 10_000_001);
    expect(conclusions(member)).toEqual(['AlreadyCaughtUp']);
  });

  test('what was fetched is applied before the first entry of the term, though nobody waits for more', () => {
    const source = new FakeSource();
    const { member } = source;
    const { repl } = member;
    const b = member.peers.get('b:1')!;
    const { other } = b;
    source.write(20_000);
    for (const peer of member.peers.values()) Object.assign(peer, { heartbeat: holding(FAR), other: refuses });
    member.until(() => member.mongod.memberState() === 'PRIMARY');
    b.other = other;
    let buffered = false;
    member.watch = () => {
      if (buffered || !repl.elections.isCatchingUp || repl.replicator.isIdle) return;
      buffered = true;
      repl.elections.catchUp.conclude('FailedWithReplSetAbortPrimaryCatchUpCmd');
    };
    for (let i = 0; i < 12_000 && !member.mongod.acceptsWrites(); i++) member.advance(1);
    expect(buffered).toBe(true);
    expect(repl.oplog.at(repl.oplog.lastIndexUpTo(source.last.ts))?.opTime).toEqual(source.last);
    expect(repl.positions.applied.opTime.ts.t).toBeGreaterThanOrEqual(source.last.ts.t);
    expect(repl.oplog.last.t).toBe(repl.topology.term);
  });

  test('it goes on to its target, batch after batch', () => {
    const source = new FakeSource();
    const { member } = source;
    const { repl } = member;
    const b = member.peers.get('b:1')!;
    const { other } = b;
    source.write(5000);
    for (const peer of member.peers.values()) Object.assign(peer, { heartbeat: holding(source.last), other: refuses });
    member.until(() => member.mongod.memberState() === 'PRIMARY');
    source.batchSize = 1;
    b.other = other;
    member.until(() => member.mongod.acceptsWrites());
    expect(conclusions(member)).toEqual(['Succeeded']);
    expect(repl.oplog.has(source.last)).toBe(true);
  });

  test('fetching ends with it, and what conflicts with the change of state is killed', () => {
    const { repl } = LoneMember.primary(2);
    expect([repl.replicator.fetching.isRunning, repl.syncSource]).toEqual([false, undefined]);
    expect(repl.metrics.stateTransition.last).toBe('stepUp');
  });
});
