import { NULL_OP_TIME, type OpTime, sameOpTime } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FirstBatchVerdict, findCommonPoint, judgeFirstBatch, Oplog, rollbackForbidden } from '../src/index.ts';
import { anyHistory, at, entry } from './entries.ts';

function oplogOf(history: readonly OpTime[]): Oplog {
  const oplog = new Oplog();
  for (const opTime of history) oplog.append(entry(opTime));
  return oplog;
}

describe('findCommonPoint', () => {
  test('an equal ts in another term is not common', () => {
    const mine = oplogOf([at(1, 1), at(2, 1), at(3, 1)]);
    expect(findCommonPoint(mine, [at(4, 2), at(3, 2), at(2, 1), at(1, 1)])).toEqual(at(2, 1));
  });

  test('a stretch that does not reach back far enough holds none', () => {
    const mine = oplogOf([at(1, 1), at(2, 1)]);
    expect(findCommonPoint(mine, [at(4, 2), at(3, 2)])).toBeUndefined();
    expect(findCommonPoint(mine, [])).toBeUndefined();
  });

  test('whatever the two branches, it is the newest entry that both hold', () => {
    // Two members share a history, then each writes on in a term of its own, often at the same timestamps.
    const anyBranches = fc.record({
      trunk: anyHistory(1),
      mine: fc.array(fc.nat(2), { maxLength: 8 }),
      theirs: fc.array(fc.nat(2), { maxLength: 8 }),
    });
    const branch = (trunk: readonly OpTime[], steps: readonly number[], term: number): OpTime[] => {
      let ts = trunk.at(-1)!.ts;
      const more = steps.map((step) => {
        ts = { t: ts.t, i: ts.i + 1 + step };
        return { ts, t: term };
      });
      return [...trunk, ...more];
    };
    let sharedTimestamps = 0;
    fc.assert(
      fc.property(anyBranches, ({ trunk, mine, theirs }) => {
        const term = trunk.at(-1)!.t;
        const local = branch(trunk, mine, term + 1);
        const remote = branch(trunk, theirs, term + 2);
        if (mine[0] !== undefined && mine[0] === theirs[0]) sharedTimestamps += 1;
        const shared = remote.filter((opTime) => local.some((own) => sameOpTime(own, opTime)));
        expect(findCommonPoint(oplogOf(local), remote.toReversed())).toEqual(shared.at(-1));
        expect(shared.at(-1)).toEqual(trunk.at(-1));
      }),
      { seed: 1 },
    );
    expect(sharedTimestamps).toBeGreaterThan(10);
  });
});

describe('rollbackForbidden', () => {
  const facts = {
    commonPoint: at(20, 2),
    commitPoint: at(20, 2),
    stable: at(20, 2),
    lastWallMs: 86_400_000,
    firstRemovedWallMs: 0,
    rollbackTimeLimitSecs: 86_400,
  };

  test.for<[what: string, changes: Partial<typeof facts>, detail: RegExp | undefined, fatalId?: number]>([
    ['to the commit point, within the limit', {}, undefined],
    ['to before the commit point', { commitPoint: at(21, 2) }, /commit point/, 51121],
    ['to an older term than the commit point', { commonPoint: at(30, 1) }, /commit point/, 51121],
    ['to before the stable optime', { commitPoint: NULL_OP_TIME, stable: at(21, 2) }, /stable optime/, 51121],
    ['while no commit point is known', { commitPoint: NULL_OP_TIME }, undefined],
    ['of one millisecond too much', { lastWallMs: 86_400_001 }, /rollbackTimeLimitSecs \(86400\)/, 50666],
    ['while the wall clock went back', { lastWallMs: -5 }, undefined],
  ])('%s', ([, changes, detail, fatalId]) => {
    const forbidden = rollbackForbidden({ ...facts, ...changes });
    if (!detail) expect(forbidden).toBeUndefined();
    else
      expect(forbidden).toEqual({
        fatalId,
        code: 'UnrecoverableRollbackError',
        detail: expect.stringMatching(detail),
      });
  });
});

describe('judgeFirstBatch', () => {
  // My newest entry is (20, 2).
  test.for<
    [
      first: OpTime | undefined,
      remoteLast: OpTime,
      remoteFirst: OpTime | undefined,
      requireAhead: boolean,
      verdict: FirstBatchVerdict,
    ]
  >([
    [at(20, 2), at(25, 2), at(1, 1), true, 'continue'],
    [at(20, 2), at(20, 2), at(1, 1), true, 'notAhead'],
    [at(20, 2), at(20, 2), at(1, 1), false, 'continue'],
    [at(19, 2), at(19, 2), at(1, 1), false, 'notAhead'],
    [undefined, at(19, 2), at(1, 1), true, 'notAhead'],
    [at(25, 1), at(25, 1), at(1, 1), true, 'notAhead'], // later, but of an older term: its tail is the stale one
    [undefined, at(15, 3), at(1, 1), true, 'rollback'], // its log ends before mine, in a newer term
    [undefined, at(15, 3), at(21, 3), true, 'rollback'], // an empty batch says nothing about its head
    [at(20, 3), at(25, 3), at(1, 1), true, 'rollback'], // the same timestamp in another term
    [at(21, 2), at(25, 2), at(1, 1), true, 'rollback'],
    [at(21, 2), at(25, 2), at(20, 2), true, 'rollback'],
    [at(21, 2), at(25, 2), at(21, 2), true, 'tooStale'],
    [at(21, 2), at(25, 2), undefined, true, 'rollback'],
  ])(
    'starts %j, ends %j, reaches back to %j, must be ahead %s: %s',
    ([first, remoteLast, remoteFirst, requireAhead, verdict]) => {
      expect(judgeFirstBatch(at(20, 2), first, remoteLast, remoteFirst, requireAhead)).toBe(verdict);
    },
  );
});
