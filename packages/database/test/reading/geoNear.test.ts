import { VERSIONS, type VersionTraits } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

// A degree on the equator, by the radius that mongod takes the Earth to have.
const DEGREE = (Math.PI / 180) * 6_378_100;
const point = (lng: number, lat = 0) => ({ type: 'Point', coordinates: [lng, lat] });

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert(
    'c',
    ...[3, 1, 2, 5, 4].map((lng) => ({ _id: lng, loc: point(lng), flat: [lng, 0], even: lng % 2 === 0 })),
  );
  index({ loc: '2dsphere' });
  index({ flat: '2d' });
});

function index(key: Doc, ns = 'c', more: object = {}): void {
  member.ok({ createIndexes: ns, indexes: [{ key, name: Object.entries(key).flat().join('_'), ...more }] });
}

const run = (command: object): Doc => member.run(command as Doc);
const find = (filter: object, more: object = {}): Doc[] => member.ok({ find: 'c', filter, ...more }).cursor.firstBatch;
const ids = (filter: object, more: object = {}) => find(filter, more).map(({ _id }) => _id);
const aggregate = (pipeline: object[], ns = 'c') => run({ aggregate: ns, pipeline, cursor: {} });
const results = (pipeline: object[], ns = 'c'): Doc[] =>
  member.ok({ aggregate: ns, pipeline, cursor: {} }).cursor.firstBatch;
const near = ($geometry: object, more: object = {}) => ({ loc: { $near: { $geometry, ...more } } });

