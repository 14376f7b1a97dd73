import { type HeartbeatReply, NULL_OP_TIME, type OpTime, type ReplSetConfig } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { holding, LoneMember, peer } from '../loneMember.ts';

const ARBITER = { arbiterOnly: true, priority: 0 };
const at = (secs: number, t: number): OpTime => ({ ts: { t: secs, i: 1 }, t });

describe('a primary with an arbiter', () => {
  /** A primary `a:1`, a data member `b:1` and the arbiter `c:1`, which says that it has everything. */
  const psa = () =>
    LoneMember.primary(2, { members: { 'c:1': ARBITER } }, { parameters: { writePeriodicNoops: false } });

  test('commits what the other data member has, whatever the arbiter says', () => {
    const member = psa();
    const { positions, progress } = member.repl;
    const committed = positions.commitPoint.opTime;
    member.peers.get('b:1')!.heartbeat = holding(committed);
    const note = member.run({ appendOplogNote: 1, data: { n: 1 } });
    expect(note).toMatchObject({ ok: 1 });
    member.advance(5000);
    expect(member.repl.topology.viewOf('c:1')!.durable.opTime).toEqual(positions.written.opTime);
    expect(positions.commitPoint.opTime).toEqual(committed);
    expect(progress.knownPositions().map(({ isArbiter, isVoter }) => [isArbiter, isVoter])).toEqual([
      [false, true],
      [false, true],
      [true, true],
    ]);
    member.peers.get('b:1')!.heartbeat = {};
    member.advance(5000);
    expect(positions.commitPoint.opTime).toEqual(positions.written.opTime);
  });

  test('keeps its office with the arbiter alone, and commits nothing', () => {
    const member = psa();
    const committed = member.repl.positions.commitPoint.opTime;
    member.peers.get('b:1')!.up = false;
    member.run({ appendOplogNote: 1, data: { n: 1 } });
    member.advance(60_000);
    expect(member.mongod.acceptsWrites()).toBe(true);
    expect(member.repl.positions.commitPoint.opTime).toEqual(committed);
  });

  test('does not count it among the majority that has to catch up before a step-down', () => {
    const member = LoneMember.primary(3, { members: { 'd:1': ARBITER } });
    member.peers.get('c:1')!.heartbeat = holding(member.repl.positions.commitPoint.opTime);
    member.run({ appendOplogNote: 1, data: { n: 1 } });
    const stepDown = { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 };
    expect(member.run(stepDown)).toMatchObject({ ok: 0, codeName: 'ExceededTimeLimit' });
    member.peers.get('c:1')!.heartbeat = {};
    expect(member.run(stepDown)).toMatchObject({ ok: 1 });
  });
});

describe('an arbiter', () => {
  /** `a:1`, which learns from the primary `b:1` that it is one. */
  function arbiter(): LoneMember {
    const { config } = LoneMember.initiated(2).repl.topology;
    const [first, ...others] = config!.members;
    const ours: ReplSetConfig = { ...config!, term: 3, members: [{ ...first!, ...ARBITER }, ...others] };
    const member = new LoneMember();
    for (const host of ['b:1', 'c:1']) member.peers.set(host, peer());
    tell(member, NULL_OP_TIME, { config: ours, v: ours.version, configTerm: ours.term });
    member.heartbeat('b:1', { configVersion: ours.version, configTerm: ours.term });
    member.advance(1000);
    return member;
  }

  /** What `b:1` says from now on: it is primary, and so much is committed. */
  function tell(member: LoneMember, committed: OpTime, more: Partial<HeartbeatReply> = {}): void {
    const $replData = { ...member.repl.topology.replData(), lastOpCommitted: committed, lastCommittedWallMs: 7 };
    member.peers.get('b:1')!.heartbeat = {
      state: 'PRIMARY',
      term: 3,
      electionTime: { t: 1, i: 1 },
      $replData,
      ...more,
    };
  }

  test('has no source, tells nobody of positions, and has no oplog', () => {
    const member = arbiter();
    tell(member, at(50, 3), holding(at(60, 3)));
    member.advance(60_000);
    expect(member.repl.topology.state).toBe('ARBITER');
    expect(member.repl.syncSource).toBeUndefined();
    expect(member.repl.oplog.length).toBe(0);
    expect([...member.asked('find'), ...member.asked('replSetUpdatePosition')]).toEqual([]);
  });

  test('is where the commit point is, of whatever term, and has nothing durable', () => {
    const member = arbiter();
    tell(member, at(50, 3));
    member.advance(3000);
    const { positions } = member.repl;
    expect(positions.commitPoint).toEqual({ opTime: at(50, 3), wallMs: 7 });
    expect(positions.applied.opTime).toEqual(at(50, 3));
    expect(positions.durable.opTime).toEqual(NULL_OP_TIME);
    tell(member, at(70, 4));
    member.advance(3000);
    tell(member, at(60, 3));
    member.advance(3000);
    expect(positions.applied.opTime).toEqual(at(70, 4));
    expect(member.heartbeat('b:1')).toMatchObject({ state: 'ARBITER', opTime: at(70, 4), durableOpTime: NULL_OP_TIME });
  });

  test('never stands for election, and votes for whoever is not behind the commit point', () => {
    const member = arbiter();
    tell(member, at(50, 3));
    member.advance(3000);
    for (const asked of member.peers.values()) asked.up = false;
    member.advance(60_000);
    expect(member.asked('replSetRequestVotes')).toEqual([]);
    const upTo = (opTime: OpTime) => ({ lastWrittenOpTime: opTime, lastAppliedOpTime: opTime });
    expect(member.vote(1, { term: 5, ...upTo(at(49, 3)) })).toMatchObject({ voteGranted: false });
    // A vote is given once it is on disk.
    member.vote(1, { term: 6, ...upTo(at(50, 3)) });
    member.advance(10);
    expect([...member.responses.values()].at(-1)).toMatchObject({ voteGranted: true, term: 6 });
  });
});
