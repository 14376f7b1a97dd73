import {
  compareTimestamps,
  InvariantError,
  NULL_OP_TIME,
  type OplogEntry,
  type OpTime,
  sameOpTime,
  type Timestamp,
} from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Oplog } from '../src/index.ts';
import { at, entry } from './entries.ts';

function add(oplog: Oplog, opTime: OpTime): OplogEntry {
  const added = entry(opTime);
  oplog.append(added);
  oplog.addBytes(added.bytes.length);
  return added;
}

function oplogUpTo(secs: number): { oplog: Oplog; entries: OplogEntry[] } {
  const oplog = new Oplog();
  return { oplog, entries: Array.from({ length: secs }, (_, i) => add(oplog, at(i + 1, 1))) };
}

const SIZE = entry(at(1, 1)).bytes.length;

test.for<[ts: number, left: number[]]>([
  [0, [1, 2, 3, 4]],
  [1, [1, 2, 3, 4]],
  [3, [3, 4]],
  [9, [4]],
])('cut before %d it holds %o', ([ts, left]) => {
  const { oplog } = oplogUpTo(4);
  oplog.truncateBefore({ t: ts, i: 0 });
  expect(oplog.slice(oplog.firstIndex, oplog.endIndex).map(({ opTime }) => opTime.ts.t)).toEqual(left);
  expect(oplog.sizeBytes).toBe(left.length * SIZE);
});

describe('an empty oplog', () => {
  test.for<[how: string, make: () => Oplog, index: number]>([
    ['new', () => new Oplog(), 0],
    ['cleared', () => cleared(), 3],
    ['cut at the head, then behind', () => cutBothEnds(), 2],
  ])('%s', ([, make, index]) => {
    const oplog = make();
    expect(oplog.length).toBe(0);
    expect(oplog.sizeBytes).toBe(0);
    expect(oplog.first).toBe(NULL_OP_TIME);
    expect(oplog.last).toBe(NULL_OP_TIME);
    expect(oplog.lastEntry).toBeUndefined();
    expect([oplog.firstIndex, oplog.endIndex]).toEqual([index, index]);
    expect(oplog.at(index)).toBeUndefined();
    expect(oplog.lowerBound({ t: 1, i: 1 })).toBe(index);
    expect(oplog.lastIndexUpTo({ t: 9, i: 1 })).toBe(index - 1);
    expect(oplog.has(at(1, 1))).toBe(false);
    expect(oplog.slice(0, 99)).toEqual([]);
    expect(oplog.truncateAfter(at(1, 1))).toEqual([]);
    expect(oplog.truncateHead(0, 99)).toBe(0);
    expect(oplog.append(entry(at(5, 1)))).toBe(index);
  });

  function cleared() {
    const { oplog } = oplogUpTo(3);
    oplog.clear();
    return oplog;
  }

  function cutBothEnds() {
    const { oplog } = oplogUpTo(5);
    oplog.truncateHead(0, 2);
    oplog.truncateAfter(at(1, 1));
    return oplog;
  }
});

test('only the pair of ts and term is an entry', () => {
  const { oplog } = oplogUpTo(3);
  expect(oplog.has(at(2, 1))).toBe(true);
  expect(oplog.has(at(2, 2))).toBe(false);
  expect(oplog.has({ ts: { t: 2, i: 2 }, t: 1 })).toBe(false);
});

test('truncateHead stops at the cap, at what must be kept, and at the last entry', () => {
  expect(oplogUpTo(10).oplog.truncateHead(10 * SIZE, 99)).toBe(0);
  expect(oplogUpTo(10).oplog.truncateHead(10 * SIZE - 1, 99)).toBe(1);
  expect(oplogUpTo(10).oplog.truncateHead(7 * SIZE, 99)).toBe(3);
  expect(oplogUpTo(10).oplog.truncateHead(0, 4)).toBe(4);
  expect(oplogUpTo(10).oplog.truncateHead(0, 99)).toBe(9);
});

test('truncateHead leaves what is younger than the minimum retention', () => {
  // Entry n was written at n seconds.
  expect(oplogUpTo(10).oplog.truncateHead(0, 99, 4000)).toBe(3);
  expect(oplogUpTo(10).oplog.truncateHead(0, 99, 1000)).toBe(0);
  expect(oplogUpTo(10).oplog.truncateHead(7 * SIZE, 99, 9000)).toBe(3);
});

test('indices stay good when the head is let go of in bulk', () => {
  const { oplog, entries } = oplogUpTo(10_000);
  expect(oplog.truncateHead(1000 * SIZE, 99_999)).toBe(9000);
  expect([oplog.firstIndex, oplog.endIndex, oplog.sizeBytes]).toEqual([9000, 10_000, 1000 * SIZE]);
  expect(oplog.at(8999)).toBeUndefined();
  expect(oplog.at(9000)).toBe(entries[9000]);
  expect(oplog.slice(8990, 9002)).toEqual([entries[9000], entries[9001]]);
  // Bounds that lie before what is held, where a careless difference would be negative.
  expect(oplog.slice(8990, 8995)).toEqual([]);
  expect(oplog.lowerBound({ t: 9500, i: 1 })).toBe(9499);
  expect(oplog.lastIndexUpTo({ t: 9500, i: 0 })).toBe(9498);
  expect(oplog.append(entry(at(20_000, 1)))).toBe(10_000);
});

