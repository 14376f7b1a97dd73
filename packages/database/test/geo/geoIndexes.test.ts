import { encodeDocument } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import { Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
const square = (lng: number, lat: number, side: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [lng, lat],
      [lng + side, lat],
      [lng + side, lat + side],
      [lng, lat + side],
      [lng, lat],
    ],
  ],
});
const createIndex = (key: object, more: object = {}, ns = 'c') =>
  member.run({ createIndexes: ns, indexes: [{ key, name: Object.entries(key).flat().join('_'), ...more }] });
const found = (filter: object, more: object = {}) =>
  member.ok({ find: 'c', filter, ...more }).cursor.firstBatch as Doc[];
const ids = (filter: object, more: object = {}) => found(filter, more).map(({ _id }) => _id);
const insert = (...documents: Doc[]) => member.run({ insert: 'c', documents });
const writeError = (document: Doc) => (insert(document).writeErrors as Doc[] | undefined)?.[0];

describe('making an index', () => {
  test.for<[key: object, more: object, code: number | undefined, phrase?: string]>([
    [{ loc: '2dsphere' }, {}, undefined],
    [{ loc: '2dsphere', at: '2dsphere', n: -1 }, {}, undefined],
    [{ n: 1, loc: '2dsphere' }, { '2dsphereIndexVersion': 2 }, undefined],
    [{ loc: '2dsphere' }, { unique: true, sparse: true, finestIndexedLevel: 20, coarsestIndexedLevel: 0 }, undefined],
    [{ loc: '2dsphere' }, { partialFilterExpression: { n: { $gt: 1 } } }, undefined],
    [{ loc: '2dsphere' }, { collation: { locale: 'en' } }, undefined],
    [{ loc: '2dsphere' }, { '2dsphereIndexVersion': 1 }, 115, 'not supported by replsim'],
    [{ loc: '2dsphere' }, { '2dsphereIndexVersion': 5 }, 67, 'unsupported geo index version'],
    [{ loc: '2dsphere' }, { coarsestIndexedLevel: -1 }, 16747],
    [{ loc: '2dsphere' }, { finestIndexedLevel: 31 }, 16748],
    [{ loc: '2dsphere' }, { finestIndexedLevel: 3, coarsestIndexedLevel: 4 }, 16749],
    [{ loc: '2d' }, { bits: 1, min: -0.5, max: 0.5 }, undefined],
    [{ loc: '2d', n: 1 }, {}, undefined],
    [{ loc: '2d' }, { bits: 33 }, 72, 'bits for hash must be > 0 and <= 32'],
    [{ loc: '2d' }, { bits: 0 }, 72],
    [{ loc: '2d' }, { min: 5, max: 5 }, 72, 'region for hash must be valid and have positive area'],
    [{ loc: '2d', at: '2d' }, {}, 16800],
    [{ n: 1, loc: '2d' }, {}, 16801, '2d has to be first in index'],
    [{ loc: '2d' }, { collation: { locale: 'en' } }, 67, 'collation'],
    [{ loc: '2d', at: '2dsphere' }, {}, 67, 'more than one index plugin'],
    [{ loc: '2dsphere', n: 'hashed' }, {}, 67, 'more than one index plugin'],
    [{ loc: 'geoHaystack' }, { bucketSize: 1 }, 67, "Unknown index plugin 'geoHaystack'"],
    [{ loc: '2dsphere' }, { partialFilterExpression: { at: { $near: [0, 0] } } }, 67],
  ])('%o with %o: %s', ([key, more, code, phrase = '']) => {
    const reply = createIndex(key, more);
    if (code === undefined) expect(reply).toMatchObject({ ok: 1, numIndexesAfter: 2 });
    else expect(reply).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(phrase) });
  });

  test('is listed with what it was made of', () => {
    createIndex({ loc: '2dsphere', n: 1 });
    createIndex({ at: '2d' }, { bits: 20, min: -10, max: 10 });
    expect(member.ok({ listIndexes: 'c' }).cursor.firstBatch).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { loc: '2dsphere', n: 1 }, name: 'loc_2dsphere_n_1', '2dsphereIndexVersion': 3 },
      { v: 2, key: { at: '2d' }, name: 'at_2d', bits: 20, min: -10, max: 10 },
    ]);
    expect(createIndex({ at: '2d' }, { bits: 21, min: -10, max: 10 })).toMatchObject({ code: 85 });
  });

  test('one that is built over documents finds what does not fit', () => {
    insert({ _id: 1, loc: point(1, 2) }, { _id: 2, loc: 'here' });
    expect(createIndex({ loc: '2dsphere' })).toMatchObject({ ok: 0, code: 16755 });
    expect(createIndex({ loc: '2d' })).toMatchObject({ ok: 0, code: 16804 });
  });

  test('is no TTL index', () => {
    expect(createIndex({ loc: '2dsphere' }, { expireAfterSeconds: 1 })).toMatchObject({ ok: 1 });
    expect(createIndex({ loc: '2dsphere', at: 1 }, { expireAfterSeconds: 1 })).toMatchObject({ ok: 0, code: 67 });
  });
});

