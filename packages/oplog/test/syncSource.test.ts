import type { OpTime } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { chooseSyncSource, type SourceCandidate, type SyncSourceQuestion } from '../src/index.ts';
import { at } from './entries.ts';
import { ask, me, other } from './sourceQuestion.ts';

describe('chooseSyncSource', () => {
  test('the nearest member that is ahead, primary or not', () => {
    expect(chooseSyncSource(ask([other('a', { pingMs: 7 }), other('b', { pingMs: 6 })]))).toBe('b');
    expect(chooseSyncSource(ask([other('a', { pingMs: 60 })]))).toBe('p');
  });

  test('of equal pings, the later in the config', () => {
    expect(chooseSyncSource(ask([other('a'), other('b'), other('c', { pingMs: 6 })]))).toBe('b');
  });

  // The candidate is nearer than the primary, so it is chosen unless the criterion excludes it.
  test.for<[what: string, candidate: Partial<SourceCandidate>, strict: boolean, lax: boolean]>([
    ['nothing against it', {}, true, true],
    ['is me', { isSelf: true }, false, false],
    ['down', { up: false }, false, false],
    ['a primary', { state: 'PRIMARY' }, true, true],
    ['RECOVERING', { state: 'RECOVERING' }, false, false],
    ['STARTUP2', { state: 'STARTUP2' }, false, false],
    ['ROLLBACK', { state: 'ROLLBACK' }, false, false],
    ['an arbiter', { state: 'ARBITER' }, false, false],
    ['level with me', { lastApplied: at(100, 1) }, false, false],
    ['behind me', { lastApplied: at(99, 1) }, false, false],
    ['ahead by an increment', { lastApplied: { ts: { t: 100, i: 2 }, t: 1 } }, true, true],
    ['later seconds of an older term', { lastApplied: at(110, 0) }, false, false],
    ['builds no indexes', { buildsIndexes: false }, false, false],
    ['has no vote', { isVoter: false }, false, true],
    ['hidden', { hidden: true }, false, true],
    ['delayed', { secondaryDelaySecs: 1 }, false, true],
  ])('%s: strict %s', ([, candidate, strict, lax]) => {
    const near = other('near', candidate);
    expect(chooseSyncSource(ask([near]))).toBe(strict ? 'near' : 'p');
    // With nobody else left, the lax round decides.
    const alone = ask([near], { isDenylisted: (host) => host === 'p', primaryHost: undefined });
    expect(chooseSyncSource(alone)).toBe(lax ? 'near' : undefined);
  });

  test('what I am like excuses the same in others', () => {
    const self = { ...me, isVoter: false, buildsIndexes: false, secondaryDelaySecs: 60 };
    for (const trait of [{ isVoter: false }, { buildsIndexes: false }, { secondaryDelaySecs: 60 }]) {
      expect(chooseSyncSource(ask([other('near', trait)], { self }))).toBe('near');
    }
    expect(chooseSyncSource(ask([other('near', { secondaryDelaySecs: 61 })], { self }))).toBe('p');
  });

  test('strictly, no more than maxSyncSourceLagSecs behind the primary, in whole seconds', () => {
    const primaryAt = (secs: number, i: number) =>
      other('p', { state: 'PRIMARY', pingMs: 50, lastApplied: { ts: { t: secs, i }, t: 1 } });
    const members = (primary: SourceCandidate) => [me, primary, other('near')];
    expect(chooseSyncSource(ask([], { members: members(primaryAt(140, 9)) }))).toBe('near');
    expect(chooseSyncSource(ask([], { members: members(primaryAt(141, 1)) }))).toBe('p');
    // Where no primary is known, nobody is measured by it.
    expect(chooseSyncSource(ask([], { members: members(primaryAt(141, 1)), primaryHost: undefined }))).toBe('near');
  });

  test('strictly, not of an older term than the primary, however few seconds it is behind', () => {
    const after = (primaryOpTime: OpTime, near: OpTime) =>
      chooseSyncSource(
        ask([], {
          members: [
            me,
            other('p', { state: 'PRIMARY', pingMs: 50, lastApplied: primaryOpTime }),
            other('near', { lastApplied: near }),
          ],
        }),
      );
    expect(after(at(110, 2), at(109, 1))).toBe('p');
    expect(after(at(110, 2), at(109, 2))).toBe('near');
    // The primary's own newest entry may still be of the old term: it has written nothing yet.
    expect(after(at(110, 1), at(109, 1))).toBe('near');
    // A primary that was not heard of yet measures nobody.
    expect(after(at(0, 2), at(109, 1))).toBe('near');
  });

  test('a denylisted member is passed over in both rounds', () => {
    expect(chooseSyncSource(ask([other('near')], { isDenylisted: (host) => host === 'near' }))).toBe('p');
    expect(chooseSyncSource(ask([other('near')], { isDenylisted: () => true }))).toBeUndefined();
  });

  describe('the primary alone, as with chaining off', () => {
    const only = (changes: Partial<SyncSourceQuestion>) =>
      chooseSyncSource(ask([other('near')], { readPreference: 'primary', ...changes }));

    test('only the primary', () => expect(only({})).toBe('p'));
    test('which may be level with me', () => expect(only({ lastFetched: at(110, 1) })).toBe('p'));
    test('but not behind', () => expect(only({ lastFetched: at(111, 1) })).toBeUndefined());
    test('not when denylisted', () => expect(only({ isDenylisted: (host) => host === 'p' })).toBeUndefined());
    test('not when unknown', () => expect(only({ primaryHost: undefined })).toBeUndefined());
    test('not myself', () => expect(only({ primaryHost: 'me' })).toBeUndefined());
  });

  describe('the primary first', () => {
    const preferred = (changes: Partial<SyncSourceQuestion>) =>
      chooseSyncSource(ask([other('near')], { readPreference: 'primaryPreferred', ...changes }));

    test('far away or level', () => {
      expect(preferred({})).toBe('p');
      expect(preferred({ lastFetched: at(110, 1) })).toBe('p');
    });
    test('else whoever is near', () => {
      expect(preferred({ isDenylisted: (host) => host === 'p' })).toBe('near');
      expect(preferred({ primaryHost: undefined })).toBe('near');
    });
  });

  test.for([
    ['secondary', [other('far', { pingMs: 90 })], 'far'],
    ['secondary', [], undefined],
    ['secondary', [other('hidden', { hidden: true })], 'hidden'],
    ['secondaryPreferred', [other('far', { pingMs: 90 })], 'far'],
    ['secondaryPreferred', [], 'p'],
    ['secondaryPreferred', [other('hidden', { hidden: true, pingMs: 90 })], 'p'],
  ] as const)('%s among %j: %s', ([readPreference, members, expected]) => {
    expect(chooseSyncSource(ask(members, { readPreference }))).toBe(expected);
  });

  test('nobody before each other member has answered two heartbeats, on average', () => {
    const members = [other('a'), other('b')];
    expect(chooseSyncSource(ask(members, { roundTrips: 5 }))).toBeUndefined();
    expect(chooseSyncSource(ask(members, { roundTrips: 6 }))).toBe('b');
    expect(chooseSyncSource(ask(members, { roundTrips: 5, readPreference: 'primary' }))).toBeUndefined();
  });

  test('whoever was asked for, at once and whatever speaks against it', () => {
    const behind = other('behind', { lastApplied: at(1, 1), up: false });
    expect(chooseSyncSource(ask([behind], { forced: 'behind', roundTrips: 0, isDenylisted: () => true }))).toBe(
      'behind',
    );
  });

  describe('from 8.1 on the primary, if it is hardly farther', () => {
    const choose = (pingMs: number, preferPrimaryWithinMs: number | undefined) =>
      chooseSyncSource(ask([other('near', { pingMs })], { preferPrimaryWithinMs }));

    // The primary's ping is 50.
    test.for([
      [45, 5, 'p'],
      [44, 5, 'near'],
      [45, undefined, 'near'],
      [50, 0, 'p'],
      [50, undefined, 'near'],
    ] as const)('near at %i, within %s: %s', ([pingMs, within, expected]) => {
      expect(choose(pingMs, within)).toBe(expected);
    });
  });
});