describe('as an array of entries with their indices would do', () => {
  type Held = { index: number; entry: OplogEntry };
  class Model {
    held: Held[] = [];
    end = 0;
    bytes = () => this.held.reduce((sum, { entry }) => sum + entry.bytes.length, 0);
    firstIndex = () => this.held[0]?.index ?? this.end;
    lowerBound = (ts: Timestamp) =>
      this.held.find(({ entry }) => compareTimestamps(entry.opTime.ts, ts) >= 0)?.index ?? this.end;
    lastIndexUpTo = (ts: Timestamp) =>
      this.held.findLast(({ entry }) => compareTimestamps(entry.opTime.ts, ts) <= 0)?.index ?? this.firstIndex() - 1;
  }
  type Step =
    | { type: 'append'; secs: number; newTerm: boolean }
    | { type: 'truncateAfter'; ts: Timestamp }
    | { type: 'truncateHead'; entries: number; keepBack: number }
    | { type: 'clear' };
  const anyTs = fc.record({ t: fc.nat(40), i: fc.integer({ min: 1, max: 3 }) });
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ type: fc.constant('append' as const), secs: fc.nat(2), newTerm: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('truncateAfter' as const), ts: anyTs }) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('truncateHead' as const), entries: fc.nat(10), keepBack: fc.nat(10) }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'clear' } as const) },
  );

  function perform(step: Step, oplog: Oplog, model: Model): void {
    switch (step.type) {
      case 'append': {
        const { ts, t } = model.held.at(-1)?.entry.opTime ?? { ts: { t: 0, i: 0 }, t: 1 };
        const next = step.secs > 0 ? { t: ts.t + step.secs, i: 1 } : { t: ts.t, i: ts.i + 1 };
        const added = add(oplog, { ts: next, t: t + (step.newTerm ? 1 : 0) });
        model.held.push({ index: model.end++, entry: added });
        return;
      }
      case 'truncateAfter': {
        const removed = model.held.filter(({ entry }) => compareTimestamps(entry.opTime.ts, step.ts) > 0);
        expect(oplog.truncateAfter({ ts: step.ts, t: 1 })).toEqual(removed.map(({ entry }) => entry));
        model.held = model.held.slice(0, model.held.length - removed.length);
        model.end -= removed.length;
        return;
      }
      case 'truncateHead': {
        const cap = step.entries * SIZE;
        const keepFrom = model.end - step.keepBack;
        let removed = 0;
        while (model.bytes() > cap && model.held.length > 1 && model.held[0]!.index < keepFrom) {
          model.held.shift();
          removed += 1;
        }
        expect(oplog.truncateHead(cap, keepFrom)).toBe(removed);
        return;
      }
      case 'clear':
        oplog.clear();
        model.held = [];
    }
  }

  function compare(oplog: Oplog, model: Model, probes: readonly Timestamp[]): void {
    const { held } = model;
    expect([oplog.firstIndex, oplog.endIndex, oplog.length]).toEqual([model.firstIndex(), model.end, held.length]);
    expect(oplog.sizeBytes).toBe(model.bytes());
    expect(oplog.first).toEqual(held[0]?.entry.opTime ?? NULL_OP_TIME);
    expect(oplog.last).toEqual(held.at(-1)?.entry.opTime ?? NULL_OP_TIME);
    expect(oplog.lastEntry).toBe(held.at(-1)?.entry);
    for (const { index, entry } of held) expect(oplog.at(index)).toBe(entry);
    expect(oplog.at(model.firstIndex() - 1)).toBeUndefined();
    expect(oplog.at(model.end)).toBeUndefined();
    for (const ts of probes) {
      expect(oplog.lowerBound(ts)).toBe(model.lowerBound(ts));
      expect(oplog.lastIndexUpTo(ts)).toBe(model.lastIndexUpTo(ts));
      for (const t of [1, 2]) {
        const opTime = { ts, t };
        expect(oplog.has(opTime)).toBe(held.some(({ entry }) => sameOpTime(entry.opTime, opTime)));
      }
    }
    for (const [from, to] of [
      [0, 99],
      [model.firstIndex() + 1, model.end - 1],
      [2, 4],
      [model.end - 2, 99],
    ] as const) {
      const expected = held.filter(({ index }) => index >= from && index < to).map(({ entry }) => entry);
      expect(oplog.slice(from, to)).toEqual(expected);
    }
  }

  test('whatever is done to it', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 40, size: 'max' }),
        fc.array(anyTs, { maxLength: 5 }),
        (steps, probes) => {
          const oplog = new Oplog();
          const model = new Model();
          for (const step of steps) {
            perform(step, oplog, model);
            compare(oplog, model, probes);
          }
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });
});

test('an entry that is not after the last one is a bug, and stops the run', () => {
  const { oplog } = oplogUpTo(5);
  expect(() => oplog.append(entry(at(5, 1)))).toThrow("is not after (5,1 t1), the oplog's last");
  expect(() => oplog.append(entry(at(4, 1)))).toThrow(InvariantError);
  expect(oplog.length).toBe(5);
});