describe('a 2dsphere index', () => {
  beforeEach(() => createIndex({ loc: '2dsphere' }));

  test.for<[value: unknown, reason: string]>([
    [{ type: 'Point', coordinates: [181, 0] }, 'Longitude/latitude is out of bounds, lng: 181 lat: 0'],
    [[0, 91], 'Longitude/latitude is out of bounds, lng: 0 lat: 91'],
    [{ type: 'Circle', coordinates: [1, 2] }, 'unknown GeoJSON type: Circle'],
    [{ kind: 'Point' }, 'unknown GeoJSON type'],
    ['here', 'geo element must be an array or object'],
    [5, 'geo element must be an array or object'],
    [
      [
        [1, 2],
        [3, 4],
      ],
      'Point must only contain numeric elements',
    ],
    [[point(1, 2)], 'Point must only contain numeric elements'],
    [
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [1, 2],
        ],
      },
      'must have at least 2 vertices',
    ],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
          ],
        ],
      },
      'Loop is not closed',
    ],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 4],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
        ],
      },
      'Edges 0 and 2 cross',
    ],
  ])('refuses %j: %s', ([loc, reason]) => {
    expect(writeError({ _id: 1, loc })).toMatchObject({
      code: 16755,
      errmsg: expect.stringMatching(/^Can't extract geo keys: \{ _id: 1, loc: /),
    });
    expect(writeError({ _id: 1, loc })?.errmsg).toContain(reason);
    expect(member.ok({ count: 'c' }).n).toBe(0);
  });

  test('an update is refused, too, and changes nothing', () => {
    insert({ _id: 1, loc: point(1, 2) });
    const reply = member.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { loc: [200, 0] } } }] });
    expect(reply.writeErrors).toMatchObject([{ code: 16755 }]);
    expect(found({})).toEqual([{ _id: 1, loc: point(1, 2) }]);
  });

  test('leaves out what has no geometry, and a hint shows so', () => {
    insert(
      { _id: 1 },
      { _id: 2, loc: null },
      { _id: 3, loc: {} },
      { _id: 4, loc: [1, 2, 'high'] },
      { _id: 5, loc: point(1, 2) },
      { _id: 6, loc: [] },
    );
    expect(ids({}, { hint: 'loc_2dsphere' })).toEqual([4, 5]);
    expect(ids({ loc: null })).toEqual([1, 2]);
    expect(ids({ loc: { $exists: true } })).toEqual([2, 3, 4, 5, 6]);
    expect(member.ok({ validate: 'c' })).toMatchObject({ valid: true, keysPerIndex: { loc_2dsphere: 2 } });
  });

  // Upstream: expression_keys_private.cpp, getS2Keys.
  test.for<[stops: object[], code: number | undefined]>([
    [[{ at: null }], undefined],
    [[{ at: null }, { at: null }, {}], undefined],
    [[{ at: [] }], undefined],
    [[{ at: null }, { at: point(1, 2) }], 16755],
    [[{ at: {} }, { at: point(1, 2) }], 16755],
    [[{ at: [] }, { at: null }], 16755],
  ])('what counts as missing does so alone, and is no geometry beside one: %j', ([stops, code]) => {
    createIndex({ 'stops.at': '2dsphere' });
    expect(writeError({ _id: 1, stops })?.code).toBe(code);
  });

  test('points of several documents in an array, and shapes of several cells, make it multikey', () => {
    createIndex({ 'stops.at': '2dsphere' });
    insert(
      { _id: 1, stops: [{ at: point(10, 10) }, { at: point(50, 50) }] },
      { _id: 2, stops: [{ at: point(11, 11) }] },
    );
    const explained = member.ok({
      explain: { find: 'c', filter: { 'stops.at': { $geoWithin: { $geometry: square(0, 0, 20) } } } },
      verbosity: 'executionStats',
    });
    const { inputStage: scan } = explained.queryPlanner.winningPlan;
    expect(scan).toMatchObject({ stage: 'IXSCAN', indexName: 'stops.at_2dsphere', isMultiKey: true });
    expect(explained.executionStats).toMatchObject({ nReturned: 2, totalDocsExamined: 2 });
    const near = { 'stops.at': { $near: { $geometry: point(49, 49) } } };
    expect(ids(near)).toEqual([1, 2]);
  });

  test('several fields: what stands before the shape bounds, what stands behind chooses', () => {
    createIndex({ kind: 1, loc: '2dsphere', n: 1 });
    const documents = Array.from({ length: 40 }, (_, i) => ({ _id: i, kind: i % 4, loc: point(i, i / 2), n: i % 3 }));
    insert(...documents);
    const filter = { kind: 2, n: 1, loc: { $geoWithin: { $geometry: square(0, 0, 20) } } };
    expect(ids(filter).sort((a, b) => a - b)).toEqual([10]);
    const { executionStats } = member.ok({ explain: { find: 'c', filter, hint: 'kind_1_loc_2dsphere_n_1' } });
    expect(executionStats.totalKeysExamined).toBeLessThan(12);
    const near = { kind: 2, loc: { $near: { $geometry: point(9, 5) } } };
    expect(ids(near, { limit: 3 })).toEqual([10, 6, 14]);
  });

  // Upstream: jstests/core/query/geo/multikey_geonear.js.
  test('what is near is found behind a range, too, where a field in front holds arrays', () => {
    createIndex({ kind: 1, loc: '2dsphere' });
    createIndex({ 'parts.n': 1, 'parts.at': '2dsphere' });
    insert(
      { _id: 1, kind: 1, loc: point(1, 1), parts: [{ n: 1 }, { at: point(1, 1) }] },
      { _id: 2, kind: 2, loc: point(2, 2), parts: [{ n: 2 }, { at: point(2, 2) }] },
      { _id: 3, kind: ['a', 'b'], loc: point(3, 3), parts: [{ n: 9 }, { n: -1 }, { at: point(3, 3) }] },
    );
    const near = { $near: { $geometry: point(4, 4) } };
    const hint = 'kind_1_loc_2dsphere';
    expect(ids({ kind: { $gte: 1 }, loc: near }, { hint })).toEqual([2, 1]);
    expect(ids({ kind: { $gte: 'a' }, loc: near }, { hint })).toEqual([3]);
    expect(ids({ 'parts.n': { $gte: 0 }, 'parts.at': near })).toEqual([3, 2, 1]);
    expect(ids({ 'parts.n': { $lt: 0, $gt: 8 }, 'parts.at': near })).toEqual([3]);
  });

  test('without a condition on the shape it is no help, and gives no order', () => {
    createIndex({ kind: 1, loc: '2dsphere' });
    const plan = (command: object) =>
      member.ok({ explain: command, verbosity: 'queryPlanner' }).queryPlanner.winningPlan;
    expect(plan({ find: 'c', filter: { kind: 1 } })).toMatchObject({ stage: 'COLLSCAN' });
    expect(plan({ find: 'c', sort: { kind: 1 } })).toMatchObject({ stage: 'SORT' });
    expect(
      plan({
        find: 'c',
        filter: {
          loc: {
            $geoWithin: {
              $box: [
                [0, 0],
                [1, 1],
              ],
            },
          },
        },
      }),
    ).toMatchObject({ stage: 'COLLSCAN' });
  });

  test('a unique one refuses a second document in the same cell', () => {
    createIndex({ at: '2dsphere' }, { unique: true });
    insert({ _id: 1, at: point(1, 2) });
    expect(writeError({ _id: 2, at: point(1, 2) })).toMatchObject({ code: 11000, keyPattern: { at: '2dsphere' } });
    expect(writeError({ _id: 3, at: point(1, 3) })).toBeUndefined();
  });
});

