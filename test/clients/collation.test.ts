import { type Document, MongoServerError } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: 1 });
const newClient = useClients();
const ignoringCase = { locale: 'en', strength: 2 } as const;
const items = () => newClient(served().uri).db('shop').collection<Document>('items');

beforeEach(async () => {
  const client = newClient(served().uri);
  await client.db('shop').dropDatabase();
  await client.db('shop').collection('items').insertMany([{ _id: 1, item: 'PEN' }, { _id: 2, item: 'ink' }, { _id: 3, item: 'pen' }] as Document[]); // biome-ignore format: one line
});

test('cursors, counts, distinct and aggregations take a collation', async () => {
  const ids = (documents: Document[]) => documents.map(({ _id }) => _id);
  expect(ids(await items().find({ item: 'Pen' }).collation(ignoringCase).toArray())).toEqual([1, 3]);
  expect(ids(await items().find().sort({ item: 1, _id: -1 }).collation(ignoringCase).toArray())).toEqual([2, 3, 1]);
  expect(await items().countDocuments({ item: 'Pen' }, { collation: ignoringCase })).toBe(2);
  expect(await items().distinct('item', {}, { collation: ignoringCase })).toEqual(['PEN', 'ink']);
  const grouped = items().aggregate([{ $sortByCount: '$item' }, { $limit: 1 }], { collation: ignoringCase });
  expect(await grouped.toArray()).toEqual([{ _id: 'PEN', count: 2 }]);
  const byNumber = { locale: 'en', numericOrdering: true };
  await items().insertMany([{ item: 'a10' }, { item: 'a9' }]);
  const numbered = items().find({ item: /^a/ }).sort({ item: 1 }).collation(byNumber);
  expect((await numbered.toArray()).map(({ item }) => item)).toEqual(['a9', 'a10']);
});

test('writes take one', async () => {
  const options = { collation: ignoringCase };
  expect((await items().updateMany({ item: 'Pen' }, { $set: { hit: 1 } }, options)).modifiedCount).toBe(2);
  expect((await items().replaceOne({ item: 'INK' }, { item: 'Ink' }, options)).modifiedCount).toBe(1);
  expect(await items().findOneAndUpdate({ item: 'INK' }, { $set: { n: 1 } }, options)).toMatchObject({ item: 'Ink' });
  const bulk = [{ updateOne: { filter: { item: 'inK' }, update: { $set: { n: 2 } }, collation: ignoringCase } }, { deleteMany: { filter: { item: 'Pen' }, collation: ignoringCase } }]; // biome-ignore format: one line
  expect(await items().bulkWrite(bulk)).toMatchObject({ modifiedCount: 1, deletedCount: 2 });
});

test('a unique index by one refuses what is equal, and tells which', async () => {
  await items().createIndex({ item: 1, kind: 1 }, { name: 'plain', unique: true });
  await expect(items().createIndex({ item: 1 }, { unique: true, collation: ignoringCase })).rejects.toMatchObject({ code: 11000 }); // biome-ignore format: one line
  await items().deleteOne({ _id: 3 as never });
  await items().createIndex({ item: 1 }, { unique: true, collation: ignoringCase });
  const refused: unknown = await items()
    .insertOne({ item: 'Pen' })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(MongoServerError);
  expect((refused as MongoServerError).errorResponse).toMatchObject({ code: 11000, keyValue: { item: 'Pen' } });
  const [, , index] = await items().indexes();
  expect(index!.collation).toMatchObject({ locale: 'en', strength: 2, version: '57.1' });
});

test('a collection and a view have their own', async () => {
  const db = newClient(served().uri).db('shop');
  const users = await db.createCollection<{ _id: string }>('users', { collation: ignoringCase });
  await users.insertOne({ _id: 'Ann' });
  expect(await users.findOne({ _id: 'ANN' })).toEqual({ _id: 'Ann' });
  expect(await users.findOne({ _id: 'ANN' }, { collation: { locale: 'simple' } })).toBeNull();
  await db.createCollection('pens', {
    viewOn: 'items',
    pipeline: [{ $match: { item: 'pEN' } }],
    collation: ignoringCase,
  });
  expect(await db.collection('pens').countDocuments()).toBe(2);
  await expect(db.collection('pens').find().collation({ locale: 'fr' }).toArray()).rejects.toMatchObject({ code: 167 });
});

test('what this runtime cannot compare by is refused, and says which option', async () => {
  const refused = (collation: { locale: string; strength?: number; backwards?: boolean }) =>
    expect(items().find().collation(collation).toArray()).rejects;
  await refused({ locale: 'sv', backwards: true }).toMatchObject({
    code: 2,
    message: expect.stringContaining("'backwards'"),
  });
  await refused({ locale: 'ja', strength: 4 }).toMatchObject({
    code: 2,
    message: expect.stringContaining("'strength'"),
  });
  await refused({ locale: 'tlh' }).toMatchObject({ code: 2, message: expect.stringContaining("'locale'") });
});
