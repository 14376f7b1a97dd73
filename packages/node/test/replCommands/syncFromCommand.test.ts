import { describe, expect, test } from 'vitest';
import { holding, LoneMember } from '../loneMember.ts';
import { FakeSource } from '../replication/fakeSource.ts';

function syncFrom(member: LoneMember, target: unknown) {
  return member.run({ replSetSyncFrom: target });
}

describe('replSetSyncFrom', () => {
  test('names what is asked for and what was before', () => {
    const source = new FakeSource();
    source.write(1);
    source.fetch();
    expect(syncFrom(source.member, 'c:1')).toMatchObject({
      ok: 1,
      syncFromRequested: 'c:1',
      prevSyncTarget: 'b:1',
    });
  });

  test('warns of a source more than ten seconds behind', () => {
    const member = LoneMember.initiated(2);
    const { ts, t } = member.repl.positions.applied.opTime;
    const behind = (secs: number) => {
      member.peers.get('b:1')!.heartbeat = holding({ ts: { t: ts.t - secs, i: 1 }, t });
      member.advance(3000);
      return syncFrom(member, 'b:1').warning;
    };
    expect(behind(10)).toBeUndefined();
    expect(behind(11)).toBe('requested member "b:1" is more than 10 seconds behind us');
    expect(member.logged(21837)).toHaveLength(1);
  });

  test.for<[what: string, target: unknown, code: number, codeName: string]>([
    ['a host that is not in the set', 'x:1', 74, 'NodeNotFound'],
    ['the member itself', 'a:1', 72, 'InvalidOptions'],
    ['a member that does not let it in', 'b:1', 13, 'Unauthorized'],
    ['a member that is down', 'c:1', 6, 'HostUnreachable'],
    ['no host', '', 9, 'FailedToParse'],
    ['no text', 5, 9, 'FailedToParse'],
    ['a port that is none', 'b:99999', 9, 'FailedToParse'],
    ['too many colons', 'b:1:1', 9, 'FailedToParse'],
  ])('refuses %s, and changes nothing', ([, target, code, codeName]) => {
    const member = LoneMember.initiated(2);
    member.peers.get('c:1')!.up = false;
    member.advance(3000);
    member.repl.topology.views[1]!.authIssue = true;
    expect(syncFrom(member, target)).toMatchObject({ ok: 0, code, codeName });
    expect(member.repl.syncSources.choose(member.repl.oplog.last)).toBeUndefined();
  });

  test('is not for a primary, nor for a member without config', () => {
    expect(syncFrom(LoneMember.primary(2), 'b:1')).toMatchObject({ code: 95, codeName: 'NotSecondary' });
    expect(syncFrom(new LoneMember(), 'b:1')).toMatchObject({ code: 94, codeName: 'NotYetInitialized' });
  });
});
