import { ErrorCodes } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// What members say to each other, said by a client.

function heartbeat(member: LoneMember, change: Doc = {}): Doc {
  const { version, term: configTerm } = member.repl.topology.config ?? { version: -2, term: -1 };
  const { term } = member.repl.topology;
  return member.run({ replSetHeartbeat: 'rs0', configVersion: version, configTerm, from: '', term, ...change });
}

function requestOf(member: LoneMember): Doc {
  const { topology } = member.repl;
  const { version: configVersion, term: configTerm } = topology.config!;
  const { opTime: lastAppliedOpTime } = member.hello().lastWrite as Doc;
  const request = { setName: 'rs0', dryRun: false, term: topology.term + 1, candidateIndex: 1 };
  return { replSetRequestVotes: 1, ...request, configVersion, configTerm, lastAppliedOpTime };
}

function vote(member: LoneMember, change: Doc = {}): Doc {
  return member.run({ ...requestOf(member), ...change });
}

describe('replSetHeartbeat', () => {
  test('tells how the member is, as it tells other members', () => {
    const member = LoneMember.primary(2);
    const { opTime } = member.repl.positions.applied;
    const reply = heartbeat(member);
    expect(reply).toMatchObject({ ok: 1, set: 'rs0', state: 1, v: 1, term: 1, configTerm: 1, primaryId: 0 });
    expect(reply).toMatchObject({
      electable: expect.any(Boolean),
      opTime: { t: opTime.t },
      writtenOpTime: { t: opTime.t },
    });
    for (const name of ['electionTime', 'durableOpTime', 'wallTime', 'durableWallTime', 'writtenWallTime']) {
      expect(reply).toHaveProperty(name);
    }
    expect(reply).not.toHaveProperty('config');
    expect(reply).not.toHaveProperty('hasData');
  });

  test('with an older config gets the newer one; checkEmpty asks for data', () => {
    const member = LoneMember.initiated(2);
    const reply = heartbeat(member, { configVersion: 0, checkEmpty: true });
    expect(reply).toMatchObject({ ok: 1, state: 2, config: { _id: 'rs0', version: 1, members: [{}, {}, {}] } });
    expect(reply).toHaveProperty('hasData');
  });

  test('is answered before there is a config', () => {
    expect(heartbeat(new LoneMember())).toMatchObject({ ok: 1, state: 0, v: -2, set: 'rs0' });
  });

  test('a host that it comes from is asked for its newer config', () => {
    const member = LoneMember.initiated(1);
    expect(heartbeat(member, { configVersion: 5, from: 'nobody:9' })).toMatchObject({ ok: 1 });
    expect(member.asked('replSetHeartbeat', 'nobody:9')).toHaveLength(1);
    expect(heartbeat(member, { configVersion: 5 })).toMatchObject({ ok: 1 });
    member.advance(5000);
    expect(member.repl.topology.config!.version).toBe(1);
  });

  test.for<[Doc, number]>([
    [{ replSetHeartbeat: 'rs1' }, ErrorCodes.InconsistentReplicaSetNames],
    [{ fromId: 0 }, 2],
    [{ configVersion: undefined }, 4],
    [{ term: undefined }, 4],
    [{ term: 'x' }, 14],
    [{ term: 1.5 }, 2],
    [{ from: 5 }, 14],
    [{ from: 'no host' }, 9],
    [{ hbv: 2 }, 40666],
    [{ replSetHeartbeat: 1 }, 14],
  ])('%o is refused', ([change, code]) => {
    expect(heartbeat(LoneMember.initiated(1), change)).toMatchObject({ ok: 0, code });
  });

  test('names both sets where they differ', () => {
    const { errmsg } = heartbeat(LoneMember.initiated(1), { replSetHeartbeat: 'rs1' });
    expect(errmsg).toContain('Our set name of rs0 does not match name rs1');
  });
});

describe('replSetRequestVotes', () => {
  test('a dry run changes nothing', () => {
    const member = LoneMember.initiated(2);
    const { term } = member.repl.topology;
    expect(vote(member, { dryRun: true, term })).toMatchObject({ ok: 1, voteGranted: true, reason: '', term });
    expect(member.repl.votes.lastVote.term).toBeLessThanOrEqual(term);
  });

  test('a vote is given, once a term, and is on disk when the answer comes', () => {
    const member = LoneMember.initiated(2);
    const term = member.repl.topology.term + 1;
    expect(vote(member, { term })).toMatchObject({ ok: 1, voteGranted: true, reason: '', term });
    expect(member.repl.votes.lastVote).toMatchObject({ term, candidateIndex: 1 });
    expect(vote(member, { term, candidateIndex: 2 })).toMatchObject({
      ok: 1,
      voteGranted: false,
      reason: `already voted for another candidate (index 1) this term (${term})`,
    });
    member.holdDisk = true;
    const request = member.send({ ...requestOf(member), candidateIndex: 2 });
    member.advance(1000);
    expect(member.replies.has(request)).toBe(false);
    member.releaseDisk();
    expect(member.reply(request)).toMatchObject({ voteGranted: true });
  });

  test('a primary that hears of a later term steps down', () => {
    const member = LoneMember.primary(2);
    expect(vote(member, { term: 9 })).toMatchObject({ ok: 1, term: 9, voteGranted: true });
    expect(member.run({ hello: 1 })).toMatchObject({ isWritablePrimary: false });
  });

  test.for<[Doc, Doc]>([
    [{ setName: 'rs1' }, { ok: 1, voteGranted: false, reason: "candidate's set name (rs1) differs from mine (rs0)" }],
    [{ candidateIndex: 7 }, { ok: 0, code: 2 }],
    [{ candidateIndex: undefined }, { ok: 0, code: 4 }],
    [{ dryRun: 'x' }, { ok: 0, code: 14 }],
    [{ dryRun: undefined }, { ok: 0, code: 4 }],
    [{ setName: 5 }, { ok: 0, code: 14 }],
    [{ lastAppliedOpTime: 5 }, { ok: 0, code: 14 }],
    [{ lastAppliedOpTime: {} }, { ok: 0, code: 4 }],
    [{ lastAppliedOpTime: { ts: 5, t: 1 } }, { ok: 0, code: 14 }],
  ])('%o', ([change, answer]) => {
    expect(vote(LoneMember.initiated(2), change)).toMatchObject(answer);
  });

  test('of a member without a config is refused', () => {
    expect(new LoneMember().run({ replSetRequestVotes: 1 })).toMatchObject({ ok: 0, code: 94 });
  });
});
