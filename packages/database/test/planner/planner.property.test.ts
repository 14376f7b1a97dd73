/** Whatever the planner chooses, the answer is that of a collection scan. */
import { BsonType, ElementCursor, encodeDocument } from '@replsim/protocol';
import { type Collator, compareValues, compileCollator, compileFilter, compileSortOrder } from '@replsim/query';
import { type CollectionView, parseIndexSpec, StorageEngine, StoredDocument } from '@replsim/storage';
import { Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conjunctsOf, filterDocument, parseFilterTree } from '../../../pipeline/src/planner/filterTree.ts';
import { boundsOf } from '../../../pipeline/src/planner/leafBounds.ts';
import { planQuery } from '../../../pipeline/src/planner/plan.ts';
import { MatchScan } from '../../src/reading/matchScan.ts';

type Doc = Record<string, unknown>;

// Few values, so that filters and documents meet.
const scalar = fc.constantFrom<unknown>(
  null, 0, 1, 2, 1.5, -1, Number.NaN, Infinity, Long.fromNumber(2), '', 'a', 'ab', 'b', true, false,
  new Date(0), new Date(5), new Date(-5), new Timestamp({ t: 0, i: 5 }), new ObjectId('0'.repeat(24)), new MinKey(), new MaxKey(), /^a/,
); // biome-ignore format: a list
const leaf = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar }) },
);
const inner = fc.record({ x: leaf, y: leaf }, { requiredKeys: [] });
const value = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 2, arbitrary: inner },
  { weight: 2, arbitrary: fc.array(fc.oneof(inner, scalar), { maxLength: 3 }) },
);
const document = fc.record({ a: value, b: value, c: leaf }, { requiredKeys: [] });

