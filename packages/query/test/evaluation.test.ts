import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import {
  compileAdditions,
  compileExpression,
  compileStageProjection,
  Evaluation,
  Meter,
  UNFINISHED,
  type Variables,
} from '../src/index.ts';
import { documentValue, jsOf } from '../src/values.ts';

/** It is the others' turn after each part. */
class Impatient extends Meter {
  override get isDue(): boolean {
    return true;
  }
}

class World extends Map implements Variables {
  readonly meter: Meter;
  draws = 0;
  readonly random = () => this.draws++ / 1024;

  constructor(meter: Meter) {
    super();
    this.meter = meter;
  }
}

const document = encodeDocument({
  a: Array.from({ length: 600 }, (_, i) => (i * 37) % 101),
  objects: Array.from({ length: 300 }, (_, i) => ({ k: i % 7, list: [{ v: i }, { v: -i }] })),
  text: 'one two  three '.repeat(60),
});

const long = (length: number, item: (i: number) => unknown) => Array.from({ length }, (_, i) => item(i));
const overA = (inner: unknown) => ({ $map: { input: '$a', in: inner } });

const EXPRESSIONS: readonly (readonly [name: string, expression: unknown])[] = [
  ['$map in $map', overA({ $map: { input: { $range: [0, 3] }, as: 'x', in: { $add: ['$$this', '$$x'] } } })],
  ['$filter with a limit', { $filter: { input: '$a', cond: { $gt: ['$$this', 50] }, limit: 20 } }],
  ['$reduce', { $reduce: { input: '$a', initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } }],
  ['$reduce to a text', { $reduce: { input: '$a', initialValue: '', in: { $concat: ['$$value', { $toString: '$$this' }, ','] } } }], // biome-ignore format: one line
  ['$reduce to null, midway', { $reduce: { input: '$a', initialValue: [], in: { $concatArrays: ['$$value', { $cond: [{ $eq: ['$$this', 5] }, null, ['$$this']] }] } } }], // biome-ignore format: one line
  ['$reduce in $reduce', { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', { $reduce: { input: [1, 2, '$$this'], initialValue: '$$value', in: { $mod: [{ $add: ['$$this', '$$value'] }, 97] } } }] } } }], // biome-ignore format: one line
  ['two loops beside each other', { x: overA({ $multiply: ['$$this', 2] }), y: overA({ $subtract: ['$$this', 1] }) }],
  ['$let, bound to a loop', { $let: { vars: { x: overA({ $add: ['$$this', 1] }) }, in: { $map: { input: '$$x', as: 'y', in: { $in: ['$$y', '$$x'] } } } } }], // biome-ignore format: one line
  ['chance before and in loops', { $let: { vars: { r: { $rand: {} } }, in: overA({ $add: ['$$r', { $rand: {} }, '$$this'] }) } }], // biome-ignore format: one line
  ['chance behind a loop', [overA({ $add: ['$$this', 1] }), { $rand: {} }, overA({ $rand: {} })]],
  ['a path through arrays', '$objects.list.v'],
  ['many fields', Object.fromEntries(long(200, (i) => [`f${i}`, { $add: [i, 1] }]) as [string, unknown][])],
  ['many elements', long(200, (i) => ({ $add: [i, { $size: '$a' }] }))],
  ['many arguments', { $add: long(300, (i) => ({ $multiply: [i, 2] })) }],
  ['$and of many', { $and: long(300, (i) => ({ $gte: [{ $arrayElemAt: ['$a', i] }, 0] })) }],
  ['$or of many', { $or: long(300, (i) => ({ $gt: [{ $arrayElemAt: ['$a', i] }, 99] })) }],
  ['$ifNull of many', { $ifNull: [...long(300, (i) => `$none${i}`), null] }],
  // biome-ignore lint/suspicious/noThenProperty: MongoDB's name
  ['$switch of many', { $switch: { branches: long(100, (i) => ({ case: { $eq: [i, { $arrayElemAt: ['$a', 2] }] }, then: i })), default: '$none' } }], // biome-ignore format: one line
  ['sets', { $setDifference: [{ $setUnion: ['$a', [1, 500]] }, { $setIntersection: ['$a', [2, 3, 4]] }] }],
  ['comparing sets', [{ $setEquals: ['$a', '$a'] }, { $setIsSubset: [[1, 2], '$a'] }, { $anyElementTrue: ['$a'] }]],
  ['$sortArray', { $sortArray: { input: '$objects', sortBy: { k: -1 } } }],
  ['$zip', { $zip: { inputs: ['$a', { $reverseArray: '$a' }], useLongestLength: true } }],
  ['$slice, $firstN, $maxN', [{ $slice: ['$a', -300, 280] }, { $firstN: { input: '$a', n: 270 } }, { $maxN: { input: '$a', n: 3 } }]], // biome-ignore format: one line
  ['to objects and back', { $objectToArray: { $arrayToObject: { $map: { input: '$a', in: { k: { $toString: '$$this' }, v: '$$this' } } } } }], // biome-ignore format: one line
  ['$split and $regexFindAll', [{ $split: ['$text', ' '] }, { $regexFindAll: { input: '$text', regex: 't(w|h)' } }]],
  ['sums', [{ $sum: '$a' }, { $stdDevPop: '$a' }, { $max: '$a' }, { $indexOfArray: ['$a', 5] }]],
];

/** What comes of it, and after how many attempts. */
function attempted<T>(meter: Meter, compute: () => T): [result: T, attempts: number] {
  const evaluation = new Evaluation(meter);
  for (let attempts = 1; ; attempts++) {
    const result = evaluation.attempt(compute);
    if (result !== UNFINISHED) return [result, attempts];
  }
}

/** Longer than what is read at once, and different for each element. */
const longest = (inner: unknown) => ({ $add: [inner, ...long(200, (i) => ({ $multiply: [i, '$$this'] }))] });

test.each([
  ...EXPRESSIONS.filter(([name]) => name.includes('many')),
  ['$map of a long expression', overA(longest(1))],
  ['$map in a long $map', overA(longest({ $size: { $map: { input: [1, 2], in: longest('$$this') } } }))],
  ['$filter by a long condition', { $filter: { input: '$a', cond: { $gt: [longest(0), 900_000] } } }],
  ['$reduce by a long expression', { $reduce: { input: '$a', initialValue: 0, in: { $mod: [longest('$$value'), 101] } } }], // biome-ignore format: one line
  ['$let around a long expression', { $let: { vars: { this: { $size: '$a' } }, in: longest(1) } }],
] as const)('%s: read and computed in turns, it comes to the same', (_, expression) => {
  const written = documentValue(encodeDocument({ v: expression }));
  const expected = compileExpression(written, new World(new Meter()))(document);
  const inTurns = new World(new Impatient());
  const [compute, attempts] = attempted(inTurns.meter, () => compileExpression(written, inTurns));
  expect(attempts).toBeGreaterThan(1);
  const [result] = attempted(inTurns.meter, () => compute(document));
  expect(result && jsOf(result)).toEqual(expected && jsOf(expected));
});

const calls = (count: number) => Object.fromEntries(long(count, (i) => [`f${i}`, { $add: [i, 1] }]) as [string, unknown][]); // biome-ignore format: one line

test.each([
  ['many fields', calls(100)],
  ['many fields below others', { a: { b: calls(60), c: calls(20) }, text: { $concat: ['$text', '!'] } }],
  ['a long expression between short ones', { x: { $size: '$a' }, y: overA(longest(1)), z: { $literal: 1 } }],
])('$set and $project of %s: read in turns, they come to the same', (_, fields) => {
  for (const compile of [compileAdditions, compileStageProjection]) {
    const variables = new World(new Impatient());
    const expected = compile(encodeDocument(fields))(document);
    const [project, attempts] = attempted(variables.meter, () => compile(encodeDocument(fields), { variables }));
    expect(attempts).toBeGreaterThan(1);
    expect(project(document)).toEqual(expected);
  }
});

test.each(EXPRESSIONS)('%s: broken off wherever it can be, it comes to the same', (_, expression) => {
  const written = documentValue(encodeDocument({ v: expression }));
  const atOnce = new World(new Meter());
  const inTurns = new World(new Impatient());
  const expected = compileExpression(written, atOnce)(document);
  const compute = compileExpression(written, inTurns);
  const [result, attempts] = attempted(inTurns.meter, () => compute(document));
  expect(attempts).toBeGreaterThan(1);
  expect(result && jsOf(result)).toEqual(expected && jsOf(expected));
  expect(inTurns.draws).toBe(atOnce.draws);
});

test('an error ends an evaluation, and the next one knows nothing of it', () => {
  const meter = new Impatient();
  const written = documentValue(encodeDocument({ v: { $map: { input: '$a', in: { $divide: [1, '$$this'] } } } }));
  const compute = compileExpression(written, new World(meter));
  const evaluation = new Evaluation(meter);
  const finish = (bytes: Uint8Array) => {
    for (;;) {
      const result = evaluation.attempt(() => compute(bytes));
      if (result !== UNFINISHED) return result;
    }
  };
  expect(() => finish(encodeDocument({ a: [1, 2, 0] }))).toThrow('divide by zero');
  const result = finish(encodeDocument({ a: [4, 2] }));
  expect(result && decodePromoted(result.bytes.subarray(result.offset))).toEqual({ v: [0.25, 0.5] });
});

test('no attempt lasts longer than a slice and the part in which that ended', () => {
  const meter = new Meter();
  const range = { $range: [0, 3000] };
  const nested = { $map: { input: range, in: { $size: { $map: { input: range, as: 'x', in: '$$x' } } } } };
  const compute = compileExpression(documentValue(encodeDocument({ v: nested })), new World(meter));
  const evaluation = new Evaluation(meter);
  let longest = 0;
  for (let result: unknown = UNFINISHED; result === UNFINISHED; ) {
    result = evaluation.attempt(() => compute(document));
    longest = Math.max(longest, meter.take() * 4);
  }
  expect(longest).toBeLessThan(12_000);
});

test('a $reduce that only adds to its value does so as its operator says', () => {
  const reduced = (call: unknown, initialValue: unknown) => {
    const expression = { $reduce: { input: ['a', 'b', 'c'], initialValue, in: call } };
    const written = documentValue(encodeDocument({ v: expression }));
    const result = compileExpression(written)(encodeDocument({ n: null, x: 1 }));
    return result && decodePromoted(result.bytes.subarray(result.offset)).v;
  };
  expect(reduced({ $concat: ['$$value', '-', '$$this'] }, 'x')).toBe('x-a-b-c');
  expect(reduced({ $concat: ['$$value', '$$this', '$$value'] }, 'x')).toBe('xaxbxaxcxaxbxax');
  expect(reduced({ $concat: ['$$value', '$n'] }, 'x')).toBe(null);
  expect(reduced({ $concat: ['$$value', '$none'] }, null)).toBe(null);
  expect(() => reduced({ $concat: ['$$value', '$x'] }, 'x')).toThrow('$concat only supports strings, not int');
  expect(() => reduced({ $concat: ['$$value', '$$this'] }, 1)).toThrow('$concat only supports strings, not int');
  expect(reduced({ $concatArrays: ['$$value', ['$$this'], [1]] }, [0])).toEqual([0, 'a', 1, 'b', 1, 'c', 1]);
  expect(reduced({ $concatArrays: ['$$value', '$n'] }, [0])).toBe(null);
  expect(() => reduced({ $concatArrays: ['$$value', '$x'] }, [0])).toThrow(
    '$concatArrays only supports arrays, not int',
  );
});
