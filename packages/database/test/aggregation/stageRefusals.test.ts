import { Decimal128, Long, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, s: 'text', n: 5, a: [1, 'x'], d: new Date(0) });
  member.insert('c', { _id: 2, s: 'other', n: -1, a: [], d: new Date(1) });
});

const run = (stage: object) => member.run({ aggregate: 'c', pipeline: [stage], cursor: {} });

const windows = (output: unknown, more: object = { sortBy: { n: 1 } }) => ({ $setWindowFields: { ...more, output } });
const bounds = (window: unknown, more?: object) => windows({ v: { $sum: '$n', window } }, more);
const densify = (range: unknown, more: object = {}) => ({ $densify: { field: 'n', range, ...more } });
const buckets = (more: object) => ({ $bucketAuto: { groupBy: '$n', buckets: 1, ...more } });

/** What names no field of documents, wherever a path stands. Upstream: field_path.cpp. */
function pathMistakes(stage: (path: string) => object): [stage: object, code: number, phrase: string][] {
  const codes = { '': 40352, 'a.': 40353, '.a': 15998, 'a..b': 15998, 'a.$b': 16410 };
  return Object.entries(codes).map(([path, code]) => [stage(path), code, 'FieldPath']);
}

const bucket = (more: object) => ({ $bucket: { groupBy: '$n', boundaries: [0, 9], default: 'other', ...more } });
const lookup = (more: object) => ({ $lookup: { from: 'c', localField: 'n', foreignField: 'n', as: 'x', ...more } });
const graph = (more: object) => ({
  $graphLookup: { from: 'c', startWith: '$n', connectFromField: 'n', connectToField: 'n', as: 'x', ...more },
});