describe('a 2d index', () => {
  beforeEach(() => createIndex({ loc: '2d' }));

  test.for<[value: unknown, code: number]>([
    [[181, 0], 13027],
    [{ x: 0, y: -181 }, 13027],
    [[1], 13068],
    [[1, 'b'], 13026],
    [['a', 'b'], 16804],
    [point(1, 2), 16804],
  ])('refuses %j with %i', ([loc, code]) => {
    expect(writeError({ _id: 1, loc })).toMatchObject({ code });
  });

  test('takes pairs, documents of two numbers and arrays of them, and leaves out the rest', () => {
    insert(
      { _id: 1, loc: [1, 2] },
      { _id: 2, loc: { lng: 1, lat: 2 } },
      { _id: 3, loc: [[1, 2], [100, 100], []] },
      { _id: 4, loc: [] },
      { _id: 5, loc: 'here' },
      { _id: 6 },
      { _id: 7, loc: [new Int32(3), new Double(2.5)] },
      { _id: 8, loc: [Long.fromNumber(179), 180] },
    );
    expect(member.ok({ validate: 'c' }).keysPerIndex).toEqual({ _id_: 8, loc_2d: 6 });
    expect(
      ids({
        loc: {
          $geoWithin: {
            $box: [
              [0, 0],
              [5, 5],
            ],
          },
        },
      }).sort(),
    ).toEqual([1, 2, 3, 7]);
    expect(ids({ loc: { $near: [100, 101] } })).toEqual([3, 8, 7, 1, 2]);
  });

  test('a point to be near to lies in its square', () => {
    expect(member.run({ find: 'c', filter: { loc: { $near: [200, 0] } } })).toMatchObject({ code: 16433 });
  });
});