const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'b.x', 'a.0', 'a.0.x', '_id');
const operator: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 6, arbitrary: fc.dictionary(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalar.filter(notRegex), { minKeys: 1, maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.record({ $eq: leaf }) },
  { weight: 1, arbitrary: fc.record({ $ne: leaf.filter(notRegex) }) },
  { weight: 2, arbitrary: fc.record({ $in: fc.array(leaf, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ $nin: fc.array(leaf, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ $exists: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ $all: fc.array(scalar, { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ $elemMatch: fc.record({ $gt: scalar.filter(notRegex) }) }) },
  { weight: 1, arbitrary: fc.record({ $not: fc.record({ $gt: scalar.filter(notRegex) }) }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({ $type: 'number' }, { $size: 1 }, { $regex: '^a' }, { $regex: 'b', $options: 'i' }) },
); // biome-ignore format: a table
function notRegex(each: unknown): boolean {
  return !(each instanceof RegExp) && !(Array.isArray(each) && each.some((item) => item instanceof RegExp));
}
const conjunction: fc.Arbitrary<Doc> = fc.dictionary(path, operator, { maxKeys: 3 });
const filter: fc.Arbitrary<Doc> = fc.oneof(
  { weight: 6, arbitrary: conjunction },
  { weight: 2, arbitrary: fc.record({ $and: fc.array(conjunction, { minLength: 1, maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ $or: fc.array(conjunction, { minLength: 1, maxLength: 2 }) }) },
);

const partial = fc.constantFrom<Doc>(
  { a: { $gt: 0 } }, { a: { $exists: true } }, { a: { $gte: 1, $lt: 5 } }, { c: { $eq: 'a' } }, { c: { $in: [1, 2] } },
  { b: { $type: 'number' } }, { a: { $lte: new Date(5) } }, { $or: [{ a: 1 }, { b: 1 }] },
); // biome-ignore format: a list
const direction = fc.constantFrom(1, -1);
const indexes = fc.array(
  fc.record({
    key: fc.dictionary(
      path.filter((each) => !each.includes('0')),
      direction,
      { minKeys: 1, maxKeys: 3 },
    ),
    kind: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ sparse: true }) },
      { weight: 1, arbitrary: fc.constant({ hidden: true }) },
      { weight: 2, arbitrary: fc.record({ partialFilterExpression: partial }) },
    ),
  }),
  { maxLength: 3 },
);
const sort = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.dictionary(
      path.filter((each) => !each.includes('0')),
      direction,
      { minKeys: 1, maxKeys: 2 },
    ),
  },
);

/** Options that are there. */
function withoutNothing(kind: Doc): Doc {
  return Object.fromEntries(Object.entries(kind).filter(([, option]) => option !== undefined));
}

/** A collection that could be made with these indexes: documents that cannot be indexed are left out. */
function collectionOf(documents: readonly Doc[], specs: readonly { key: Doc; kind: Doc }[]): CollectionView {
  const engine = new StorageEngine();
  engine.createCollection('app.c', { uuid: new Uint8Array(16) });
  for (const [i, { key, kind }] of specs.entries()) {
    engine.createIndex('app.c', parseIndexSpec(encodeDocument({ v: 2, key, name: `i${i}`, ...withoutNothing(kind) })));
  }
  for (const [i, fields] of documents.entries()) {
    try {
      engine.insert('app.c', new StoredDocument(encodeDocument({ _id: i % 5 === 4 ? `a${i}` : i, ...fields })));
    } catch {
      // Parallel arrays, or a path that is a number and an index at once.
    }
  }
  return engine.collection('app.c')!;
}

function walk(
  collection: CollectionView,
  plan: ConstructorParameters<typeof MatchScan>[2],
  bytes: Uint8Array,
  collator?: Collator,
) {
  const view = { collection: () => collection } as never;
  const matches = compileFilter(bytes, { collator });
  const scan = new MatchScan(view, collection, plan, { matches, meter: undefined });
  const found: number[] = [];
  while (!scan.done) {
    while (scan.next()) found.push(scan.recordId);
    if (!scan.done) scan.resume();
  }
  return { found, counts: scan.counts };
}

const runs = fc.record({
  documents: fc.array(document, { maxLength: 12 }),
  specs: indexes,
  query: filter,
  order: sort,
});

// A small world in which arrays, ranges and compound indexes meet all the time.
const digit = fc.constantFrom<unknown>(null, 0, 1, 2, 3, 4);
const digits = fc.oneof(digit, fc.array(digit, { minLength: 1, maxLength: 3 }));
const pair = fc.record({ x: digits, y: digit }, { requiredKeys: ['x'] });
const denseDocument = fc.record({
  a: fc.oneof(digits, pair, fc.array(pair, { minLength: 1, maxLength: 3 })),
  c: digit,
});
const densePath = fc.constantFrom('a', 'a.x', 'a.y', 'c');
const number = fc.constantFrom(0, 1, 2, 3, 4);
const denseCondition = fc.oneof(
  number,
  fc.record({ $gte: number, $lte: number }),
  fc.record({ $gt: number, $lt: number }),
  fc.record({ $in: fc.array(number, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $gt: number }),
);
const denseRuns = fc.record({
  documents: fc.array(denseDocument, { minLength: 4, maxLength: 12 }),
  specs: fc.array(
    fc.record({
      key: fc.dictionary(densePath, direction, { minKeys: 1, maxKeys: 3 }),
      kind: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record({ partialFilterExpression: fc.dictionary(densePath, fc.record({ $gt: number }), { minKeys: 1, maxKeys: 1 }) }) },
        { weight: 1, arbitrary: fc.constant({ sparse: true }) },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  query: fc.dictionary(densePath, denseCondition, { minKeys: 1, maxKeys: 3 }),
  order: fc.option(fc.dictionary(densePath, direction, { minKeys: 1, maxKeys: 2 }), { nil: undefined }),
}); // biome-ignore format: a table

// Strings that collations find equal, or order otherwise; numbers, for which any index will do.
const collations = [
  { locale: 'en', strength: 1 },
  { locale: 'en', strength: 2 },
  { locale: 'en', caseFirst: 'upper' },
];
const anyCollation = fc.option(fc.constantFrom(...collations), { nil: undefined });
const text = fc.constantFrom<unknown>('a', 'A', 'á', 'b', 'B', 'ab', 'Ab', '', 1, 2);
const texts = fc.oneof({ weight: 3, arbitrary: text }, fc.array(text, { maxLength: 3 }), fc.record({ x: text }));
const textCondition = fc.oneof(
  texts,
  fc.record({ $gte: text, $lte: text }),
  fc.record({ $gt: text }),
  fc.record({ $lt: text }),
  fc.record({ $in: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.constantFrom<unknown>({ $regex: '^a' }, { $exists: true }, { $ne: 'a' }),
);
const textPath = fc.constantFrom('a', 'a.x', 'b');
const collatedRuns = fc.record({
  documents: fc.array(fc.record({ a: texts, b: text }, { requiredKeys: ['b'] }), { minLength: 2, maxLength: 12 }),
  specs: fc.array(
    fc.record({
      key: fc.dictionary(textPath, direction, { minKeys: 1, maxKeys: 2 }),
      kind: fc.record({
        collation: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...collations) }, fc.constant(undefined)),
        partialFilterExpression: fc.option(fc.constantFrom({ b: { $gte: 'A' } }, { b: 'a' }, { b: { $lt: 5 } }), { freq: 3, nil: undefined }),
      }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  query: fc.dictionary(textPath, textCondition, { minKeys: 1, maxKeys: 2 }),
  order: fc.option(fc.dictionary(textPath, direction, { minKeys: 1, maxKeys: 2 }), { nil: undefined }),
  collation: anyCollation,
}); // biome-ignore format: a table
const anyRun: fc.Arbitrary<Run> = fc.oneof(runs, denseRuns, collatedRuns);
const collatorOf = ({ collation }: Run) => collation && compileCollator(encodeDocument(collation));

interface Run {
  readonly documents: Doc[];
  readonly specs: { key: Doc; kind: Doc }[];
  readonly query: Doc;
  readonly order: Doc | undefined;
  readonly collation?: Doc | undefined;
}

test('every plan finds what a collection scan finds, in the order it promises', () => {
  const stages = new Map<string, number>();
  fc.assert(
    fc.property(anyRun, (run) => {
      const { documents, specs, query, order } = run;
      const collator = collatorOf(run);
      const bytes = encodeDocument(query);
      const collection = collectionOf(documents, specs);
      const expected = walk(
        collection,
        { stage: 'COLLSCAN', reverse: false, sorted: true, residual: [] },
        bytes,
        collator,
      ).found;
      const sortBytes = order && encodeDocument(order);
      const { winning, rejected } = planQuery(collection, { filter: bytes, sort: sortBytes, collator });
      for (const plan of [winning, ...rejected]) {
        const { found, counts } = walk(collection, plan, bytes, collator);
        expect([...found].sort((a, b) => a - b)).toEqual(expected);
        expect(counts.docsExamined).toBeGreaterThanOrEqual(found.length);
        if (plan.stage === 'IXSCAN') expect(plan.index.spec.hidden).toBe(false);
        const what = `${plan.stage}${plan.stage === 'IXSCAN' && sortBytes && plan.sorted ? ' sorted' : ''}`;
        stages.set(what, (stages.get(what) ?? 0) + 1);
        if (collator && plan.stage === 'IXSCAN') stages.set('collated', (stages.get('collated') ?? 0) + 1);
        if (!sortBytes || !plan.sorted) continue;
        const compare = compileSortOrder(sortBytes, collator);
        const inOrder = found.map((recordId) => collection.get(recordId)!.bytes);
        for (let i = 1; i < inOrder.length; i++) expect(compare(inOrder[i - 1]!, inOrder[i]!)).toBeLessThanOrEqual(0);
      }
    }),
    { numRuns: 1200 },
  );
  // The property would be an easy one if indexes were hardly used.
  expect(stages.get('IXSCAN')).toBeGreaterThan(200);
  expect(stages.get('IXSCAN sorted')).toBeGreaterThan(30);
  expect(stages.get('collated')).toBeGreaterThan(40);
});

test('what exact bounds leave out of the residual filter, the keys answer alone', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      const { documents, specs, query } = run;
      const collator = collatorOf(run);
      const bytes = encodeDocument(query);
      const collection = collectionOf(documents, specs);
      const expected = walk(
        collection,
        { stage: 'COLLSCAN', reverse: false, sorted: true, residual: [] },
        bytes,
        collator,
      ).found;
      const { winning, rejected } = planQuery(collection, { filter: bytes, collator });
      for (const plan of [winning, ...rejected]) {
        const residual = plan.residual.map(filterDocument);
        const found = walk(collection, plan, encodeDocument({})).found;
        const kept = found.filter((id) =>
          residual.every((each) => compileFilter(each, { collator })(collection.get(id)!.bytes)),
        );
        expect(kept.sort((a, b) => a - b)).toEqual(expected);
      }
    }),
    { numRuns: 1000 },
  );
});

test('the normal form of a filter means what the filter means', () => {
  fc.assert(
    fc.property(filter, fc.array(document, { maxLength: 8 }), (query, documents) => {
      const matches = compileFilter(encodeDocument(query));
      const normal = compileFilter(filterDocument(parseFilterTree(encodeDocument(query))));
      for (const each of documents) expect(normal(encodeDocument(each))).toBe(matches(encodeDocument(each)));
    }),
    { numRuns: 1000 },
  );
});

test('the bounds of a comparison hold the values that it matches and no other, if they are exact', () => {
  const comparison = fc.dictionary(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$eq'), scalar.filter(notRegex), {
    minKeys: 1,
    maxKeys: 1,
  });
  fc.assert(
    fc.property(comparison, scalar, (operators, one) => {
      const [leafNode] = conjunctsOf(parseFilterTree(encodeDocument({ a: operators })));
      const bounds = leafNode?.kind === 'leaf' ? boundsOf(leafNode) : undefined;
      fc.pre(bounds !== undefined);
      const bytes = encodeDocument({ a: one });
      const cursor = new ElementCursor(bytes);
      cursor.next();
      const within = bounds!.intervals.some(({ low, lowInclusive, high, highInclusive }) => {
        const fromLow = compareValues(cursor.value(), low.value);
        const toHigh = compareValues(cursor.value(), high.value);
        return (fromLow > 0 || (fromLow === 0 && lowInclusive)) && (toHigh < 0 || (toHigh === 0 && highInclusive));
      });
      const matches = compileFilter(encodeDocument({ a: operators }))(bytes);
      if (bounds!.exact) expect(within).toBe(matches);
      else if (matches && cursor.type !== BsonType.undefined) expect(within).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