test.for<[stage: object, code: number, phrase: string]>([
  [bucket({ boundaries: [0, 'x'] }), 40193, 'the same type'],
  [bucket({ boundaries: [0, '$n'] }), 40191, 'constant'],
  [bucket({ boundaries: [9, 0] }), 40194, 'sorted'],
  [bucket({ default: '$n' }), 40195, 'constant'],
  [bucket({ default: { $add: ['$n', 1] } }), 40195, 'constant'],
  [bucket({ default: 5 }), 40199, 'lowest boundary'],
  [bucket({ groupBy: 5 }), 40202, "'groupBy' field"],
  [bucket({ groupBy: 'n' }), 40202, "'groupBy' field"],
  [bucket({ output: { _id: { $sum: 1 } } }), 15948, 'only be specified once'],
  [{ $group: { _id: null, v: { $push: ['$n', '$s'] } } }, 40237, '$push accumulator is a unary operator'],
  [{ $group: { _id: null, v: { $sum: [] } } }, 40237, 'unary'],
  [{ $sortByCount: {} }, 40147, '$sortByCount'],
  [{ $sample: { size: 1, x: 1 } }, 28748, 'x'],
  [{ $sample: { size: 'x' } }, 28746, 'a number'],
  ...['localField', 'foreignField', 'as'].flatMap((name) => pathMistakes((path) => lookup({ [name]: path }))),
  ...['connectFromField', 'connectToField', 'depthField'].flatMap((name) =>
    pathMistakes((path) => graph({ [name]: path })),
  ),
  ...pathMistakes((path) => ({ $set: { v: `$${path}` } })).slice(1),
  ...pathMistakes((path) => ({ $unset: path })),
  [{ $unwind: '' }, 28812, 'no path'],
  [{ $unwind: '$a.' }, 40353, 'a.'],
  [{ $unwind: '$$a' }, 16410, '$a'],
  [{ $unwind: '$a..b' }, 15998, 'a..b'],
  [{ $set: { v: '$' } }, 16872, 'by itself'],
  [{ $set: { v: '$$' } }, 9, 'empty variable names'],

  [{ $bucketAuto: 5 }, 40240, '$bucketAuto'],
  [{ $bucketAuto: { buckets: 1 } }, 40246, "requires 'groupBy' and 'buckets'"],
  [{ $bucketAuto: { groupBy: '$n' } }, 40246, "requires 'groupBy' and 'buckets'"],
  [buckets({ groupBy: 'n' }), 40239, "'groupBy' field must be"],
  [buckets({ buckets: 'x' }), 40241, 'numeric value'],
  [buckets({ buckets: 1.5 }), 40242, '32-bit integer'],
  [buckets({ buckets: 0 }), 40243, 'greater than 0'],
  [buckets({ output: 5 }), 40244, "'output' field must be an object"],
  [buckets({ nope: 1 }), 40245, 'Unrecognized option to $bucketAuto'],
  [buckets({ granularity: 1 }), 40261, "'granularity' field must be a string"],
  [buckets({ granularity: 'R6' }), 40257, 'Unknown rounding granularity'],
  [buckets({ groupBy: '$s', granularity: 'R5' }), 40258, 'numeric boundaries'],
  [buckets({ groupBy: { $literal: Number.NaN }, granularity: 'R5' }), 40259, 'NaN'],
  [buckets({ granularity: 'R5' }), 40260, 'non-negative'],
  [buckets({ output: { v: { $nope: 1 } } }), 15952, '$nope'],
  [buckets({ output: { 'a.b': { $sum: 1 } } }), 40235, "cannot contain '.'"],

  [{ $redact: 5 }, 17053, '$$KEEP, $$DESCEND, and $$PRUNE'],
  [{ $redact: '$s' }, 17053, '$$KEEP'],
  [{ $redact: '$$NOPE' }, 17276, 'NOPE'],

  [{ $setWindowFields: 5 }, 9, '$setWindowFields'],
  [{ $setWindowFields: {} }, 40414, "'$setWindowFields.output' is missing"],
  [{ $setWindowFields: { output: {}, nope: 1 } }, 40415, "'$setWindowFields.nope' is an unknown field"],
  [{ $setWindowFields: { output: {}, sortBy: 5 } }, 14, "'$setWindowFields.sortBy' is the wrong type"],
  [{ $setWindowFields: { output: {}, partitionBy: '$a' } }, 14, 'cannot evaluate to value of type array'],
  [windows({ v: 5 }), 9, 'must be an object'],
  [windows({ v: {} }), 9, 'Expected a $-prefixed window function'],
  [windows({ v: { $nope: 1 } }), 9, 'Unrecognized window function, $nope'],
  [windows({ v: { $sum: 1, nope: 1 } }), 9, 'unknown argument'],
  [windows({ a: { $sum: 1 }, 'a.b': { $sum: 1 } }), 6307900, 'conflicting paths'],
  [bounds(5), 9, "'window' field must be an object"],
  [bounds({ nope: 1 }), 9, 'nope'],
  [bounds({ documents: [0, 1], range: [0, 1] }), 9, 'not both'],
  [bounds({ documents: [0, 1], unit: 'day' }), 9, "'unit' with range-based bounds"],
  [bounds({ documents: [0] }), 9, '2-element array'],
  [bounds({ documents: [0.5, 1] }), 9, 'must be an integer'],
  [bounds({ documents: ['x', 1] }), 9, "'unbounded', 'current', or a number"],
  [bounds({ documents: [1, 0] }), 5339900, 'Lower bound must not exceed upper bound'],
  [bounds({ documents: ['current', -1] }), 5339900, 'Lower bound'],
  [bounds({ documents: [0, 1] }, {}), 5339901, 'Document-based bounds require a sortBy'],
  [bounds({ range: [0, 1] }, { sortBy: { n: 1, s: 1 } }), 5339902, 'require sortBy a single field'],
  [bounds({ range: [0, 1] }, { sortBy: { n: -1 } }), 8947401, 'ascending sortBy'],
  [bounds({ range: ['$n', 1] }), 9, "'unbounded', 'current', or a number"],
  [bounds({ range: [0, 1], unit: 5 }), 9, "'unit' must be a string"],
  [bounds({ range: [0, 1], unit: 'fortnight' }), 9, 'unknown time unit value: fortnight'],
  [bounds({ range: [0, 1.5], unit: 'day' }), 9, 'must be an integer'],
  [bounds({ range: [0, 1], unit: 'day' }), 5429513, 'Expected the sortBy field to be a Date, but it was int'],
  [bounds({ range: [0, 1] }, { sortBy: { s: 1 } }), 5429414, 'Expected the sortBy field to be a number'],
  [bounds({ range: [0, 1] }, { sortBy: { d: 1 } }), 5429413, 'a unit must be provided'],
  [windows({ v: { $rank: {}, window: {} } }), 5371601, 'take no other arguments'],
  [windows({ v: { $rank: {} } }, {}), 5371602, 'sortBy expression with exactly one element'],
  [windows({ v: { $denseRank: 1 } }), 5371603, "'{}' as the value"],
  [windows({ v: { $shift: 5 } }), 9, '$shift must be an object'],
  [windows({ v: { $shift: { output: 1 } } }), 9, "'by'"],
  [windows({ v: { $shift: { output: 1, by: 0.5 } } }), 9, 'must be an integer'],
  [windows({ v: { $shift: { output: 1, by: 1 } } }, {}), 9, 'sortBy'],
  [windows({ v: { $shift: { output: 1, by: 1, default: '$n' } } }), 9, 'must yield a constant value'],
  [windows({ v: { $linearFill: '$n' } }, {}), 605001, 'exactly one element'],
  [windows({ v: { $linearFill: '$s' } }), 14, 'must be numeric or nullish'],
  [windows({ v: { $derivative: 5 } }), 9, 'an object'],
  [windows({ v: { $derivative: { unit: 'day' } } }), 9, "'input' expression"],
  [windows({ v: { $integral: { input: '$n' } } }, {}), 9, 'sortBy'],
  [windows({ v: { $expMovingAvg: { input: '$n' } } }), 9, 'exactly two fields'],
  [windows({ v: { $expMovingAvg: { input: '$n', N: 1.5 } } }), 9, 'must be an integer'],
  [windows({ v: { $expMovingAvg: { input: '$n', N: 0 } } }), 9, 'greater than zero'],
  [windows({ v: { $expMovingAvg: { input: '$n', alpha: 1 } } }), 9, 'between 0 and 1'],

  [{ $densify: 5 }, 9, '$densify'],
  [{ $densify: {} }, 40414, "'$densify.field' is missing"],
  [{ $densify: { field: 'n' } }, 40414, "'$densify.range' is missing"],
  [densify({ step: 1, bounds: 'full' }, { nope: 1 }), 40415, 'unknown field'],
  [densify({ bounds: 'full' }), 40414, 'step'],
  [densify({ step: 1 }), 40414, 'bounds'],
  [densify({ step: 0, bounds: 'full' }), 5733401, 'strictly positive'],
  [densify({ step: 'x', bounds: 'full' }), 14, "'$densify.range.step' is the wrong type 'string'"],
  [densify({ step: 0, bounds: 'full', unit: 5 }), 14, "'$densify.range.unit' is the wrong type 'int'"],
  [densify({ step: 0 }), 40414, 'bounds'],
  [densify({ step: 1, bounds: 'all' }), 5946802, "'full' or 'partition'"],
  [densify({ step: 1, bounds: 5 }), 5733404, 'ascending array'],
  [densify({ step: 1, bounds: [1] }), 5733403, 'exactly two elements'],
  [densify({ step: 1, bounds: [2, 1] }), 5733402, 'ascending'],
  [densify({ step: 1, bounds: [1, new Date(1)] }), 5733406, 'both dates or both numeric'],
  [densify({ step: 1, bounds: [1, 2], unit: 'day' }), 5733409, 'may not have unit'],
  [densify({ step: 1, bounds: [new Date(0), new Date(1)] }), 5733410, 'must specify a unit'],
  [densify({ step: 1.5, bounds: [1, 2] }), 5876900, 'same type'],
  [densify({ step: 1, bounds: ['a', 'b'] }), 5946800, 'numeric or dates'],
  [densify({ step: 1.5, bounds: 'full', unit: 'day' }), 6586400, 'whole number'],
  [densify({ step: 1, bounds: 'full', unit: 'x' }), 9, 'unknown time unit'],
  [densify({ step: 1, bounds: 'partition' }), 5733408, 'partitionByFields'],
  [densify({ step: 1, bounds: 'full', unit: 'day' }), 6053600, 'step has a date unit'],
  [densify({ step: 1, bounds: 'full' }, { field: 'd' }), 6053600, 'does not have a date unit'],
  [densify({ step: 1, bounds: 'full' }, { field: 's' }), 5733201, 'numeric or a date'],
  [densify({ step: 1e-9, bounds: 'full' }), 5897900, 'limit'],

  [{ $fill: 5 }, 9, '$fill'],
  [{ $fill: {} }, 40414, "'$fill.output' is missing"],
  [{ $fill: { output: {} } }, 6050203, 'at least one element'],
  [{ $fill: { output: { n: 5 } } }, 6050200, 'must be an object'],
  [{ $fill: { output: { n: { method: 'locf', value: 1 } } } }, 6050201, 'not both'],
  [{ $fill: { output: { n: { method: 'guess' } } } }, 6050202, 'locf or linear'],
  [{ $fill: { output: { n: { nope: 1 } } } }, 40415, 'unknown field'],
  [{ $fill: { output: { n: { method: 'linear' } } } }, 605001, 'sortBy'],
  [{ $fill: { partitionBy: '$s', partitionByFields: ['s'], output: { n: { value: 1 } } } }, 6050204, 'Maximum one of'],
])('%j is refused with %i', ([stage, code, phrase]) => {
  const reply = run(stage);
  expect(reply).toMatchObject({ ok: 0, code });
  expect(reply.errmsg).toContain(phrase);
});