// Whatever is in the collection and whatever is asked, an index gives what a scan gives.

const lng = fc.oneof(
  fc.integer({ min: -180, max: 180 }),
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.integer({ min: -3, max: 3 }),
);
const lat = fc.oneof(
  fc.integer({ min: -90, max: 90 }),
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.integer({ min: -3, max: 3 }),
);
const position = fc.tuple(lng, lat);
const near = fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }));
const triangle = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: near },
      fc.tuple(fc.integer({ min: -150, max: 150 }), fc.integer({ min: -60, max: 60 })),
    ),
    fc.integer({ min: 1, max: 25 }),
  )
  .map(([[x, y], side]) => ({
    type: 'Polygon',
    coordinates: [
      [
        [x, y],
        [x + side, y],
        [x, y + side],
        [x, y],
      ],
    ],
  }));
const line = fc
  .uniqueArray(fc.oneof(near, position), { minLength: 2, maxLength: 4, selector: String })
  .map((coordinates) => ({ type: 'LineString', coordinates }));
const geoPoint = fc
  .oneof({ weight: 1, arbitrary: position }, { weight: 2, arbitrary: near })
  .map(([x, y]) => point(x, y));
const geoJson = fc.oneof(
  { weight: 4, arbitrary: geoPoint },
  line,
  triangle,
  fc.tuple(geoPoint, line).map((geometries) => ({ type: 'GeometryCollection', geometries })),
);
const onSphere = fc.oneof(
  triangle.map(($geometry) => ({ $geoWithin: { $geometry } })),
  fc
    .tuple(fc.oneof(near, position), fc.double({ min: 0, max: 1, noNaN: true }))
    .map((circle) => ({ $geoWithin: { $centerSphere: circle } })),
  geoJson.map(($geometry) => ({ $geoIntersects: { $geometry } })),
);
const pair = fc.oneof(near, fc.tuple(lng, lng));
const onPlane = fc.oneof(
  fc.tuple(pair, pair).map((box) => ({ $geoWithin: { $box: box } })),
  fc.tuple(pair, fc.double({ min: 0, max: 50, noNaN: true })).map((circle) => ({ $geoWithin: { $center: circle } })),
  fc.array(pair, { minLength: 3, maxLength: 5 }).map((polygon) => ({ $geoWithin: { $polygon: polygon } })),
  fc
    .tuple(near, fc.double({ min: 0, max: 0.5, noNaN: true }))
    .map((circle) => ({ $geoWithin: { $centerSphere: circle } })),
);

