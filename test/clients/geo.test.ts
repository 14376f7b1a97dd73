import type { MongoServerError } from 'mongodb';
import mongoose, { Schema } from 'mongoose';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// Places, as an application keeps and looks for them: by the driver, and by mongoose as its documentation has it.

const served = useServedSet({ members: 3 });
const newClient = useClients();

const point = (lng: number, lat: number) => ({ type: 'Point' as const, coordinates: [lng, lat] });

// Distances from the theatre: measured on a sphere with the radius of mongod's Earth.
const theatre = point(-73.9814, 40.7681);
const places = [
  { _id: 'park', loc: point(-73.97, 40.77), kind: 'green' },
  { _id: 'harbour', loc: point(-74.0445, 40.6892), kind: 'sight' },
  { _id: 'museum', loc: point(-73.9733, 40.7813), kind: 'sight' },
  { _id: 'tower', loc: point(2.2945, 48.8584), kind: 'sight' },
];

async function placesOf(name: string) {
  const client = newClient(served().uri);
  const collection = client.db('geo').collection<{ _id: string; loc?: unknown; kind?: string; at?: number[] }>(name);
  await collection.createIndex({ loc: '2dsphere' });
  await collection.insertMany(places, { writeConcern: { w: 3 } });
  return { client, collection };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 0,
    (error: MongoServerError) => error.code,
  );

test('the driver: near, within, intersecting, and the stage with distances', async () => {
  const { collection } = await placesOf('places');
  const near = { loc: { $near: { $geometry: theatre, $maxDistance: 20_000 } } };
  expect(
    await collection
      .find(near)
      .map(({ _id }) => _id)
      .toArray(),
  ).toEqual(['park', 'museum', 'harbour']);
  const onSecondary = collection.find(near, { readPreference: 'secondary' });
  expect(await onSecondary.map(({ _id }) => _id).toArray()).toEqual(['park', 'museum', 'harbour']);
  const $geoNear = { near: theatre, distanceField: 'metres', query: { kind: 'sight' }, maxDistance: 20_000 };
  const measured = await collection.aggregate([{ $geoNear }, { $project: { metres: 1 } }]).toArray();
  expect(measured).toEqual([
    { _id: 'museum', metres: expect.closeTo(1620.314, 2) },
    { _id: 'harbour', metres: expect.closeTo(10270.176, 2) },
  ]);
  const ring = [[-74.1, 40.6], [-73.9, 40.6], [-73.9, 40.9], [-74.1, 40.9], [-74.1, 40.6]]; // biome-ignore format: one line
  const $geometry = { type: 'Polygon', coordinates: [ring] };
  expect(await collection.countDocuments({ loc: { $geoWithin: { $geometry } } })).toBe(3);
  expect(await collection.countDocuments({ loc: { $geoIntersects: { $geometry } } })).toBe(3);
  expect(
    await collection.countDocuments({ loc: { $geoWithin: { $centerSphere: [theatre.coordinates, 2 / 6378.1] } } }),
  ).toBe(2);
  expect(await collection.indexes()).toMatchObject([
    { name: '_id_' },
    { name: 'loc_2dsphere', '2dsphereIndexVersion': 3 },
  ]);
  const explained = await collection.find(near).explain('executionStats');
  expect(explained.queryPlanner.winningPlan).toMatchObject({ stage: 'GEO_NEAR_2DSPHERE' });
});

test('the driver: what mongod refuses, by its codes', async () => {
  const { collection } = await placesOf('refused');
  const near = { loc: { $near: { $geometry: theatre } } };
  expect(await codeOf(collection.countDocuments(near))).toBe(5626500);
  expect(await codeOf(collection.find({ at: { $near: [0, 0] } }).toArray())).toBe(291);
  expect(await codeOf(collection.insertOne({ _id: 'nowhere', loc: point(200, 0) }))).toBe(16755);
  expect(await codeOf(collection.updateOne({ _id: 'park' }, { $set: { loc: { type: 'Spot' } } }))).toBe(16755);
  expect(await codeOf(collection.aggregate([{ $match: {} }, { $geoNear: { near: theatre } }]).toArray())).toBe(40602);
  expect(await codeOf(collection.createIndex({ at: '2d', loc: '2dsphere' }))).toBe(67);
  expect(await codeOf(collection.createIndex({ at: '2d' }, { collation: { locale: 'en' } }))).toBe(67);
  await collection.createIndex({ at: '2d' }, { min: -10, max: 10, bits: 12 });
  expect(await codeOf(collection.insertOne({ _id: 'far', at: [11, 0] }))).toBe(13027);
});

test('a transaction finds what it has put near, and others do not before it commits', async () => {
  const { client, collection } = await placesOf('transaction');
  const first = { loc: { $near: { $geometry: point(10, 10) } } };
  await client.withSession(async (session) => {
    session.startTransaction();
    await collection.insertOne({ _id: 'new', loc: point(10, 10) }, { session });
    expect(await collection.findOne(first, { session })).toMatchObject({ _id: 'new' });
    const stage = collection.aggregate([{ $geoNear: { near: point(10, 10), distanceField: 'd' } }, { $limit: 1 }], {
      session,
    });
    expect(await stage.toArray()).toMatchObject([{ _id: 'new', d: 0 }]);
    expect(await collection.findOne(first)).toMatchObject({ _id: 'tower' });
    await session.commitTransaction();
  });
  expect(await collection.findOne(first)).toMatchObject({ _id: 'new' });
});

