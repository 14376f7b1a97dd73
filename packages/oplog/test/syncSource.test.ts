import type { OpTime } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import {
  chooseSyncSource,
  reasonToChangeSyncSource,
  type SourceCandidate,
  type SyncSourceQuestion,
} from '../src/index.ts';
import { at } from './entries.ts';

const other = (host: string, changes: Partial<SourceCandidate> = {}): SourceCandidate => ({
  host,
  isSelf: false,
  up: true,
  state: 'SECONDARY',
  lastApplied: at(110, 1),
  isVoter: true,
  hidden: false,
  buildsIndexes: true,
  secondaryDelaySecs: 0,
  pingMs: 5,
  syncingTo: 'p',
  ...changes,
});

const me = other('me', { isSelf: true, lastApplied: at(100, 1), pingMs: 0 });

/** I am `me` at (100, 1); `p` is primary at (110, 1), far away. */
const ask = (members: readonly SourceCandidate[], changes: Partial<SyncSourceQuestion> = {}): SyncSourceQuestion => ({
  members: [me, other('p', { state: 'PRIMARY', pingMs: 50, syncingTo: undefined }), ...members],
  self: me,
  lastFetched: at(100, 1),
  primaryHost: 'p',
  chainingAllowed: true,
  isDenylisted: () => false,
  maxSyncSourceLagSecs: 30,
  ...changes,
});

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

  test('a denylisted member is passed over in both rounds', () => {
    expect(chooseSyncSource(ask([other('near')], { isDenylisted: (host) => host === 'near' }))).toBe('p');
    expect(chooseSyncSource(ask([other('near')], { isDenylisted: () => true }))).toBeUndefined();
  });

  describe('chaining off', () => {
    const only = (changes: Partial<SyncSourceQuestion>) =>
      chooseSyncSource(ask([other('near')], { chainingAllowed: false, ...changes }));

    test('only the primary', () => expect(only({})).toBe('p'));
    test('which may be level with me', () => expect(only({ lastFetched: at(110, 1) })).toBe('p'));
    test('but not behind', () => expect(only({ lastFetched: at(111, 1) })).toBeUndefined());
    test('not when denylisted', () => expect(only({ isDenylisted: (host) => host === 'p' })).toBeUndefined());
    test('not when unknown', () => expect(only({ primaryHost: undefined })).toBeUndefined());
    test('not myself', () => expect(only({ primaryHost: 'me' })).toBeUndefined());
  });
});

describe('reasonToChangeSyncSource', () => {
  const reason = (
    source: Partial<SourceCandidate>,
    changes: Partial<SyncSourceQuestion> = {},
    others: readonly SourceCandidate[] = [],
    lastOpApplied?: OpTime,
  ) => reasonToChangeSyncSource('a', ask([other('a', source), ...others], changes), lastOpApplied);

  test('a good source is kept, though a fresher and nearer one exists', () => {
    expect(reason({}, {}, [other('b', { pingMs: 0, lastApplied: at(140, 1) })])).toBeUndefined();
  });

  test('notInConfig', () => {
    expect(reasonToChangeSyncSource('gone', ask([]))).toBe('notInConfig');
  });

  test.for([
    [false, 'p', 'chainingDisabled'],
    [false, undefined, undefined],
    [false, 'a', undefined],
    [true, 'p', undefined],
  ] as const)('chaining allowed %s, primary %s: %s', ([chainingAllowed, primaryHost, expected]) => {
    expect(reason({}, { chainingAllowed, primaryHost })).toBe(expected);
  });

  test.for<[source: Partial<SourceCandidate>, changes: Partial<SyncSourceQuestion>, expected: string | undefined]>([
    [{ syncingTo: undefined, lastApplied: at(100, 1) }, {}, 'noSourceAndNotAhead'],
    [{ syncingTo: undefined, lastApplied: at(90, 1) }, {}, 'noSourceAndNotAhead'],
    [{ syncingTo: undefined, lastApplied: at(101, 1) }, {}, undefined],
    [{ syncingTo: 'p', lastApplied: at(100, 1) }, {}, undefined], // once tailing, level is good enough
    [{ syncingTo: undefined, lastApplied: at(100, 1), state: 'PRIMARY' }, {}, undefined],
    [{ syncingTo: undefined, lastApplied: at(100, 1) }, { primaryHost: 'a' }, undefined],
    // I am the primary in catch-up, and my source waits for me.
    [{ syncingTo: 'me', lastApplied: at(100, 1) }, { primaryHost: 'me' }, 'cycle'],
    [{ syncingTo: 'me', lastApplied: at(101, 1) }, { primaryHost: 'me' }, undefined],
    [{ syncingTo: 'me', lastApplied: at(100, 1) }, { primaryHost: 'p' }, undefined],
    [{ syncingTo: 'p', lastApplied: at(100, 1) }, { primaryHost: 'me' }, undefined],
  ])('%j with %j: %s', ([source, changes, expected]) => {
    expect(reason(source, changes)).toBe(expected);
  });

  test("the source's own word counts where its heartbeats are older", () => {
    const source = { syncingTo: undefined, lastApplied: at(90, 1) };
    expect(reason(source, {}, [], at(101, 1))).toBeUndefined();
    expect(reason(source, {}, [], at(100, 1))).toBe('noSourceAndNotAhead');
    const fresh = [other('b', { lastApplied: at(135, 1) })];
    expect(reason({ lastApplied: at(90, 1) }, {}, fresh)).toBe('lag');
    expect(reason({ lastApplied: at(90, 1) }, {}, fresh, at(105, 1))).toBeUndefined();
    // It holds at least what I fetched, up to 100.
    expect(reason({ lastApplied: at(90, 1) }, {}, [other('b', { lastApplied: at(125, 1) })])).toBeUndefined();
  });

  // The source is at 110, so 140 is the limit.
  test.for<[what: string, fresher: Partial<SourceCandidate>, self: Partial<SourceCandidate>, leaves: boolean]>([
    ['by a second too many', { lastApplied: at(141, 1) }, {}, true],
    ['just not', { lastApplied: { ts: { t: 140, i: 99 }, t: 1 } }, {}, false],
    ['a branch of an older term counts, for only seconds are compared', { lastApplied: at(141, 0) }, {}, true],
    ['hidden or delayed does not matter', { hidden: true, secondaryDelaySecs: 1 }, {}, true],
    ['but down', { up: false }, {}, false],
    ['but not readable', { state: 'RECOVERING' }, {}, false],
    ['but without a vote', { isVoter: false }, {}, false],
    ['without a vote, like me', { isVoter: false }, { isVoter: false }, true],
    ['but builds no indexes', { buildsIndexes: false }, {}, false],
    ['builds no indexes, like me', { buildsIndexes: false }, { buildsIndexes: false }, true],
    ['but is me', { isSelf: true }, {}, false],
  ])('someone else is far ahead of the source, %s', ([, fresher, self, leaves]) => {
    const member = other('b', { lastApplied: at(150, 1), ...fresher });
    expect(reason({}, { self: { ...me, ...self } }, [member])).toBe(leaves ? 'lag' : undefined);
  });

  test('someone else is far ahead of the source, but denylisted', () => {
    const member = other('b', { lastApplied: at(150, 1) });
    expect(reason({}, { isDenylisted: (host) => host === 'b' }, [member])).toBeUndefined();
    expect(reason({}, { isDenylisted: (host) => host === 'a' }, [member])).toBe('lag');
  });
});