const scanned = (filter: Doc) => ids(filter, { hint: { $natural: 1 } }).sort((a, b) => a - b);
const byIndex = (filter: Doc, hint: string) => ids(filter, { hint, batchSize: 1000 }).sort((a, b) => a - b);

test('a 2dsphere index gives what a scan gives', () => {
  const met = { some: 0 };
  fc.assert(
    fc.property(fc.array(fc.oneof(geoJson, near), { minLength: 8, maxLength: 25 }), onSphere, (locs, condition) => {
      member = new FakeMember();
      createIndex({ loc: '2dsphere' });
      expect(insert(...locs.map((loc, _id) => ({ _id, loc }))).writeErrors).toBeUndefined();
      const filter = { loc: condition };
      const expected = scanned(filter);
      if (expected.length > 0) met.some += 1;
      expect(byIndex(filter, 'loc_2dsphere')).toEqual(expected);
    }),
    { numRuns: 150, seed: 17 },
  );
  expect(met.some).toBeGreaterThan(50);
});

test('a 2d index gives what a scan gives', () => {
  const met = { some: 0 };
  const locs = fc.array(fc.oneof(pair, fc.array(pair, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 25,
  });
  fc.assert(
    fc.property(locs, onPlane, fc.constantFrom(1, 5, 26, 32), (stored, condition, bits) => {
      member = new FakeMember();
      createIndex({ loc: '2d' }, { bits });
      expect(insert(...stored.map((loc, _id) => ({ _id, loc }))).writeErrors).toBeUndefined();
      const filter = { loc: condition };
      const expected = scanned(filter);
      if (expected.length > 0) met.some += 1;
      expect(byIndex(filter, 'loc_2d')).toEqual(expected);
    }),
    { numRuns: 150, seed: 17 },
  );
  expect(met.some).toBeGreaterThan(50);
});

test('$near gives all within the distances, the nearest first, as $geoNear measures them', () => {
  const distances = fc.tuple(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 20_000_000 }));
  fc.assert(
    fc.property(
      fc.array(geoJson, { minLength: 1, maxLength: 20 }),
      fc.oneof(near, position),
      distances,
      (locs, at, [from, to]) => {
        member = new FakeMember();
        createIndex({ loc: '2dsphere' });
        insert(...locs.map((loc, _id) => ({ _id, loc })));
        const all = member.ok({
          aggregate: 'c',
          pipeline: [{ $geoNear: { near: point(...at), distanceField: 'd' } }],
          cursor: { batchSize: 1000 },
        }).cursor.firstBatch as Doc[];
        expect(all).toHaveLength(locs.length);
        const measured = all.map(({ d }) => d);
        expect(measured).toEqual([...measured].sort((a, b) => a - b));
        const $near = { $geometry: point(...at), $minDistance: from, $maxDistance: to };
        expect(ids({ loc: { $near } }, { batchSize: 1000 })).toEqual(
          all.filter(({ d }) => d >= from && d <= to).map(({ _id }) => _id),
        );
      },
    ),
    { numRuns: 80, seed: 17 },
  );
});

test('filters beside the search hold', () => {
  createIndex({ loc: '2dsphere' });
  insert(...Array.from({ length: 300 }, (_, _id) => ({ _id, loc: point(_id / 10, 0), n: _id % 7 })));
  const filter = { n: 3, loc: { $near: { $geometry: point(15.01, 0), $maxDistance: 100_000 } } };
  const matches = compileFilter(encodeDocument({ n: 3 }));
  expect(found(filter).every((document) => matches(encodeDocument(document)))).toBe(true);
  expect(ids(filter)).toEqual([150, 157, 143]);
});
