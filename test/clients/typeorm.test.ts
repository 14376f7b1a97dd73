import type { ObjectId } from 'mongodb';
import { DataSource, EntitySchema, type MongoRepository } from 'typeorm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useServedSet } from './servedSets.ts';

// A smoke run of TypeORM's driver for MongoDB, with entities as schemas: no decorators.

const served = useServedSet({ members: 3 });

interface Book {
  id: ObjectId;
  title: string;
  copies: number;
  lastSeen?: Date;
}

const book = new EntitySchema<Book>({
  name: 'book',
  columns: {
    id: { type: String, objectId: true, primary: true, generated: true },
    title: { type: String },
    copies: { type: Number },
    lastSeen: { type: Date, nullable: true },
  },
  indices: [{ columns: ['title'], unique: true }],
});

let source: DataSource;
let books: MongoRepository<Book>;

beforeAll(async () => {
  source = new DataSource({
    type: 'mongodb',
    url: served().uri.replace('/?', '/orm?'),
    entities: [book],
    synchronize: true,
    // Flags of an index that a schema leaves out would be sent as null, which mongod refuses.
    ignoreUndefined: true,
  });
  await source.initialize();
  books = source.getMongoRepository(book);
});
afterAll(() => (source?.isInitialized ? source.destroy() : undefined));

test('insert, find, update, delete', async () => {
  await books.insert([1, 2, 3, 4].map((copies) => ({ title: `T${copies}`, copies })));
  const saved = await books.save({ title: 'T5', copies: 5 });
  expect(saved.id).toBeDefined();
  expect(await books.count()).toBe(5);
  expect(await books.findOneBy({ title: 'T2' })).toMatchObject({ title: 'T2', copies: 2 });
  expect((await books.find({ order: { copies: 'DESC' }, skip: 1, take: 2 })).map(({ copies }) => copies)).toEqual([
    4, 3,
  ]);
  expect((await books.findBy({ copies: { $gt: 3 } as never })).length).toBe(2);
  expect(await books.findAndCount({ where: { copies: { $lte: 2 } as never } })).toMatchObject([
    [{ copies: 1 }, { copies: 2 }],
    2,
  ]);
  saved.copies = 50;
  await books.save(saved);
  await books.update({ title: 'T1' }, { copies: 10 });
  expect(await books.findOneBy({ title: 'T5' })).toMatchObject({ copies: 50 });
  expect(await books.findOneBy({ title: 'T1' })).toMatchObject({ copies: 10 });
  await books.delete({ title: 'T1' });
  await books.remove(saved);
  expect(await books.countBy({})).toBe(3);
  expect((await books.updateMany({}, { $inc: { copies: 1 } })).modifiedCount).toBe(3);
  expect(await books.distinct('copies', {})).toEqual([3, 4, 5]);
});

test('its unique index holds', async () => {
  expect(await books.collectionIndexes()).toMatchObject([{ name: '_id_' }, { key: { title: 1 }, unique: true }]);
  await expect(books.insert({ title: 'T2', copies: 0 })).rejects.toMatchObject({ code: 11000 });
});

test('aggregates and finds and modifies', async () => {
  const sums = await books.aggregate([{ $group: { _id: null, copies: { $sum: '$copies' } } }]).toArray();
  expect(sums).toEqual([{ _id: null, copies: 12 }]);
  await books.findOneAndUpdate({ title: 'T2' }, { $set: { copies: 100 } });
  expect(await books.findOneBy({ title: 'T2' })).toMatchObject({ copies: 100 });
});

test('an index of its makes documents expire, and a failover is not noticed', async () => {
  await books.createCollectionIndex({ lastSeen: 1 }, { expireAfterSeconds: 60, name: 'ttl' });
  const left = await books.count();
  await books.insert({ title: 'old', copies: 0, lastSeen: new Date(0) });
  expect(await books.count()).toBe(left + 1);
  const insert = books.insert({ title: 'during', copies: 0 });
  await served().stepDown({ secs: 12 });
  await insert;
  await served().untilTtlPass();
  await served().untilTtlPass();
  expect(await books.count()).toBe(left + 1);
  expect(await books.findOneBy({ title: 'old' })).toBeNull();
  await books.dropCollectionIndex('ttl');
  expect(await books.collectionIndexes()).toHaveLength(2);
});
