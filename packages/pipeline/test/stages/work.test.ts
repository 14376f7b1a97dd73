import { type BsonValue, ElementCursor, encodeDocument, IdSource } from '@replsim/protocol';
import { Meter } from '@replsim/query';
import { describe, expect, test } from 'vitest';
import { OperationVariables } from '../../src/stages/operationVariables.ts';
import { runStages } from '../../src/stages/runStages.ts';
import { parseStages } from '../../src/stages/stages.ts';
import type { PipelineWorld } from '../../src/stages/world.ts';

// However many documents a stage is given, others have a turn every few milliseconds of virtual time.

const ROWS = 12_000;
const rows = Array.from({ length: ROWS }, (_, i) =>
  encodeDocument({ _id: i, a: i, b: i % 50, s: `x${i % 997}`, list: [i, i + 1], in: { a: i } }),
);
const few = rows.slice(0, 60);

function worldOf(foreign: readonly Uint8Array[] = rows): PipelineWorld {
  const filterVariables = new OperationVariables(() => 0.5, []);
  return {
    filterVariables,
    meter: filterVariables.meter,
    collator: undefined,
    ids: new IdSource([1, 2]),
    collection: function* () {
      return foreign;
    },
    // Nothing is searched.
    checkJoins: () => {},
    searchIn: () => undefined as never,
  };
}

function stagesOf(...stages: readonly object[]) {
  const cursor = new ElementCursor(encodeDocument({ stages }));
  cursor.next();
  const list: BsonValue[] = [];
  const inner = new ElementCursor(cursor.bytes, cursor.value().offset);
  while (inner.next()) list.push(inner.value());
  return parseStages(list);
}

const window = { documents: ['unbounded', 'current'] };
const windowed = (output: object) => ({ $setWindowFields: { sortBy: { a: 1 }, output: { o: output } } });
const lastFifty = { documents: [-50, 0] };

const STAGES: readonly (readonly [stage: object, input?: readonly Uint8Array[]])[] = [
  [{ $match: { a: { $lt: 5 } } }],
  [{ $project: { a: 1 } }],
  [{ $addFields: { c: { $add: ['$a', 1] } } }],
  [{ $unset: 'a' }],
  [{ $replaceRoot: { newRoot: '$in' } }],
  [{ $redact: '$$KEEP' }],
  [{ $unwind: '$list' }],
  [{ $group: { _id: '$b', sum: { $sum: '$a' }, all: { $push: '$a' } } }],
  [{ $sortByCount: '$b' }],
  [{ $bucket: { groupBy: '$b', boundaries: [0, 25, 50] } }],
  [{ $bucketAuto: { groupBy: '$a', buckets: 3 } }],
  [{ $densify: { field: 'a', range: { step: 0.25, bounds: 'full' } } }],
  [{ $fill: { sortBy: { a: 1 }, output: { c: { method: 'locf' } } } }],
  [{ $facet: { few: [{ $match: { a: 1 } }], none: [{ $match: { a: -1 } }] } }],
  [{ $lookup: { from: 'rows', localField: 'a', foreignField: 'b', as: 'found' } }],
  [{ $lookup: { from: 'rows', let: { x: '$a' }, pipeline: [{ $match: { $expr: { $lt: ['$a', '$$x'] } } }], as: 'f' } }, few], // biome-ignore format: a row
  [{ $lookup: { from: 'rows', let: { x: '$a' }, pipeline: [{ $match: { $expr: { $eq: ['$a', '$$x'] } } }], as: 'f' } }],
  [{ $graphLookup: { from: 'rows', startWith: '$b', connectFromField: 'b', connectToField: 'a', as: 'f' } }],
  [{ $unionWith: { coll: 'rows', pipeline: [{ $match: { a: 1 } }] } }, few],
  ...['$sum', '$min', '$push', '$first', '$stdDevPop', '$addToSet'].map((name) => [windowed({ [name]: '$b', window: lastFifty })] as const), // biome-ignore format: a row
  [windowed({ $topN: { n: 2, sortBy: { a: 1 }, output: '$a' }, window: lastFifty })],
  [windowed({ $median: { input: '$a', method: 'approximate' }, window: lastFifty })],
  [windowed({ $covariancePop: ['$a', '$b'], window: lastFifty })],
  [windowed({ $integral: { input: '$a' }, window: lastFifty })],
  [windowed({ $derivative: { input: '$a' }, window })],
  [windowed({ $expMovingAvg: { input: '$a', N: 2 } })],
  [windowed({ $rank: {} })],
  [windowed({ $shift: { output: '$a', by: 1 } })],
  [windowed({ $linearFill: '$a' })],
];

describe.for(STAGES)('%j', ([stage, input = rows]) => {
  test('lets others have their turns', () => {
    const turns: number[] = [];
    const work = runStages(stagesOf(stage), input, worldOf());
    for (let step = work.next(); !step.done; step = work.next()) turns.push(step.value);
    expect(turns.length).toBeGreaterThan(1);
    // What a stage does with a whole group, or one document with its window, is one piece.
    expect(Math.max(...turns)).toBeLessThan(2 * ROWS);
  });
});

test('what is shorter than a slice takes no time', () => {
  const work = runStages(stagesOf({ $match: { a: 1 } }, { $project: { a: 1 } }), rows.slice(0, 1000), worldOf());
  expect(work.next().done).toBe(true);
});

test('an expression on one document counts what it goes through, and ends when its time is up', () => {
  const nested = (inner: unknown) => ({ $map: { input: { $range: [0, 300] }, in: inner } });
  const stages = stagesOf({ $project: { n: { $size: nested({ $size: nested(1) }) } } });
  const world = worldOf();
  const run = (spend: (micros: number) => void): void => {
    const work = runStages(stages, rows.slice(0, 1), world);
    for (let step = work.next(); !step.done; step = work.next()) spend(step.value);
  };
  let spent = 0;
  run((micros) => (spent += micros));
  expect(spent).toBeGreaterThan((300 * 300) / 4);
  let left = 10_000;
  world.meter.until(() => left);
  expect(() => run((micros) => (left -= micros))).toThrow(expect.objectContaining({ code: 50 }));
  expect(left).toBeGreaterThan(0);
});

test('a meter asks how much time is left as a slice begins', () => {
  const meter = new Meter();
  let left = 10;
  meter.until(() => left);
  meter.add(40);
  expect(() => meter.add(1)).toThrow(expect.objectContaining({ codeName: 'MaxTimeMSExpired' }));
  meter.take();
  left = 20;
  meter.add(80);
});