const nonsense: readonly unknown[] = [
  null,
  5,
  -1,
  1e300,
  Number.NaN,
  'x',
  '$s',
  '$$ROOT',
  true,
  [],
  {},
  [[]],
  { $sum: 'x' },
  { $abs: '$s' },
  { n: 1 },
  { v: { $sum: '$s', window: { documents: ['unbounded', 5] } } },
  { v: { $push: { $size: '$n' }, window: { range: [{ $add: ['x', 1] }, 5] } } },
  { v: { $top: { sortBy: 5, output: '$n' } } },
  { v: { $minN: { input: '$n', n: 'x' } } },
  { v: { $covariancePop: '$n' } },
  { v: { $derivative: { input: { $abs: '$s' }, unit: 'x' } } },
  { v: { $integral: { input: '$s' } } },
  { v: { $expMovingAvg: { input: '$s', N: 2 } } },
  { v: { $median: { input: '$n', method: 5 } } },
  { v: { $percentile: { input: '$n', p: 'x', method: 'approximate' } } },
  { step: 1, bounds: [new Date(0), null] },
  /x/,
  new Date(Number.NaN),
  new Timestamp({ t: 1, i: 1 }),
  Long.MIN_VALUE,
  Decimal128.fromString('Infinity'),
  JSON.parse('{"__proto__": {"x": 1}, "constructor": 5}'),
];
/** Words of JavaScript's errors, and of the libraries'. */
const foreign =
  /TypeError|RangeError|undefined(?! variable)|is not a function|is not iterable|Cannot read|Cannot convert (undefined|a BigInt|object)|Cannot mix|not defined|Invalid (time|array|count)|BigInt|BSON(?! field)|\[object/;

/** Stages with all that they may have, so that each part can be nonsense for itself. */
const whole: readonly [name: string, spec: Record<string, unknown>][] = [
  ['$bucket', { groupBy: '$n', boundaries: [-9, 9], default: 'other', output: { v: { $sum: 1 } } }],
  ['$bucketAuto', { groupBy: '$_id', buckets: 2, output: { v: { $sum: 1 } }, granularity: 'R5' }],
  ['$densify', { field: 'n', partitionByFields: ['s'], range: { step: 1, bounds: [0, 3] } }],
  ['$facet', { v: [{ $match: {} }] }],
  ['$fill', { partitionBy: '$s', sortBy: { n: 1 }, output: { n: { method: 'linear' } } }],
  ['$graphLookup', { from: 'c', startWith: '$n', connectFromField: 'n', connectToField: '_id', as: 'v', maxDepth: 1, depthField: 'z', restrictSearchWithMatch: {} }],
  ['$group', { _id: '$n', v: { $sum: 1 } }],
  ['$lookup', { from: 'c', let: { v: '$n' }, pipeline: [{ $match: {} }], as: 'v' }],
  ['$redact', { $cond: [true, '$$KEEP', '$$PRUNE'] }],
  ['$replaceRoot', { newRoot: '$$ROOT' }],
  ['$sample', { size: 1 }],
  ['$setWindowFields', { partitionBy: '$s', sortBy: { n: 1 }, output: { v: { $sum: '$n' } } }],
  ['$unionWith', { coll: 'c', pipeline: [] }],
  ['$unwind', { path: '$a', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true }],
]; // biome-ignore format: a table

describe('whatever a stage is given, the answer is documents or an error of MongoDB', () => {
  test.for(whole)('%s', ([name, spec]) => {
    expect(run({ [name]: spec }).code ?? 0).not.toBe(8);
    for (const junk of nonsense) {
      const specs = [junk, ...Object.keys(spec).map((field) => ({ ...spec, [field]: junk }))];
      for (const given of [...specs, { ...spec, nope: junk }]) {
        const reply = run({ [name]: given });
        if (reply.ok === 1) continue;
        expect(reply.code).toBeGreaterThan(0);
        expect(reply.codeName).toMatch(/\w/);
        expect(reply.errmsg).not.toMatch(foreign);
      }
    }
  });
  test.for(['$count', '$limit', '$match', '$project', '$set', '$skip', '$sort', '$sortByCount', '$unset'])(
    '%s',
    (name) => {
      for (const junk of nonsense) {
        const reply = run({ [name]: junk });
        if (reply.ok === 1) continue;
        expect(reply.code).toBeGreaterThan(0);
        expect(reply.errmsg).not.toMatch(foreign);
      }
    },
  );
});
