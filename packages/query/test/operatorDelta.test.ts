import { encodeName, findField } from '@replsim/protocol';
import { Decimal128, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDiff, compileUpdate, isDelta } from '../src/index.ts';
import { anyDocument, anyValue, doc, ordered, show, text } from './bson.ts';

interface Options {
  readonly filter?: object;
  readonly arrayFilters?: readonly object[];
}
type Row = readonly [update: object, before: object, diff: string, options?: Options];

const apply = (update: object, before: Uint8Array, { filter, arrayFilters = [] }: Options = {}) =>
  compileUpdate(doc(update), {
    nowMs: 5000,
    arrayFilters: arrayFilters.map(doc),
    ...(filter && { filter: doc(filter) }),
  }).apply(before);

/** `diff` as JSON in which an int32 is bare. */
function diffText(delta: Uint8Array): string {
  expect(isDelta(delta)).toBe(true);
  return show(findField(delta, encodeName('diff'))!).replaceAll(/\{"\$numberInt":"(-?\d+)"\}/g, '$1');
}

const both = ordered(['a', [1, 2]], ['b', 1]);
const nested = { a: { b: [1, 2], c: [1, 2] } };
const tables: Record<string, readonly Row[]> = {
  'a field': [
    [{ $set: { a: 2 } }, { _id: 1, a: 1 }, '{"u":{"a":2}}'],
    [{ $set: { b: 2 } }, { _id: 1, a: 1 }, '{"i":{"b":2}}'],
    [{ $inc: { a: 1 }, $set: { b: 2 } }, { _id: 1, a: 2 }, '{"u":{"a":3},"i":{"b":2}}'],
    [{ $set: { z: 1 }, $inc: { c: 1 } }, {}, '{"i":{"c":1,"z":1}}'],
    [{ $set: { b: 1 }, $unset: { a: 1 } }, { a: 1 }, '{"d":{"a":false},"i":{"b":1}}'],
    [{ $unset: { b: 1, a: 1 } }, ordered(['b', 1], ['a', 1]), '{"d":{"a":false,"b":false}}'],
    [{ $mul: { a: 3, b: 3 } }, { a: 2 }, '{"u":{"a":6},"i":{"b":0}}'],
    [{ $min: { a: 1 }, $max: { b: 1 } }, ordered(['a', 2], ['b', 0]), '{"u":{"a":1,"b":1}}'],
    [{ $min: { a: 3 }, $max: { b: 1 } }, ordered(['a', 2], ['b', 0]), '{"u":{"b":1}}'],
    [{ $bit: { a: { or: 4 } } }, { a: 1 }, '{"u":{"a":5}}'],
    [{ $currentDate: { a: true } }, {}, '{"i":{"a":{"$date":{"$numberLong":"5000"}}}}'],
    [{ $setOnInsert: { a: 1 }, $set: { b: 1 } }, {}, '{"i":{"b":1}}'],
    [{ $set: { a: { x: 1, y: 2 } } }, { a: { x: 1 } }, '{"u":{"a":{"x":1,"y":2}}}'],
  ],
  'a path': [
    [{ $set: { 'sub.x': 9 } }, { sub: { x: 1, y: 1 } }, '{"ssub":{"u":{"x":9}}}'],
    [{ $set: { 'sub.z': 9 } }, { sub: { x: 1 } }, '{"ssub":{"i":{"z":9}}}'],
    [{ $unset: { 'sub.x': 1 } }, { sub: { x: 1 } }, '{"ssub":{"d":{"x":false}}}'],
    [{ $set: { 'a.b.c': 1 } }, {}, '{"i":{"a":{"b":{"c":1}}}}'],
    [{ $set: { 'a.b.c': 1 } }, { a: {} }, '{"sa":{"i":{"b":{"c":1}}}}'],
    [{ $set: { 'a.b.d': 1, 'a.b.c': 2, 'a.x': 3 } }, {}, '{"i":{"a":{"b":{"c":2,"d":1},"x":3}}}'],
    [{ $set: { 'a.0.b': 1 } }, {}, '{"i":{"a":{"0":{"b":1}}}}'],
    [
      { $set: { 'a.b': 1, 'x.y': 1 }, $unset: { c: 1 } },
      ordered(['x', { y: 0 }], ['a', { b: 0 }], ['c', 1]),
      '{"d":{"c":false},"sa":{"u":{"b":1}},"sx":{"u":{"y":1}}}',
    ],
    [
      { $set: { 'a.u': 1, 'a.i': 2 }, $unset: { 'a.d': 1 }, $inc: { 'a.s.n': 1 } },
      { a: { d: 1, u: 0, s: { n: 0 } } },
      '{"sa":{"d":{"d":false},"u":{"u":1},"i":{"i":2},"ss":{"u":{"n":1}}}}',
    ],
  ],
  'a new name': [
    [{ $rename: { a: 'b' } }, { a: 1 }, '{"d":{"a":false},"i":{"b":1}}'],
    [{ $rename: { a: 'b' } }, ordered(['a', 1], ['b', 2]), '{"d":{"a":false},"u":{"b":1}}'],
    [{ $rename: { a: 'b' } }, ordered(['a', 1], ['b', 1]), '{"d":{"a":false},"u":{"b":1}}'],
    [{ $rename: { 'a.x': 'a.y' } }, { a: { x: 1 } }, '{"sa":{"d":{"x":false},"i":{"y":1}}}'],
    [{ $rename: { 'a.x': 'b.y' } }, { a: { x: 1 } }, '{"i":{"b":{"y":1}},"sa":{"d":{"x":false}}}'],
  ],
  'an element': [
    [{ $inc: { 'a.0': 1 } }, { a: [2] }, '{"sa":{"a":true,"u0":3}}'],
    [{ $set: { 'a.10': 1, 'a.9': 1 } }, { a: [] }, '{"sa":{"a":true,"u9":1,"u10":1}}'],
    [{ $unset: { 'a.1': 1 } }, { a: [1, 2] }, '{"sa":{"a":true,"u1":null}}'],
    [{ $set: { 'a.1.b': 9 } }, { a: [1, { b: 1 }] }, '{"sa":{"a":true,"s1":{"u":{"b":9}}}}'],
    [{ $unset: { 'a.0.b': 1 } }, { a: [{ b: 1 }] }, '{"sa":{"a":true,"s0":{"d":{"b":false}}}}'],
    [{ $set: { 'a.1.b.c': 9 } }, { a: [1] }, '{"sa":{"a":true,"u1":{"b":{"c":9}}}}'],
    [{ $set: { 'a.0.1': 5 } }, { a: [[1]] }, '{"sa":{"a":true,"s0":{"a":true,"u1":5}}}'],
    [{ $set: { 'a.$': 9 } }, { a: [1, 2] }, '{"sa":{"a":true,"u1":9}}', { filter: { a: 2 } }],
    [
      { $set: { 'a.$.b': 1 }, $inc: { 'a.0.a': 1 } },
      { a: [{ k: 1 }] },
      '{"sa":{"a":true,"s0":{"i":{"a":1,"b":1}}}}',
      { filter: { 'a.k': 1 } },
    ],
  ],
  'elements that a filter chooses': [
    [{ $set: { 'a.$[x]': 0 } }, { a: [1, 2, 3] }, '{"sa":{"a":true,"u1":0}}', { arrayFilters: [{ x: 2 }] }],
    [
      { $set: { 'a.$[x].b': 0 } },
      { a: [{ b: 1 }, { b: 2 }] },
      '{"sa":{"a":true,"s1":{"u":{"b":0}}}}',
      { arrayFilters: [{ 'x.b': 2 }] },
    ],
    [{ $set: { 'a.$[]': 0 } }, { a: [1, 2] }, '{"u":{"a":[0,0]}}'],
    [{ $set: { 'a.$[].b': 0 } }, { a: [{ b: 0, c: 1 }, { b: 2 }] }, '{"sa":{"a":true,"u1":{"b":0}}}'],
    [{ $inc: { 'a.b.$[]': 1 } }, { a: { b: [1] } }, '{"sa":{"sb":{"a":true,"u0":2}}}'],
    [{ $inc: { 'a.$[].b.$[]': 1 } }, { a: [{ b: [1] }, { b: [] }] }, '{"sa":{"a":true,"u0":{"b":[2]}}}'],
    [
      { $set: { 'a.$[].b': 3, 'a.$[x].c': 1 } },
      { a: [{ b: 1 }, { b: 3 }] },
      '{"u":{"a":[{"b":3},{"b":3,"c":1}]}}',
      { arrayFilters: [{ 'x.b': 3 }] },
    ],
  ],
  'a whole array': [
    [{ $pull: { 'a.b': 2, 'a.c': 2 } }, nested, '{"sa":{"u":{"b":[1],"c":[1]}}}'],
    [{ $pullAll: { a: [1] }, $inc: { b: 1 } }, both, '{"u":{"a":[2],"b":2}}'],
    [{ $pop: { a: 1 } }, both, '{"u":{"a":[1]}}'],
    [{ $addToSet: { a: 3 } }, both, '{"u":{"a":[1,2,3]}}'],
    [{ $addToSet: { 'x.y': 3 } }, {}, '{"i":{"x":{"y":[3]}}}'],
    [{ $push: { c: 18 } }, { a: 'foo' }, '{"i":{"c":[18]}}'],
    [{ $push: { a: 1 } }, { a: [] }, '{"u":{"a":[1]}}'],
    [{ $push: { 'a.b': { $each: [1, 2], $slice: -2 } } }, { a: { b: [18] } }, '{"sa":{"u":{"b":[1,2]}}}'],
    [{ $push: { a: { $each: [3], $position: 2 } } }, both, '{"u":{"a":[1,2,3]}}'],
    [{ $push: { a: { $each: [3], $sort: 1 } } }, both, '{"u":{"a":[1,2,3]}}'],
    [{ $push: { a: { $each: [], $sort: 1 } } }, both, '{"u":{"a":[1,2]}}'],
    [{ $push: { a: { $each: [3], $slice: 2 } } }, both, '{"u":{"a":[1,2]}}'],
  ],
  'what is pushed to the end': [
    [{ $push: { a: 3 } }, both, '{"sa":{"a":true,"u2":3}}'],
    [{ $push: { a: { $each: [3, { b: 4 }] } } }, both, '{"sa":{"a":true,"u2":3,"u3":{"b":4}}}'],
    [{ $push: { a: { $each: [3], $position: 9 } } }, both, '{"sa":{"a":true,"u2":3}}'],
    [{ $push: { a: { $each: [3], $slice: 9 } } }, both, '{"sa":{"a":true,"u2":3}}'],
    [{ $push: { 'a.0.b': 2 } }, { a: [{ b: [1] }] }, '{"sa":{"a":true,"s0":{"sb":{"a":true,"u1":2}}}}'],
    [{ $push: { 'a.$[]': 2 } }, { a: [[1]] }, '{"sa":{"a":true,"s0":{"a":true,"u1":2}}}'],
    [{ $push: { 'a.$[]': 2 } }, { a: [[1], [1]] }, '{"u":{"a":[[1,2],[1,2]]}}'],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  describe(`the delta of ${name}`, () => {
    test.for(rows)('%j on %j', ([update, before, diff, options]) => {
      const from = doc(before);
      const result = apply(update, from, options);
      expect(diffText(result.diff!)).toBe(diff);
      const once = applyDiff(from, result.diff!);
      expect(text(once)).toBe(text(result.document));
      expect(text(applyDiff(once, result.diff!))).toBe(text(result.document));
    });
  });
}

test.for([
  [{ $set: { a: 1 } }, { a: 1 }],
  [{ $set: { 'a.b': Long.ONE } }, { a: { b: Long.ONE } }],
  [{ $inc: { a: 0 } }, { a: 1 }],
  [{ $mul: { a: 1 } }, { a: new Decimal128('1.0') }],
  [{ $bit: { a: { or: 1 } } }, { a: 1 }],
  [{ $min: { a: 1 } }, { a: 1 }],
  [{ $max: { a: Long.ONE } }, { a: 1 }],
  [{ $unset: { a: 1, 'b.c': 1 } }, { b: 1 }],
  [{ $rename: { a: 'b' } }, { b: 1 }],
  [{ $setOnInsert: { a: 1 } }, {}],
  [{ $push: { a: { $each: [] } } }, { a: [1] }],
  [{ $push: { a: { $each: [], $slice: 1 } } }, { a: [1] }],
  [{ $addToSet: { a: 1 } }, { a: [1] }],
  [{ $pull: { a: 1 } }, { a: [2] }],
  [{ $pull: { a: 1 } }, {}],
  [{ $pop: { a: 1 } }, { a: [] }],
  [{ $set: { 'a.$[]': 1 } }, { a: [1, 1] }],
  [{ $set: { 'a.$[].b': 1 } }, { a: [] }],
])('%j on %j has nothing to log', ([update, before]) => {
  const from = doc(before!);
  expect(apply(update!, from)).toMatchObject({ changed: false, diff: undefined, document: from });
});

test('what leaves the document as it is, but not for nothing, is logged', () => {
  const date = apply({ $currentDate: { a: true } }, doc({ a: new Date(5000) }));
  expect(date.changed).toBe(true);
  expect(diffText(date.diff!)).toBe('{"u":{"a":{"$date":{"$numberLong":"5000"}}}}');
});

test('where a name on the path stands twice in its document, the whole document is logged', () => {
  const twice = new Uint8Array(doc({ a: { x: 1 }, b: 1, c: 1 }));
  twice[twice.length - 7] = 0x61; // renames c to a
  expect(text(twice)).toMatch(/"a".*"a"/);
  expect(apply({ $set: { 'a.x': 2 } }, twice)).toMatchObject({ changed: true, diff: undefined });
  expect(apply({ $unset: { a: 1 } }, twice)).toMatchObject({ changed: true, diff: undefined });
  expect(diffText(apply({ $set: { b: 2 } }, twice).diff!)).toBe('{"u":{"b":2}}');
});

const anyPart = fc.constantFrom('a', 'b', 'c', '0', '1', '3', '$[]', '$[x]', '$');
const anyPath = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), fc.array(anyPart, { maxLength: 3 }))
  .map(([first, rest]) => [first, ...rest].join('.'));
