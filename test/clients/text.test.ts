import type { MongoServerError } from 'mongodb';
import mongoose, { Schema } from 'mongoose';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// Words, as an application looks for them: by the driver, and by mongoose as its documentation has it.

const served = useServedSet({ members: 3 });
const newClient = useClients();

interface Article {
  _id: number;
  title: string;
  body?: string;
  author?: string;
}

const articles: Article[] = [
  { _id: 1, title: 'Coffee', body: 'Shops that roast it themselves', author: 'ada' },
  { _id: 2, title: 'Baking a cake', body: 'With coffee and without', author: 'ada' },
  { _id: 3, title: 'Café con leche', body: 'Una receta', author: 'bob' },
];

async function articlesOf(name: string) {
  const client = newClient(served().uri);
  const collection = client.db('text').collection<Article>(name);
  await collection.createIndex({ title: 'text', body: 'text' }, { weights: { title: 10 } });
  await collection.insertMany(articles, { writeConcern: { w: 3 } });
  return { client, collection };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 0,
    (error: MongoServerError) => error.code,
  );
const score = { $meta: 'textScore' } as const;

test('the driver: search, scores, their order, and the index as it is listed', async () => {
  const { collection } = await articlesOf('articles');
  expect(await collection.indexes()).toEqual([
    { v: 2, key: { _id: 1 }, name: '_id_' },
    {
      v: 2,
      key: { _fts: 'text', _ftsx: 1 },
      name: 'title_text_body_text',
      weights: { body: 1, title: 10 },
      default_language: 'english',
      language_override: 'language',
      textIndexVersion: 3,
    },
  ]);
  const coffee = { $text: { $search: 'coffee' } };
  const scored = await collection.find(coffee).project({ score }).sort({ score }).toArray();
  expect(scored.map((each) => [each._id, each.score])).toEqual([[1, 10], [2, 0.75]]); // biome-ignore format: one line
  const onSecondary = collection.find({ $text: { $search: 'cafe -coffee' } }, { readPreference: 'secondary' });
  expect(await onSecondary.map(({ _id }) => _id).toArray()).toEqual([3]);
  expect(await collection.countDocuments({ $text: { $search: '"baking a cake"' } })).toBe(1);
  const byAuthor = [
    { $match: { $text: { $search: 'coffee cake' } } },
    { $group: { _id: '$author', best: { $max: score }, n: { $sum: 1 } } },
  ];
  expect(await collection.aggregate(byAuthor).toArray()).toEqual([{ _id: 'ada', best: 10, n: 2 }]);
  const explained = await collection.find(coffee).explain('executionStats');
  expect(explained.queryPlanner.winningPlan).toMatchObject({ stage: 'TEXT_MATCH' });
});

test('the driver: writes, in a transaction and outside', async () => {
  const { client, collection } = await articlesOf('written');
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await collection.insertOne({ _id: 4, title: 'Cakes' }, { session });
      const inside = collection.find({ $text: { $search: 'cake' } }, { session }).sort({ _id: 1 });
      expect(await inside.map(({ _id }) => _id).toArray()).toEqual([2, 4]);
      expect(await collection.countDocuments({ $text: { $search: 'cake' } })).toBe(1);
    }),
  );
  const { modifiedCount } = await collection.updateMany({ $text: { $search: 'cake' } }, { $set: { title: 'Pie' } });
  expect(modifiedCount).toBe(2);
  expect(await collection.countDocuments({ $text: { $search: 'cake' } })).toBe(0);
  expect((await collection.deleteMany({ $text: { $search: 'pies' } })).deletedCount).toBe(2);
});

test('the driver: what mongod refuses, by its codes', async () => {
  const { client, collection } = await articlesOf('refused');
  const search = { $text: { $search: 'x' } };
  expect(await codeOf(client.db('text').collection('none').find(search).toArray())).toBe(27);
  expect(await codeOf(collection.find(search).hint('title_text_body_text').toArray())).toBe(2);
  expect(await codeOf(collection.find().sort({ score }).toArray())).toBe(40218);
  expect(await codeOf(collection.aggregate([{ $limit: 1 }, { $match: search }]).toArray())).toBe(17313);
  expect(await codeOf(collection.insertOne({ _id: 9, title: 'x', language: 'klingon' } as Article))).toBe(17262);
  expect(await codeOf(collection.createIndex({ author: 'text' }))).toBe(85);
  expect(await codeOf(collection.createIndex({ author: 1, body: 'text' }))).toBe(67);
});

test('mongoose: a schema with a text index', async () => {
  const connection = await mongoose.createConnection(served().uri, { dbName: 'mongoose' }).asPromise();
  const schema = new Schema({ name: String, about: { type: String, text: true }, tags: [String] });
  schema.index({ name: 'text', tags: 'text' }, { weights: { name: 5 } });
  const Thing = connection.model('Thing', new Schema({ name: String, tags: [String] }).index({ name: 'text', tags: 'text' }, { weights: { name: 5 }, name: 'words' })); // biome-ignore format: one line
  await Thing.init();
  await Thing.create([{ name: 'Tea cups', tags: ['kitchen'] }, { name: 'Kitchen table', tags: ['wood', 'tea'] }]); // biome-ignore format: one line
  const found = await Thing.find({ $text: { $search: 'tea' } }, { score }).sort({ score }).lean<{ name: string; score: number }[]>(); // biome-ignore format: one line
  expect(found.map(({ name, score }) => [name, score])).toEqual([['Tea cups', 3.75], ['Kitchen table', 1.1]]); // biome-ignore format: one line
  // By two declarations mongoose asks for two indexes, which no mongod makes.
  const Other = connection.model('Other', schema);
  await expect(Other.init()).rejects.toMatchObject({ code: 85 });
  expect(await Thing.syncIndexes()).toEqual([]);
  await connection.close();
});
