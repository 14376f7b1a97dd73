import { compareOpTimes, NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advanceCommitPoint, learnCommitPoint } from '../src/index.ts';
import { anyHistory, at } from './entries.ts';

const ARBITER = NULL_OP_TIME;

describe('a primary', () => {
  // It is primary of term 2 since (20, 2); (10, 1) is committed.
  test.for<[set: string, positions: OpTime[], writeMajority: number, commitPoint: OpTime]>([
    ['P', [at(21, 2)], 1, at(21, 2)],
    ['PS, waits for the other', [at(21, 2), at(15, 1)], 2, at(10, 1)],
    ['PSS, one of two is enough', [at(25, 2), at(22, 2), at(15, 1)], 2, at(22, 2)],
    ['PSS, order does not matter', [at(15, 1), at(22, 2), at(25, 2)], 2, at(22, 2)],
    ['PSS, not yet of its own term', [at(20, 2), at(15, 1), at(15, 1)], 2, at(10, 1)],
    ['PSS, its first entry', [at(20, 2), at(20, 2), at(15, 1)], 2, at(20, 2)],
    ['PSA', [at(22, 2), at(21, 2), ARBITER], 2, at(21, 2)],
    ['PSA with the secondary behind', [at(22, 2), at(15, 1), ARBITER], 2, at(10, 1)],
    ['PAA', [at(22, 2), ARBITER, ARBITER], 1, at(22, 2)],
    ['PSSSA', [at(24, 2), at(23, 2), at(22, 2), at(15, 1), ARBITER], 3, at(22, 2)],
    ['nobody known yet', [at(22, 2), NULL_OP_TIME, NULL_OP_TIME], 2, at(10, 1)],
    ['fewer voters than it needs', [at(22, 2)], 2, at(10, 1)],
  ])('%s', ([, voterPositions, writeMajority, expected]) => {
    const known = { writeMajority, firstOpTimeOfMyTerm: at(20, 2), commitPoint: at(10, 1) };
    expect(advanceCommitPoint({ ...known, voterPositions })).toEqual(expected);
  });

  test('commits nothing before the first entry of its term is written', () => {
    const known = { voterPositions: [at(15, 1), at(15, 1)], writeMajority: 2, commitPoint: at(10, 1) };
    expect(advanceCommitPoint({ ...known, firstOpTimeOfMyTerm: undefined })).toEqual(at(10, 1));
  });

  test('does not touch what it is given', () => {
    const voterPositions = Object.freeze([at(22, 2), at(21, 2)]);
    const known = { voterPositions, writeMajority: 2, firstOpTimeOfMyTerm: at(20, 2), commitPoint: at(10, 1) };
    expect(advanceCommitPoint(known)).toEqual(at(21, 2));
  });

  test('whatever it knows: never back, never an entry before its term, never beyond what writeMajority holds', () => {
    const anyKnowledge = anyHistory(2).chain((history) => {
      const anyOf = fc.constantFrom(...history);
      return fc.record({
        voterPositions: fc.array(fc.oneof(anyOf, fc.constant(NULL_OP_TIME)), { minLength: 1, maxLength: 7 }),
        writeMajority: fc.integer({ min: 1, max: 4 }),
        firstOpTimeOfMyTerm: fc.option(anyOf, { nil: undefined }),
        commitPoint: fc.oneof(anyOf, fc.constant(NULL_OP_TIME)),
      });
    });
    let moved = 0;
    fc.assert(
      fc.property(anyKnowledge, (known) => {
        const next = advanceCommitPoint(known);
        expect(compareOpTimes(next, known.commitPoint)).toBeGreaterThanOrEqual(0);
        if (compareOpTimes(next, known.commitPoint) === 0) return;
        moved += 1;
        const holders = known.voterPositions.filter((position) => compareOpTimes(position, next) >= 0);
        expect(holders.length).toBeGreaterThanOrEqual(known.writeMajority);
        expect(compareOpTimes(next, known.firstOpTimeOfMyTerm!)).toBeGreaterThanOrEqual(0);
        // And no later than it could: one more voter does not hold the next position.
        const beyond = known.voterPositions.filter((position) => compareOpTimes(position, next) > 0);
        expect(beyond.length).toBeLessThan(known.writeMajority);
      }),
      { seed: 1, numRuns: 1000 },
    );
    expect(moved).toBeGreaterThan(50);
  });
});

/** Each entry has one wall clock, so that it can be seen whose was taken. */
const placed = (opTime: OpTime) => ({ opTime, wallMs: opTime.ts.t * 1000 + opTime.ts.i });

describe('any other member', () => {
  // Its last entry is (20, 2), its commit point (10, 1).
  test.for<[what: string, learned: OpTime, fromSyncSource: boolean, isArbiter: boolean, commitPoint: OpTime]>([
    ['its own term, in its log', at(15, 2), false, false, at(15, 2)],
    ['its own term, ahead of its log', at(25, 2), false, false, at(25, 2)],
    ['a newer term, by heartbeat', at(25, 3), false, false, at(10, 1)],
    ['a newer term, from the source', at(25, 3), true, false, at(20, 2)],
    ['an older term, by heartbeat', at(15, 1), false, false, at(10, 1)],
    ['an older term, from the source', at(15, 1), true, false, at(15, 1)],
    ['older than known, from the source', at(5, 1), true, false, at(10, 1)],
    ['nothing known there', NULL_OP_TIME, true, false, at(10, 1)],
    ['an arbiter takes any', at(25, 3), false, true, at(25, 3)],
    ['an arbiter does not go back', at(5, 1), false, true, at(10, 1)],
  ])('%s', ([, learned, fromSyncSource, isArbiter, expected]) => {
    const heard = {
      commitPoint: { opTime: at(10, 1), wallMs: 1 },
      learned: { opTime: learned, wallMs: 2 },
      lastWritten: { opTime: at(20, 2), wallMs: 3 },
      fromSyncSource,
      isArbiter,
    };
    // The wall clock is that of the entry which was chosen, whoever told of it.
    const wallMs = compareOpTimes(expected, learned) === 0 ? 2 : compareOpTimes(expected, at(10, 1)) === 0 ? 1 : 3;
    expect(learnCommitPoint(heard)).toEqual({ opTime: expected, wallMs });
  });

  test('whatever it hears: never back; ahead of its log only in the term of its last entry', () => {
    const anyHearsay = anyHistory(3).chain((history) =>
      fc.record({
        commitPoint: fc.constantFrom(history[0]!, NULL_OP_TIME).map(placed),
        learned: fc.constantFrom(...history, NULL_OP_TIME).map(placed),
        lastWritten: fc.constantFrom(...history).map(placed),
        fromSyncSource: fc.boolean(),
        isArbiter: fc.constant(false),
      }),
    );
    let ahead = 0;
    fc.assert(
      fc.property(anyHearsay, (heard) => {
        const next = learnCommitPoint(heard);
        const { opTime } = next;
        expect(next).toEqual(placed(opTime));
        expect(compareOpTimes(opTime, heard.commitPoint.opTime)).toBeGreaterThanOrEqual(0);
        if (compareOpTimes(opTime, heard.commitPoint.opTime) === 0) return;
        if (compareOpTimes(opTime, heard.lastWritten.opTime) <= 0) return;
        ahead += 1;
        expect(opTime.t).toBe(heard.lastWritten.opTime.t);
      }),
      { seed: 1, numRuns: 1000 },
    );
    expect(ahead).toBeGreaterThan(20);
  });
});