const anyOperand: Record<string, fc.Arbitrary<unknown>> = {
  $set: anyValue,
  $unset: fc.constant(1),
  $inc: fc.constantFrom(0, 1, Long.ONE, 0.5),
  $mul: fc.constantFrom(1, 2),
  $min: anyValue,
  $max: anyValue,
  $rename: anyPath,
  $currentDate: fc.constant(true),
  $bit: fc.constantFrom({ or: 4 }, { and: 1 }),
  $addToSet: anyValue,
  $pop: fc.constantFrom(1, -1),
  $pull: fc.constantFrom(1, { $gt: 0 }),
  $push: fc.oneof(
    anyValue,
    fc.record(
      {
        $each: fc.array(anyValue, { maxLength: 2 }),
        $position: fc.integer({ min: -2, max: 3 }),
        $slice: fc.integer({ min: -3, max: 3 }),
        $sort: fc.constantFrom(1, -1),
      },
      { requiredKeys: ['$each'] },
    ),
  ),
};
const anyChange = fc
  .constantFrom(...Object.keys(anyOperand))
  .chain((operator) => fc.tuple(fc.constant(operator), anyPath, anyOperand[operator]!));
const anyUpdate = fc.array(anyChange, { minLength: 1, maxLength: 4 }).map((changes) => {
  const update = new Map<string, Map<string, unknown>>();
  for (const [operator, path, operand] of changes) {
    update.set(operator, new Map([...(update.get(operator) ?? []), [path, operand]]));
  }
  return update;
});
/** Documents in which the paths above lead somewhere. */
const anyTarget = fc
  .tuple(
    anyDocument,
    fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom<unknown>(
        1,
        [1, 2],
        { a: 1, b: { c: [1] } },
        [
          { a: 1, b: 2 },
          { a: [1], c: { 0: 1 } },
        ],
        [[1], [2, 3]],
      ),
      { maxKeys: 3 },
    ),
  )
  .map(([fields, shapes]) => new Map<string, unknown>([...fields, ...Object.entries(shapes)]));