describe('$near and $nearSphere', () => {
  test.for<[filter: object, expected: number[]]>([
    [near(point(0)), [1, 2, 3, 4, 5]],
    [near(point(6)), [5, 4, 3, 2, 1]],
    [near(point(0), { $maxDistance: 2.5 * DEGREE }), [1, 2]],
    [near(point(0), { $minDistance: 2.5 * DEGREE, $maxDistance: 4.5 * DEGREE }), [3, 4]],
    [near(point(0), { $maxDistance: 0 }), []],
    [{ loc: { $nearSphere: { $geometry: point(2.2) } } }, [2, 3, 1, 4, 5]],
    [{ loc: { $nearSphere: [0, 0], $maxDistance: 2.5 * (Math.PI / 180) } }, [1, 2]],
    [{ loc: { $near: point(0), $maxDistance: 2.5 * DEGREE } }, [1, 2]],
    [{ flat: { $near: [6, 0] } }, [5, 4, 3, 2, 1]],
    [{ flat: { $near: [6, 0], $maxDistance: 2.5 } }, [5, 4]],
    [{ flat: { $near: [6, 0, 1.5] } }, [5]],
    [{ flat: { $nearSphere: [6, 0], $minDistance: 3.5 * (Math.PI / 180) } }, [2, 1]],
    [{ ...near(point(0)), even: true }, [2, 4]],
    [{ $and: [near(point(0)), { _id: { $gt: 2 } }] }, [3, 4, 5]],
    // An $or of one branch is that branch. Upstream: jstests/core/index/geo/geo_or.js.
    [{ $or: [{ ...near(point(0)), even: true }] }, [2, 4]],
    [{ $and: [{ $or: [near(point(6))] }], _id: { $lt: 3 } }, [2, 1]],
  ])('%j gives %j', ([filter, expected]) => {
    expect(ids(filter)).toEqual(expected);
  });

  // Upstream: jstests/core/index/geo/geo_operator_crs.js, geo_array2.js.
  test('a projection shows how far documents are, and where', () => {
    const distance = { $meta: 'geoNearDistance' };
    const shown = (filter: object, projection: object, more: object = {}) =>
      find(filter, { projection, limit: 1, ...more });
    expect(shown(near(point(0)), { distance })).toEqual([
      { _id: 1, loc: point(1), flat: [1, 0], even: false, distance: expect.closeTo(DEGREE, 5) },
    ]);
    expect(shown(near(point(6)), { 'd.far': distance, 'd.at': { $meta: 'geoNearPoint' }, even: 1 })).toEqual([
      { _id: 5, even: false, d: { far: expect.closeTo(DEGREE, 5), at: point(5) } },
    ]);
    expect(shown({ loc: { $nearSphere: [0, 0] } }, { _id: 1, distance })).toEqual([
      { _id: 1, distance: expect.closeTo(Math.PI / 180, 10) },
    ]);
    expect(shown({ flat: { $near: [6, 0] } }, { _id: 1, distance }, { skip: 1 })).toEqual([{ _id: 4, distance: 2 }]);
    expect(shown({ flat: { $near: [6, 0] } }, { _id: 1, distance }, { sort: { _id: 1 } })).toEqual([
      { _id: 1, distance: 5 },
    ]);
    expect(run({ find: 'c', projection: { distance } })).toMatchObject({ ok: 0, code: 115 });
  });

  test('skip, limit and batches keep the order, a sort overrides it', () => {
    expect(ids(near(point(0)), { skip: 1, limit: 2 })).toEqual([2, 3]);
    expect(ids(near(point(0)), { sort: { _id: -1 } })).toEqual([5, 4, 3, 2, 1]);
    const { cursor } = member.ok({ find: 'c', filter: near(point(6)), batchSize: 2 });
    const { nextBatch } = member.ok({ getMore: cursor.id, collection: 'c' }).cursor;
    expect([...cursor.firstBatch, ...nextBatch].map(({ _id }) => _id)).toEqual([5, 4, 3, 2, 1]);
  });

  test('more documents than are looked at in one go', () => {
    member.insert(
      'many',
      ...Array.from({ length: 700 }, (_, _id) => ({ _id, loc: point((_id * 37) % 180, (_id * 11) % 60) })),
    );
    index({ loc: '2dsphere' }, 'many');
    const pipeline = [{ $geoNear: { near: point(10, 10), distanceField: 'd' } }];
    const all = member.ok({ aggregate: 'many', pipeline, cursor: { batchSize: 1000 } }).cursor.firstBatch as Doc[];
    expect(all).toHaveLength(700);
    expect(all.map(({ d }) => d)).toEqual(all.map(({ d }) => d).sort((a, b) => a - b));
    const filter = { loc: { $near: point(10, 10) } };
    const found = member.ok({ find: 'many', filter, batchSize: 1000 }).cursor.firstBatch as Doc[];
    expect(found.map(({ _id }) => _id)).toEqual(all.map(({ _id }) => _id));
  });

  test('writes, counts and distinct values go by it', () => {
    const q = near(point(0), { $maxDistance: 2.5 * DEGREE });
    expect(member.ok({ count: 'c', query: q }).n).toBe(2);
    expect(member.ok({ distinct: 'c', key: 'even', query: q }).values).toEqual([false, true]);
    member.ok({ update: 'c', updates: [{ q: near(point(6)), u: { $set: { first: true } } }] });
    expect(ids({ first: true })).toEqual([5]);
    member.ok({ update: 'c', updates: [{ q, u: { $set: { close: true } }, multi: true }] });
    expect(ids({ close: true }).sort()).toEqual([1, 2]);
    const modified = member.ok({ findAndModify: 'c', query: near(point(4.2)), update: { $inc: { n: 1 } }, new: true });
    expect(modified.value).toMatchObject({ _id: 4, n: 1 });
    expect(member.ok({ delete: 'c', deletes: [{ q, limit: 0 }] }).n).toBe(2);
    expect(ids(near(point(0)))).toEqual([3, 4, 5]);
  });

  test.for<[command: object, code: number, phrase: string]>([
    [
      { find: 'c', filter: { other: { $near: { $geometry: point(0) } } } },
      291,
      'unable to find index for $geoNear query',
    ],
    [{ find: 'c', filter: { loc: { $near: [0, 0] } } }, 291, 'unable to find index for $geoNear query'],
    [
      { find: 'c', filter: { flat: { $near: { $geometry: point(0) } } } },
      291,
      'unable to find index for $geoNear query',
    ],
    [{ find: 'c', filter: near(point(0)), hint: '_id_' }, 291, 'unable to find index for $geoNear query'],
    [{ find: 'c', filter: { $or: [near(point(0)), { even: true }] } }, 2, 'geoNear must be top-level expr'],
    [{ find: 'c', filter: { $or: [near(point(0))], flat: { $near: [0, 0] } } }, 2, 'Too many geoNear expressions'],
    [{ find: 'c', filter: { $nor: [near(point(0))] } }, 2, 'geoNear must be top-level expr'],
    [{ find: 'c', filter: { loc: { $not: { $near: [0, 0] } } } }, 2, 'geoNear must be top-level expr'],
    [{ find: 'c', filter: { loc: { $elemMatch: { $near: [0, 0] } } } }, 2, 'geoNear must be top-level expr'],
    [{ find: 'c', filter: { $and: [near(point(0)), { flat: { $near: [0, 0] } }] } }, 2, 'Too many geoNear expressions'],
    [{ find: 'c', filter: near(point(0)), sort: { $natural: 1 } }, 2, '$natural'],
    [{ find: 'c', filter: near(point(0)), hint: { $natural: 1 } }, 2, '$natural'],
    [{ find: 'c', filter: near(point(999)) }, 2, 'Longitude/latitude is out of bounds, lng: 999 lat: 0'],
    [{ find: 'c', filter: near(point(0)), returnKey: true, hint: 'loc_2dsphere' }, 115, 'geographic'],
    [{ create: 'd', validator: near(point(0)) }, 5626500, 'are not allowed in this context'],
  ])('%j is refused with %i: %s', ([command, code, phrase]) => {
    expect(run(command)).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(phrase) });
  });

  test('an upsert and a hidden or partial index know where they stand', () => {
    member.ok({ collMod: 'c', index: { name: 'loc_2dsphere', hidden: true } });
    expect(run({ find: 'c', filter: near(point(0)) })).toMatchObject({ code: 291 });
    index({ loc: '2dsphere', _id: 1 }, 'c', { partialFilterExpression: { even: true } });
    expect(run({ find: 'c', filter: near(point(0)) })).toMatchObject({ code: 291 });
    expect(ids({ ...near(point(0)), even: true })).toEqual([2, 4]);
    const q = { ...near(point(0)), even: true, _id: 9 };
    expect(member.ok({ update: 'c', updates: [{ q, u: { $set: { a: 1 } }, upsert: true }] }).upserted).toMatchObject([
      { _id: 9 },
    ]);
    expect(find({ _id: 9 })).toEqual([{ _id: 9, even: true, a: 1 }]);
  });

  test('nothing is found where there is no collection, but what is asked is read', () => {
    expect(member.ok({ find: 'none', filter: near(point(0)) }).cursor.firstBatch).toEqual([]);
    expect(results([{ $geoNear: { near: point(0), distanceField: 'd' } }], 'none')).toEqual([]);
    expect(aggregate([{ $geoNear: { near: point(999), distanceField: 'd' } }], 'none')).toMatchObject({ code: 2 });
  });
});

