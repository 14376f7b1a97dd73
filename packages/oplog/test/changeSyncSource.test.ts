import type { OpTime } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import {
  closerSyncSource,
  type PingQuestion,
  type ReevaluationQuestion,
  reasonToChangeSyncSource,
  type SourceCandidate,
  type SourceMetadata,
} from '../src/index.ts';
import { at } from './entries.ts';
import { ask, me, other } from './sourceQuestion.ts';

type Changes = Partial<ReevaluationQuestion>;

/** I fetched up to (100, 1) from `a`, which is at (110, 1) and fetches from the primary. */
function reason(
  source: Partial<SourceCandidate> = {},
  changes: Changes = {},
  others: readonly SourceCandidate[] = [],
  metadata: Partial<SourceMetadata> = {},
) {
  const a = other('a', source);
  return reasonToChangeSyncSource({
    ...ask([a, ...others]),
    source: 'a',
    metadata: { lastOpApplied: a.lastApplied, isPrimary: a.state === 'PRIMARY', syncSourceHost: 'p', ...metadata },
    chainingAllowed: true,
    ...changes,
  });
}

describe('whether a source is left', () => {
  test('not for a nearer or fresher one alone', () => {
    expect(reason()).toBeUndefined();
    expect(reason({}, {}, [other('b', { pingMs: 0, lastApplied: at(140, 1) })])).toBeUndefined();
  });

  test('when another one was asked for', () => {
    expect(reason({}, { forced: 'b' })).toBe('forced');
    expect(reason({}, { forced: 'a' })).toBeUndefined();
  });

  test('when it left the config', () => {
    expect(reason({}, { source: 'gone' })).toBe('notInConfig');
  });

  test.for<[what: string, changes: Changes, isPrimary: boolean, expected: string | undefined]>([
    ['another primary is known', { primaryHost: 'p' }, false, 'chainingDisabled'],
    ['no primary is known', { primaryHost: undefined }, false, undefined],
    ['the source is the primary', { primaryHost: 'a' }, false, undefined],
    ['the source says that it is primary', { primaryHost: 'p' }, true, undefined],
    ['after an error, no primary is known', { primaryHost: undefined, metadata: undefined }, false, undefined],
    ['after an error, another primary is known', { primaryHost: 'p', metadata: undefined }, false, 'chainingDisabled'],
    ['chaining is allowed', { primaryHost: 'p', chainingAllowed: true }, false, undefined],
  ])('with chaining off: %s', ([, changes, isPrimary, expected]) => {
    expect(reason({}, { chainingAllowed: false, ...changes }, [], { isPrimary })).toBe(expected);
  });

  test.for<
    [source: Partial<SourceCandidate>, word: Partial<SourceMetadata>, changes: Changes, expected: string | undefined]
  >([
    [{ lastApplied: at(100, 1) }, { syncSourceHost: undefined }, {}, 'noSourceAndNotAhead'],
    [{ lastApplied: at(90, 1) }, { syncSourceHost: undefined }, {}, 'noSourceAndNotAhead'],
    [{ lastApplied: at(101, 1) }, { syncSourceHost: undefined }, {}, undefined],
    [{ lastApplied: at(90, 1) }, { syncSourceHost: undefined, lastOpApplied: at(101, 1) }, {}, undefined],
    [{ lastApplied: at(101, 1) }, { syncSourceHost: undefined, lastOpApplied: at(90, 1) }, {}, undefined],
    [{ lastApplied: at(100, 1) }, { syncSourceHost: 'p' }, {}, undefined], // once tailing, level is good enough
    [{ lastApplied: at(100, 1) }, { syncSourceHost: undefined, isPrimary: true }, {}, undefined],
    // I am the primary in catch-up, and my source waits for me.
    [{ lastApplied: at(100, 1) }, { syncSourceHost: 'me' }, { primaryHost: 'me' }, 'cycle'],
    [{ lastApplied: at(101, 1) }, { syncSourceHost: 'me' }, { primaryHost: 'me' }, undefined],
    [{ lastApplied: at(100, 1) }, { syncSourceHost: 'me' }, { primaryHost: 'p' }, undefined],
    [{ lastApplied: at(100, 1) }, { syncSourceHost: 'p' }, { primaryHost: 'me' }, undefined],
  ])('%j, which says %j, %j: %s', ([source, word, changes, expected]) => {
    expect(reason(source, changes, [], word)).toBe(expected);
  });

  test('a lag is measured by the newer of its last word and its heartbeats', () => {
    const fresh = [other('b', { lastApplied: at(135, 1) })];
    const lastApplied = at(90, 1);
    expect(reason({ lastApplied }, {}, fresh)).toBe('lag');
    expect(reason({ lastApplied }, {}, fresh, { lastOpApplied: at(105, 1) })).toBeUndefined();
  });

  // The source is at 110, so 140 is the limit.
  test.for<[what: string, fresher: Partial<SourceCandidate>, self: Partial<SourceCandidate>, leaves: boolean]>([
    ['by a second too many', { lastApplied: at(141, 1) }, {}, true],
    ['just not', { lastApplied: { ts: { t: 140, i: 99 }, t: 1 } }, {}, false],
    ['but on a branch of an older term', { lastApplied: at(141, 0) }, {}, false],
    ['but hidden', { hidden: true }, {}, false],
    ['but delayed', { secondaryDelaySecs: 1 }, {}, false],
    ['delayed as I am', { secondaryDelaySecs: 1 }, { secondaryDelaySecs: 1 }, true],
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

  test.for<[what: string, source: Partial<SourceCandidate>, leaves: boolean]>([
    ['hidden', { hidden: true }, true],
    ['delayed', { secondaryDelaySecs: 5 }, true],
    ['without a vote', { isVoter: false }, true],
    ['down', { up: false }, true],
    ['not readable', { state: 'RECOVERING' }, true],
    ['merely level', { lastApplied: at(100, 1) }, false],
  ])('a source of the second choice, %s, for one of the first', ([, source, leaves]) => {
    // The primary, far away, would do.
    expect(reason(source)).toBe(leaves ? 'betterKind' : undefined);
    expect(reason(source, { isDenylisted: (host) => host === 'p' })).toBeUndefined();
    expect(reason(source, { metadata: undefined })).toBe(leaves ? 'betterKind' : undefined);
  });
});

describe('one that is much closer', () => {
  /** I fetch from `a`, 20 ms away; `b` is 10 ms away. */
  const closer = (
    changes: Partial<PingQuestion> = {},
    b: Partial<SourceCandidate> = {},
    lastFetched: OpTime = at(100, 1),
  ) =>
    closerSyncSource({
      ...ask([other('a', { pingMs: 20 }), other('b', { pingMs: 10, ...b })]),
      lastFetched,
      source: 'a',
      thresholdMillis: 5,
      maxChangesPerHour: 3,
      changesInLastHour: 1,
      chosenByCommand: false,
      inInitialSync: false,
      ...changes,
    })?.host;

  test.for<[what: string, changes: Partial<PingQuestion>, b: Partial<SourceCandidate>, expected: string | undefined]>([
    ['taken', {}, {}, 'b'],
    ['by just the threshold', {}, { pingMs: 15 }, undefined],
    ['by a millisecond more', {}, { pingMs: 14 }, 'b'],
    ['another threshold', { thresholdMillis: 10 }, {}, undefined],
    ['turned off', { thresholdMillis: 0 }, {}, undefined],
    ['asked for by command', { chosenByCommand: true }, {}, undefined],
    ['in initial sync', { inInitialSync: true }, {}, undefined],
    ['I am delayed', { self: { ...me, secondaryDelaySecs: 1 } }, {}, undefined],
    ['two changes in this hour', { changesInLastHour: 2 }, {}, 'b'],
    ['three changes in this hour', { changesInLastHour: 3 }, {}, undefined],
    ['fifteen heartbeats answered', { roundTrips: 15 }, {}, 'b'],
    ['fourteen', { roundTrips: 14 }, {}, undefined],
    ['not ahead of me', {}, { lastApplied: at(100, 1) }, undefined],
    ['hidden', {}, { hidden: true }, undefined],
    ['down', {}, { up: false }, undefined],
    ['only the primary will do', { readPreference: 'primary' }, {}, undefined],
    ['the primary is preferred, and is another', { readPreference: 'primaryPreferred' }, {}, undefined],
    ['the primary is preferred, and is near', { readPreference: 'primaryPreferred', primaryHost: 'b' }, {}, 'b'],
    [
      'the primary is preferred, and is the source',
      { readPreference: 'primaryPreferred', primaryHost: 'a' },
      {},
      undefined,
    ],
    ['the source is gone', { source: 'gone' }, {}, undefined],
  ])('%s', ([, changes, b, expected]) => {
    expect(closer(changes, b)).toBe(expected);
  });
});