/** Undefined if the operators refuse the document, as they do of most paths. */
function tryApply(update: Map<string, unknown>, before: Uint8Array) {
  const isFiltered = [...update.values()].some((fields) =>
    [...(fields as Map<string, unknown>).keys()].some((path) => path.includes('$[x]')),
  );
  try {
    return apply(update, before, { filter: { 'a.a': 1 }, arrayFilters: isFiltered ? [{ 'x.a': { $ne: 7 } }] : [] });
  } catch (error) {
    expect(error).toHaveProperty('codeName');
    return undefined;
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('whatever the operators do, their delta does the same to the byte, once or twice', () => {
  let logged = 0;
  fc.assert(
    fc.property(anyUpdate, anyTarget, (update, target) => {
      const before = doc(target);
      const result = tryApply(update, before);
      if (result === undefined) return;
      if (!result.changed) expect(hex(result.document)).toBe(hex(before));
      if (result.diff === undefined) {
        expect(result.changed).toBe(false);
        return;
      }
      logged++;
      const once = applyDiff(before, result.diff);
      expect(hex(once)).toBe(hex(result.document));
      expect(hex(applyDiff(once, result.diff))).toBe(hex(result.document));
    }),
    { numRuns: 3000, seed: 1 },
  );
  expect(logged).toBeGreaterThan(400);
});

test('a history of deltas, replayed on any later version, ends at the last version', () => {
  let replays = 0;
  fc.assert(
    fc.property(anyTarget, fc.array(anyUpdate, { minLength: 2, maxLength: 8 }), (target, updates) => {
      const versions = [doc(target)];
      const deltas: Uint8Array[] = [];
      for (const update of updates) {
        const result = tryApply(update, versions.at(-1)!);
        if (result?.diff === undefined) continue;
        versions.push(result.document);
        deltas.push(result.diff);
      }
      for (const start of versions) {
        expect(hex(deltas.reduce(applyDiff, start))).toBe(hex(versions.at(-1)!));
        replays++;
      }
    }),
    { numRuns: 2000, seed: 1 },
  );
  expect(replays).toBeGreaterThan(2000);
});