describe('$geoNear', () => {
  test('gives the distance, where it was measured, and what stages make of them', () => {
    const $geoNear = { near: point(0), distanceField: 'dist.calculated', includeLocs: 'dist.at', key: 'loc' };
    const [first, second] = results([{ $geoNear }, { $limit: 2 }, { $project: { dist: 1 } }]);
    expect(first).toEqual({ _id: 1, dist: { calculated: expect.closeTo(DEGREE, 5), at: point(1) } });
    expect(second).toMatchObject({ _id: 2, dist: { calculated: expect.closeTo(2 * DEGREE, 5) } });
  });

  test('8.2 needs no field for the distance', () => {
    const nearest = {
      aggregate: 'c',
      pipeline: [{ $geoNear: { near: point(0), key: 'loc' } }, { $limit: 1 }],
      cursor: {},
    };
    expect(run(nearest)).toMatchObject({ code: 16606 });
    (member as { traits: VersionTraits }).traits = VERSIONS['8.2'];
    expect(member.ok(nearest).cursor.firstBatch).toMatchObject([{ _id: 1 }]);
  });

  // Upstream: jstests/aggregation/sources/geonear/distancefield_and_includelocs.js.
  test('what is no document on the way to the distance gives way to one, and of one place the location', () => {
    member.insert('one', { _id: 1, loc: [1, 1], list: [{ a: 1 }], n: 5 });
    index({ loc: '2d' }, 'one');
    const near = (more: object) => results([{ $geoNear: { near: [1, 1], ...more } }, { $unset: 'loc' }], 'one')[0];
    expect(near({ distanceField: 'list.a' })).toEqual({ _id: 1, list: { a: 0 }, n: 5 });
    expect(near({ distanceField: 'n.d', includeLocs: 'n.at' })).toMatchObject({ n: { d: 0, at: [1, 1] } });
    expect(near({ distanceField: 'd', includeLocs: 'd' })).toMatchObject({ d: [1, 1] });
    expect(near({ distanceField: 'd', includeLocs: 'd.at' })).toMatchObject({ d: { at: [1, 1] } });
  });

  test.for<[stage: object, expected: [id: number, distance: number][]]>([
    [
      { near: point(0), key: 'loc', maxDistance: 2.5 * DEGREE, distanceMultiplier: 1 / DEGREE },
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      { near: point(0), key: 'loc', minDistance: 3.5 * DEGREE, distanceMultiplier: 1 / DEGREE },
      [
        [4, 4],
        [5, 5],
      ],
    ],
    [
      { near: point(0), key: 'loc', query: { even: true }, distanceMultiplier: 1 / DEGREE },
      [
        [2, 2],
        [4, 4],
      ],
    ],
    // In radians, by whatever index.
    [
      { near: [0, 0], key: 'loc', spherical: true, distanceMultiplier: 180 / Math.PI, maxDistance: 0.05 },
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      { near: [0, 0], key: 'flat', spherical: true, distanceMultiplier: 180 / Math.PI, maxDistance: 0.05 },
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      { near: [0, 0], key: 'flat', maxDistance: 2 },
      [
        [1, 1],
        [2, 2],
      ],
    ],
    // Of both kinds the 2d index is meant.
    [{ near: [0, 0], maxDistance: 1 }, [[1, 1]]],
    [
      { near: { $literal: [0, 0] }, maxDistance: { $add: [1, 1] } },
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [{ near: [0, 0], maxDistance: 1, uniqueDocs: true }, [[1, 1]]],
  ])('%j', ([stage, expected]) => {
    const found = results([{ $geoNear: { distanceField: 'd', ...stage } }]).map(({ _id, d }) => [_id, d]);
    expect(found).toEqual(expected.map(([id, distance]) => [id, expect.closeTo(distance, 9)]));
  });

  test('a constant of the command is a point, too', () => {
    const pipeline = [{ $geoNear: { near: '$$here', distanceField: 'd', key: 'loc' } }];
    const { cursor } = member.ok({ aggregate: 'c', pipeline, cursor: {}, let: { here: point(6) } });
    expect(cursor.firstBatch.map(({ _id }: Doc) => _id)).toEqual([5, 4, 3, 2, 1]);
  });

  test.for<[stage: object, code: number]>([
    [{ distanceField: 'd' }, 5860400],
    [{ near: 5 }, 5860401],
    [{ near: '$loc' }, 5860402],
    // Upstream: jstests/aggregation/sources/geonear/mindistance_and_maxdistance_expr.js.
    [{ near: point(0), minDistance: '$n' }, 7555701],
    [{ near: point(0), maxDistance: { $getField: 'n' } }, 7555702],
    [{ near: point(0), minDistance: { $concat: ['3', '.2'] } }, 14],
    [{ near: point(0), distanceField: 5 }, 16606],
    [{ near: point(0), includeLocs: 5 }, 16607],
    [{ near: point(0), includeLocs: 'a.' }, 40353],
    [{ near: point(0), limit: 5 }, 50858],
    [{ near: point(0), num: 5 }, 50857],
    [{ near: point(0), start: 5 }, 50856],
    [{ near: point(0), collation: {} }, 40227],
    [{ near: point(0), nope: 5 }, 2],
    [{ near: point(0), key: 5 }, 14],
    [{ near: point(0), key: '' }, 2],
    [{ near: point(0), query: 5 }, 14],
    [{ near: point(0), query: { $nope: 1 } }, 2],
    [{ near: point(0), query: { loc: { $near: [0, 0] } } }, 5626500],
    [{ near: point(0), maxDistance: 'far' }, 14],
    [{ near: point(0), minDistance: -1 }, 2],
    [{ near: point(0), distanceMultiplier: -1 }, 2],
    [{ near: point(0), distanceMultiplier: 'a' }, 14],
    [{ near: point(999), key: 'loc' }, 2],
    [{ near: point(0), key: 'other' }, 291],
    // GeoJSON wants a 2dsphere index, and the 2d one is taken to be meant.
    [{ near: point(0) }, 291],
    [{ near: [0, 0], key: 'loc' }, 291],
  ])('%j is refused with %i', ([stage, code]) => {
    expect(aggregate([{ $geoNear: { distanceField: 'd', ...stage } }])).toMatchObject({ ok: 0, code });
  });

  test('without a key the indexes have to say which field is meant', () => {
    const stage = [{ $geoNear: { near: point(0), distanceField: 'd' } }];
    member.insert('bare', { _id: 1, loc: point(1) });
    expect(aggregate(stage, 'bare')).toMatchObject({ code: 27, errmsg: expect.stringContaining('none were found') });
    index({ loc: '2dsphere' }, 'bare');
    expect(results(stage, 'bare')).toMatchObject([{ _id: 1 }]);
    index({ at: '2dsphere' }, 'bare');
    expect(aggregate(stage, 'bare')).toMatchObject({
      code: 27,
      errmsg: 'There is more than one 2dsphere index on app.bare; unsure which to use for $geoNear',
    });
  });

  test('stands at the front of a pipeline and nowhere else', () => {
    const $geoNear = { near: point(0), distanceField: 'd', key: 'loc' };
    expect(aggregate([{ $match: {} }, { $geoNear }])).toMatchObject({ code: 40602 });
    expect(aggregate([{ $facet: { a: [{ $geoNear }] } }])).toMatchObject({ code: 40600 });
    const $lookup = { from: 'c', as: 'all', pipeline: [{ $geoNear }] };
    expect(aggregate([{ $lookup }])).toMatchObject({ code: 115, errmsg: expect.stringContaining('$geoNear') });
    expect(aggregate([{ $unionWith: { coll: 'c', pipeline: [{ $geoNear }] } }])).toMatchObject({ code: 115 });
  });

  test('$match is no place to ask for an order, nor is what counts by one', () => {
    const refused = { code: 5626500, errmsg: expect.stringContaining('are not allowed in this context') };
    expect(aggregate([{ $match: near(point(0)) }])).toMatchObject(refused);
    expect(aggregate([{ $match: near(point(0)) }, { $group: { _id: 1, n: { $sum: 1 } } }])).toMatchObject(refused);
    const $geoWithin = { $centerSphere: [[0, 0], 0.05] };
    expect(results([{ $match: { loc: { $geoWithin } } }, { $group: { _id: 1, n: { $sum: 1 } } }])).toEqual([
      { _id: 1, n: 2 },
    ]);
  });
});

describe('on a view', () => {
  const $geoNear = { near: point(0), distanceField: 'd', key: 'loc' };

  test('shapes hold, an order by distance is not to be had', () => {
    member.ok({ create: 'v', viewOn: 'c', pipeline: [{ $match: { even: true } }] });
    const $geoWithin = { $centerSphere: [[0, 0], 0.05] };
    expect(member.ok({ find: 'v', filter: { loc: { $geoWithin } } }).cursor.firstBatch).toMatchObject([{ _id: 2 }]);
    expect(run({ find: 'v', filter: near(point(0)) })).toMatchObject({ code: 5626500 });
    expect(run({ count: 'v', query: near(point(0)) })).toMatchObject({ code: 5626500 });
    expect(aggregate([{ $geoNear }], 'v')).toMatchObject({ code: 40602 });
  });

  test('a view may begin with it, and one without stages is its collection', () => {
    member.ok({ create: 'sorted', viewOn: 'c', pipeline: [{ $geoNear }, { $project: { d: 1 } }] });
    const found = member.ok({ find: 'sorted', filter: { _id: { $gt: 3 } } }).cursor.firstBatch;
    expect(found).toEqual([
      { _id: 4, d: expect.closeTo(4 * DEGREE, 5) },
      { _id: 5, d: expect.closeTo(5 * DEGREE, 5) },
    ]);
    member.ok({ create: 'same', viewOn: 'c', pipeline: [] });
    expect(results([{ $geoNear }], 'same').map(({ _id }) => _id)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('explain', () => {
  const explain = (command: object, verbosity = 'executionStats'): Doc => member.ok({ explain: command, verbosity });

  test('$near is a search above the scan of its index', () => {
    const reply = explain({ find: 'c', filter: { ...near(point(0), { $maxDistance: 2.5 * DEGREE }), even: true } });
    expect(reply.queryPlanner.winningPlan).toMatchObject({
      stage: 'GEO_NEAR_2DSPHERE',
      keyPattern: { loc: '2dsphere' },
      indexName: 'loc_2dsphere',
      indexVersion: 2,
      inputStage: {
        stage: 'FETCH',
        filter: { even: { $eq: true } },
        inputStage: { stage: 'IXSCAN', indexName: 'loc_2dsphere' },
      },
    });
    expect(reply.queryPlanner.parsedQuery).toEqual({
      $and: [{ even: { $eq: true } }, near(point(0), { $maxDistance: 2.5 * DEGREE })],
    });
    expect(reply.executionStats).toMatchObject({
      nReturned: 1,
      executionStages: { stage: 'GEO_NEAR_2DSPHERE', nReturned: 1 },
    });
    // No more keys than cells around the circle hold, and the ones that end a range.
    expect(reply.executionStats.totalKeysExamined).toBeLessThanOrEqual(5);
    expect(reply.executionStats.totalDocsExamined).toBeLessThan(5);
    const flat = explain({ find: 'c', filter: { flat: { $near: [0, 0] } } });
    expect(flat.queryPlanner.winningPlan).toMatchObject({ stage: 'GEO_NEAR_2D', keyPattern: { flat: '2d' } });
    expect(flat.executionStats).toMatchObject({ nReturned: 5, totalKeysExamined: 5, totalDocsExamined: 5 });
  });

  test('a shape is a scan with bounds by cells, and by squares', () => {
    const sphere = explain({ find: 'c', filter: { loc: { $geoWithin: { $centerSphere: [[1, 0], 0.001] } } } });
    const { inputStage: scan } = sphere.queryPlanner.winningPlan;
    expect(scan).toMatchObject({ stage: 'IXSCAN', keyPattern: { loc: '2dsphere' } });
    expect(scan.indexBounds.loc[0]).toMatch(/^\[-?\d+, -?\d+\]$/);
    expect(sphere.executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 });
    const plane = explain({
      find: 'c',
      filter: {
        flat: {
          $geoWithin: {
            $box: [
              [1.5, -1],
              [2.5, 1],
            ],
          },
        },
      },
    });
    expect(plane.queryPlanner.winningPlan.inputStage.indexBounds.flat[0]).toMatch(
      /^\[BinData\(128, [0-9A-F]{16}\), BinData/,
    );
    expect(plane.executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 });
  });

  test('$geoNear is shown as the cursor that it is', () => {
    const pipeline = [
      { $geoNear: { near: point(0), distanceField: 'd', key: 'loc' } },
      { $match: { d: { $lt: 2.5 * DEGREE } } },
    ];
    const { stages } = explain({ aggregate: 'c', pipeline, cursor: {} });
    expect(stages).toMatchObject([
      { $geoNearCursor: { queryPlanner: { winningPlan: { stage: 'GEO_NEAR_2DSPHERE' } } }, nReturned: 5 },
      { $match: {}, nReturned: 2 },
    ]);
    expect(explain({ aggregate: 'none', pipeline, cursor: {} }).stages).toHaveLength(2);
  });
});
