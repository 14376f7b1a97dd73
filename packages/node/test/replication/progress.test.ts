import {
  compareOpTimes,
  type ErrorReply,
  type MemberPosition,
  type OpTime,
  type UpdatePositionCommand,
} from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import type { FollowerMode } from '../../src/topology/memberState.ts';
import { holding, LoneMember } from '../loneMember.ts';
import { FakeSource } from './fakeSource.ts';

/** Long after everything that the member has seen. */
const at = (secs: number, t = 1): OpTime => ({ ts: { t: 2_000_000_000 + secs, i: 1 }, t });

/** A report about one member. */
const about = (memberId: number, opTime: OpTime): MemberPosition => ({
  memberId,
  cfgver: 99,
  durableOpTime: opTime,
  durableWallTimeMs: 1,
  appliedOpTime: opTime,
  appliedWallTimeMs: 2,
  writtenOpTime: opTime,
  writtenWallTimeMs: 3,
});

function report(member: LoneMember, ...optimes: MemberPosition[]) {
  const command: UpdatePositionCommand = {
    replSetUpdatePosition: 1,
    optimes,
    $replData: member.repl.topology.replData(),
  };
  return member.ask('c:1', 'progress', command);
}

const sentReports = (member: LoneMember) =>
  member.asked('replSetUpdatePosition', 'b:1').map(({ command }) => command as UpdatePositionCommand);

function following(): FakeSource {
  const source = new FakeSource();
  source.write(3);
  source.fetch();
  return source;
}

describe('reports to the sync source', () => {
  test('tell of oneself when anything moved, and of those who reported here', () => {
    const { member, last } = following();
    expect(sentReports(member).at(-1)!.optimes).toMatchObject([
      { memberId: 0, appliedOpTime: last, writtenOpTime: last, durableOpTime: last, cfgver: 1 },
    ]);
    const before = sentReports(member).length;
    expect(report(member, about(2, at(5)))).toEqual({ ok: 1 });
    member.advance(1);
    expect(sentReports(member).length).toBe(before + 1);
    expect(sentReports(member).at(-1)!.optimes).toMatchObject([{ memberId: 0 }, { memberId: 2, appliedOpTime: at(5) }]);
  });

  test('leave out who has been silent for an election timeout', () => {
    const { member } = following();
    report(member, about(2, at(5)));
    member.peers.get('c:1')!.up = false;
    const members = () =>
      sentReports(member)
        .at(-1)!
        .optimes.map(({ memberId }) => memberId);
    member.advance(6000);
    expect(members()).toEqual([0, 2]);
    member.advance(9000);
    expect(members()).toEqual([0]);
  });

  test('are repeated after half an election timeout, whatever happens', () => {
    const { member } = following();
    const before = sentReports(member).length;
    member.advance(5000);
    expect(sentReports(member).length).toBeGreaterThanOrEqual(before + 1);
  });

  test('go on after an error', () => {
    const source = following();
    const { member } = source;
    const b = member.peers.get('b:1')!;
    const { other } = b;
    b.other = (command) =>
      'replSetUpdatePosition' in command ? { ok: 0, code: 74, errmsg: 'unknown member' } : other(command);
    const before = sentReports(member).length;
    report(member, about(2, at(5)));
    report(member, about(2, at(6)));
    member.advance(5);
    expect(sentReports(member).length).toBe(before + 2);
  });

  test('go on after an answer that is lost, when half an election timeout is over', () => {
    const { member, answers } = withoutAnswers();
    report(member, about(2, at(5)));
    member.advance(1);
    const before = sentReports(member).length;
    report(member, about(2, at(6)));
    member.advance(1);
    expect(sentReports(member).length).toBe(before);
    answers();
    member.advance(5000);
    expect(sentReports(member).at(-1)!.optimes).toMatchObject([{ memberId: 0 }, { memberId: 2, appliedOpTime: at(6) }]);
  });

  test('begin at once with a new source, whatever the old one owes', () => {
    const { member } = withoutAnswers();
    report(member, about(2, at(5)));
    member.advance(1);
    const before = sentReports(member).length;
    member.repl.progress.sourceChanged();
    // It goes out with the member's next step, such as a heartbeat.
    member.advance(2500);
    expect(sentReports(member).length).toBe(before + 1);
  });
});

