import { refused, works } from './row.ts';

const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
const four = [
  { _id: 1, loc: point(1, 0), flat: [1, 0] },
  { _id: 2, loc: point(2, 0), flat: [2, 0] },
  { _id: 3, loc: { type: 'LineString', coordinates: [[3, 0], [3, 1]] }, flat: [3, 0] }, // biome-ignore format: one line
  { _id: 4, loc: point(40, 40), flat: [40, 40] },
];
const ids = (found: readonly { readonly _id: unknown }[]) => found.map(({ _id }) => _id);
const square = { type: 'Polygon', coordinates: [[[0, -1], [2.5, -1], [2.5, 1], [0, 1], [0, -1]]] }; // biome-ignore format: one line

export const places = [
  works(
    '`2dsphere` and `2d` indexes, alone and with other fields',
    async ({ things }) => {
      await things.createIndex({ loc: '2dsphere', a: 1 });
      await things.createIndex({ flat: '2d' }, { bits: 20, min: -100, max: 100 });
      const [, sphere, plane] = await things.indexes();
      return [sphere?.['2dsphereIndexVersion'], plane?.bits];
    },
    [3, 20],
    'version 1 is refused (115)',
  ),
  works(
    '`$geoWithin` with `$geometry`, `$centerSphere`, `$box`, `$polygon`, `$center`',
    async ({ things }) => {
      await things.insertMany(four);
      const filters = [
        { loc: { $geoWithin: { $geometry: square } } },
        { loc: { $geoWithin: { $centerSphere: [[1, 0], 2.1 / 6378.1] } } },
        { flat: { $geoWithin: { $box: [[0, 0], [2, 2]] } } }, // biome-ignore format: one line
        { flat: { $geoWithin: { $polygon: [[1.5, -1], [3.5, -1], [3.5, 1], [1.5, 1]] } } }, // biome-ignore format: one line
        { flat: { $geoWithin: { $center: [[2, 0], 1] } } },
      ];
      return Promise.all(filters.map(async (filter) => ids(await things.find(filter).toArray())));
    },
    [[1, 2], [1], [1, 2], [2, 3], [1, 2, 3]],
    "edges on the sphere are great arcs, as S2's",
  ),
  works(
    '`$geoIntersects`, with all seven types of GeoJSON',
    async ({ things }) => {
      await things.insertMany(four);
      const corner = [[0, -1], [3, -1], [3, 2], [0, -1]]; // biome-ignore format: one line
      const geometries = [
        point(2, 0),
        { type: 'LineString', coordinates: [[2.9, 0.5], [3.1, 0.5]] }, // biome-ignore format: one line
        square,
        { type: 'MultiPoint', coordinates: [[1, 0], [40, 40]] }, // biome-ignore format: one line
        { type: 'MultiLineString', coordinates: [[[2.9, 0.5], [3.1, 0.5]]] }, // biome-ignore format: one line
        { type: 'MultiPolygon', coordinates: [[corner]] },
        { type: 'GeometryCollection', geometries: [point(1, 0), square] },
      ];
      return Promise.all(
        geometries.map(async ($geometry) =>
          ids(await things.find({ loc: { $geoIntersects: { $geometry } } }).toArray()),
        ),
      );
    },
    [[2], [3], [1, 2], [1, 4], [3], [1, 2, 3], [1, 2]],
  ),
  works(
    '`$near` and `$nearSphere`, by GeoJSON and pairs, with `$minDistance` and `$maxDistance`',
    async ({ things }) => {
      await things.insertMany(four);
      await things.createIndex({ loc: '2dsphere' });
      await things.createIndex({ flat: '2d' });
      const $geometry = point(2.2, 0);
      const filters = [
        { loc: { $near: { $geometry, $maxDistance: 200_000 } } },
        { loc: { $nearSphere: { $geometry, $minDistance: 100_000, $maxDistance: 200_000 } } },
        { flat: { $near: [2.2, 0], $maxDistance: 1 } },
        { flat: { $nearSphere: [2.2, 0], $maxDistance: 0.01 } },
      ];
      return Promise.all(filters.map(async (filter) => ids(await things.find(filter).toArray())));
    },
    [[2, 3, 1], [1], [2, 3], [2]],
  ),
  works(
    '`$geoNear` with `distanceField`, `includeLocs`, `distanceMultiplier`, `query`, `key`',
    async ({ things }) => {
      await things.insertMany(four);
      await things.createIndex({ flat: '2d' });
      const $geoNear = {
        ...{ near: [0, 0], key: 'flat', distanceField: 'far', includeLocs: 'at' },
        ...{ distanceMultiplier: 10, query: { _id: { $gt: 1 } }, maxDistance: 5 },
      };
      return things.aggregate([{ $geoNear }, { $project: { far: 1, at: 1 } }]).toArray();
    },
    [
      { _id: 2, far: 20, at: [2, 0] },
      { _id: 3, far: 30, at: [3, 0] },
    ],
    'not on time series or inside `$lookup` (115)',
  ),
  refused(
    'a value that is not a geometry in a 2dsphere index',
    16755,
    'Location16755',
    /Can't extract geo keys/,
    async ({ things }) => {
      await things.insertOne({ _id: 1, loc: point(181, 0) });
      return things.createIndex({ loc: '2dsphere' });
    },
  ),
  refused(
    'a point outside the bounds of a 2d index',
    13027,
    'Location13027',
    /point not in interval of/,
    async ({ things }) => {
      await things.insertOne({ _id: 1, loc: [0, 200] });
      return things.createIndex({ loc: '2d' });
    },
  ),
  refused('`$near` without an index', 291, 'NoQueryExecutionPlans', /unable to find index/, async ({ things }) => {
    await things.insertMany(four);
    return things.find({ loc: { $near: { $geometry: point(0, 0) } } }).toArray();
  }),
  refused(
    '`countDocuments` and `$match` by `$near`',
    5626500,
    'Location5626500',
    /are not allowed in this context/,
    ({ things }) => {
      const filter = { loc: { $near: [0, 0] } };
      return [things.countDocuments(filter), things.aggregate([{ $match: filter }]).toArray()];
    },
    'use `$geoWithin` with `$centerSphere`',
  ),
];