test('mongoose: the queries of its documentation', async () => {
  const goose = new mongoose.Mongoose();
  await goose.connect(served().uri, { dbName: 'goose' });
  try {
    const City = goose.model(
      'City',
      new Schema({
        name: String,
        location: { type: { type: String, enum: ['Point'] }, coordinates: [Number] },
        flat: { type: [Number], index: '2d' },
      }).index({ location: '2dsphere' }),
    );
    await City.init();
    await City.create([
      { name: 'Denver', location: point(-104.9903, 39.7392), flat: [-104.9903, 39.7392] },
      { name: 'Boulder', location: point(-105.2705, 40.015), flat: [-105.2705, 40.015] },
      { name: 'Santa Fe', location: point(-105.9378, 35.687), flat: [-105.9378, 35.687] },
    ]);
    const names = async (query: Promise<{ name?: string | null | undefined }[]>) =>
      (await query).map(({ name }) => name);
    const colorado = [[[-109, 41], [-102, 41], [-102, 37], [-109, 37], [-109, 41]]]; // biome-ignore format: one line
    const state = { type: 'Polygon', coordinates: colorado };
    expect((await names(City.find({ location: { $geoWithin: { $geometry: state } } }))).sort()).toEqual([
      'Boulder',
      'Denver',
    ]);
    expect(
      (
        await names(
          City.where('location')
            .within(state as never)
            .exec(),
        )
      ).sort(),
    ).toEqual(['Boulder', 'Denver']);
    const center = point(-105, 40);
    expect(
      await names(
        City.where('location')
          .near({ center, maxDistance: 100_000 } as never)
          .exec(),
      ),
    ).toEqual(['Boulder', 'Denver']);
    const radians = { center: [-105, 40], maxDistance: 100 / 6378.1, spherical: true };
    expect(
      await names(
        City.where('location')
          .near(radians as never)
          .exec(),
      ),
    ).toEqual(['Boulder', 'Denver']);
    expect(
      await names(
        City.where('flat')
          .near({ center: [-105, 40], maxDistance: 1 } as never)
          .exec(),
      ),
    ).toEqual(['Denver', 'Boulder']);
    const within = () => City.where('flat').within();
    expect(
      (
        await names(
          within()
            .circle({ center: [-105, 40], radius: 0.265 } as never)
            .exec(),
        )
      ).sort(),
    ).toEqual(['Denver']);
    const circle = { center: [-105, 40], radius: 30 / 6378.1, spherical: true };
    expect(
      (
        await names(
          within()
            .circle(circle as never)
            .exec(),
        )
      ).sort(),
    ).toEqual(['Boulder', 'Denver']);
    expect(
      (
        await names(
          within()
            .box([-106, 39], [-104, 41] as never)
            .exec(),
        )
      ).sort(),
    ).toEqual(['Boulder', 'Denver']);
    expect(await names(within().polygon([-107, 35], [-105, 35], [-105, 36.5], [-107, 36.5]).exec())).toEqual([
      'Santa Fe',
    ]);
    const road = { type: 'LineString', coordinates: [[-104.9903, 39.7392], [-100, 38]] }; // biome-ignore format: one line
    expect(
      await names(
        City.where('location')
          .intersects()
          .geometry(road as never)
          .exec(),
      ),
    ).toEqual(['Denver']);
    const near = { near: center, distanceField: 'distance', key: 'location', spherical: true, maxDistance: 100_000 };
    expect(
      await City.aggregate()
        .near(near as never)
        .project({ _id: 0, name: 1 }),
    ).toEqual([{ name: 'Boulder' }, { name: 'Denver' }]);
    await expect(City.create({ name: 'Nowhere', location: point(0, 99) })).rejects.toMatchObject({ code: 16755 });
    await expect(goose.connection.db?.command({ geoSearch: 'cities', near: [0, 0] })).rejects.toMatchObject({
      code: 59,
    });
    expect(await goose.connection.db?.command({ collStats: 'cities' })).toMatchObject({ nindexes: 3 });
  } finally {
    await goose.disconnect();
  }
});

test('shapes of more points than a stack has room for, and a key that is no path', async () => {
  const { collection } = await placesOf('many');
  const circle = Array.from({ length: 150_000 }, (_, i) => [Math.cos(i / 23_873) * 5, Math.sin(i / 23_873) * 5]);
  await collection.insertOne({ _id: 'flat', at: [1, 1] });
  const found = await collection.find({ at: { $geoWithin: { $polygon: circle } } }).toArray();
  expect(found.map(({ _id }) => _id)).toEqual(['flat']);
  for (const key of ['$comment', '$alwaysTrue']) {
    const near = [{ $geoNear: { near: [0, 0], key, distanceField: 'd' } }];
    expect(await codeOf(collection.aggregate(near).toArray())).toBe(16410);
  }
});