/** The source receives reports, and holds its answers back until the test lets them go. */
function withoutAnswers() {
  const { member } = following();
  const b = member.peers.get('b:1')!;
  const { other } = b;
  b.other = (command) => ('replSetUpdatePosition' in command ? 'silence' : other(command));
  return { member, answers: () => Object.assign(b, { other }) };
}

describe('a commit point that a heartbeat brings', () => {
  test.for<[mode: FollowerMode, learns: boolean]>([
    ['SECONDARY', true],
    ['RECOVERING', true],
    ['ROLLBACK', false],
    ['STARTUP2', false],
  ])('%s: %s', ([mode, learns]) => {
    const source = new FakeSource();
    const { member } = source;
    source.committed = source.last;
    source.write(3);
    source.fetch();
    const { last } = source;
    const before = member.repl.positions.commitPoint.opTime;
    expect(before).not.toEqual(last);
    member.repl.follow(mode);
    const $replData = { ...member.repl.topology.replData(), lastOpCommitted: last };
    for (const peer of member.peers.values()) peer.heartbeat = { term: 1, ...holding(last), $replData };
    member.advance(2500);
    expect(member.repl.positions.commitPoint.opTime).toEqual(learns ? last : before);
  });
});

describe('reports that come in', () => {
  test('move a position forward only, whatever config they are of', () => {
    const { member, views } = following();
    report(member, about(2, at(8)));
    report(member, about(2, at(5)));
    expect(views[2]!.applied).toEqual({ opTime: at(8), wallMs: 2 });
    expect(views[2]!.durable).toEqual({ opTime: at(8), wallMs: 1 });
  });

  test('say nothing about this member itself', () => {
    const { member, last } = following();
    expect(report(member, about(0, at(4_000_000_000)))).toEqual({ ok: 1 });
    expect(member.repl.positions.applied.opTime).toEqual(last);
  });

  test('of an unknown member are NodeNotFound, and the rest counts', () => {
    const { member, views } = following();
    expect(report(member, about(9, at(8)), about(2, at(8)))).toMatchObject({ ok: 0, code: 74 });
    expect(views[2]!.applied.opTime).toEqual(at(8));
  });

  test('are refused by a member that was removed', () => {
    const { member } = following();
    const config = member.repl.topology.config!;
    member.repl.topology.install({ ...config, version: 2, members: config.members.slice(1) });
    expect((report(member, about(2, at(8))) as ErrorReply).code).toBe(13436);
  });
});

describe('the commit point', () => {
  // The disk takes the journal and does not answer.
  const insert = (member: LoneMember) =>
    member.send({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 'majority', wtimeout: 5000 } }, 'app');

  test('follows what is written, where the journal does not count', () => {
    const member = LoneMember.primary(0, { writeConcernMajorityJournalDefault: false });
    member.holdDisk = true;
    expect(member.reply(insert(member))).not.toHaveProperty('writeConcernError');
  });

  test('waits for the journal otherwise', () => {
    const member = LoneMember.primary(0);
    member.holdDisk = true;
    expect(member.reply(insert(member))).toHaveProperty('writeConcernError.code', 64);
  });
});

describe('what a majority lacks is not committed, though', () => {
  const voteless = { votes: 0, priority: 0 };

  test.for<[what: string, config: Record<string, Record<string, unknown>>, behind: string[], unjournalled: boolean]>([
    ['a member without a vote has it', { 'd:1': voteless }, ['b:1', 'c:1'], false],
    ['an arbiter says that it has', { 'd:1': { arbiterOnly: true } }, ['c:1'], false],
    ['all others have it in their oplogs', { 'd:1': voteless }, [], true],
  ])('%s', ([, members, behind, unjournalled]) => {
    const member = LoneMember.primary(3, { members });
    const { positions } = member.repl;
    const { opTime: old } = positions.applied;
    for (const [host, peer] of member.peers) {
      if (behind.includes(host)) peer.heartbeat = holding(old);
      else if (unjournalled) peer.heartbeat = { durableOpTime: old };
    }
    member.run({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 'app');
    const { opTime: written } = positions.written;
    member.advance(6000);
    expect(compareOpTimes(positions.commitPoint.opTime, written)).toBeLessThan(0);
    for (const peer of member.peers.values()) peer.heartbeat = {};
    member.advance(6000);
    expect(compareOpTimes(positions.commitPoint.opTime, written)).toBeGreaterThanOrEqual(0);
  });
});
