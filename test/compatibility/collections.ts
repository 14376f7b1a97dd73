import { refused, works } from './row.ts';

export const indexes = [
  works(
    'single, compound, multikey; ascending and descending',
    async ({ things }) => {
      await things.insertOne({ _id: 1, a: 1, tags: ['x', 'y'] });
      await things.createIndexes([{ key: { a: 1, b: -1 } }, { key: { tags: 1 } }]);
      const plan = await things.find({ tags: 'y' }).explain();
      return plan.queryPlanner.winningPlan.inputStage.isMultiKey;
    },
    true,
  ),
  works(
    'unique',
    async ({ things }) => {
      await things.createIndex({ a: 1 }, { unique: true });
      await things.insertOne({ _id: 1, a: 1 });
      return things.insertOne({ _id: 2, a: 1 }).catch(({ code, keyPattern }) => ({ code, keyPattern }));
    },
    { code: 11000, keyPattern: { a: 1 } },
  ),
  works(
    'partial and sparse',
    async ({ things }) => {
      await things.createIndex({ a: 1 }, { unique: true, partialFilterExpression: { a: { $gt: 5 } } });
      await things.createIndex({ b: 1 }, { unique: true, sparse: true });
      await things.insertMany([
        { _id: 1, a: 1 },
        { _id: 2, a: 1 },
        { _id: 3, a: 6 },
      ]);
      return things.insertOne({ _id: 4, a: 6 }).catch(({ code }) => code);
    },
    11000,
  ),
  works(
    'TTL: `expireAfterSeconds`',
    async ({ things, admin }) => {
      await things.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      const { localTime: now } = await admin.command({ hello: 1 });
      await things.insertMany([
        { _id: 1, at: now },
        { _id: 2, at: new Date(now.getTime() + 3_600_000) },
        { _id: 3, at: 'never' },
      ]);
      await admin.command({ replsimAdvance: '61s' });
      await admin.command({ replsimUntilTtlPass: 1 });
      return (await things.find().toArray()).map(({ _id }) => _id);
    },
    [2, 3],
    'see [ttl.md](ttl.md)',
  ),
  works(
    'hidden, with a collation, by `collMod`',
    async ({ things, db }) => {
      await things.createIndex({ a: 1 }, { collation: { locale: 'en', strength: 2 } });
      return db.command({ collMod: things.collectionName, index: { name: 'a_1', hidden: true } });
    },
    { hidden_old: false, hidden_new: true },
  ),
  works(
    'hashed and wildcard indexes: create and list',
    async ({ things }) => {
      await things.insertOne({ _id: 1, a: 1 });
      await things.createIndex({ a: 'hashed' });
      await things.createIndex({ '$**': 1 });
      const { queryPlanner } = await things.find({ a: 1 }).explain();
      return [(await things.indexes()).map(({ name }) => name), queryPlanner.winningPlan.stage];
    },
    [['_id_', 'a_hashed', '$**_1'], 'COLLSCAN'],
    'they hold no keys, so queries scan the collection',
  ),
  works(
    '`dropIndex`, `dropIndexes`, `listIndexes`',
    async ({ things }) => {
      await things.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }]);
      await things.dropIndex('a_1');
      const left = await things.listIndexes().toArray();
      await things.dropIndexes();
      return [left.map(({ name }) => name), (await things.indexes()).length];
    },
    [['_id_', 'b_1'], 1],
  ),
  refused(
    'search indexes',
    31082,
    'SearchNotEnabled',
    /has no search/,
    ({ things }) => things.createSearchIndex({ name: 'i', definition: { mappings: { dynamic: true } } }),
    'as from a mongod without Atlas',
  ),
];

export const collections = [
  works(
    'capped collections and tailable cursors',
    async ({ db }) => {
      const capped = await db.createCollection<{ _id: number }>('capped', { capped: true, size: 4096, max: 2 });
      await capped.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const cursor = capped.find({}, { tailable: true });
      const first = await cursor.next();
      await cursor.close();
      return first;
    },
    { _id: 2 },
  ),
  works(
    'time series, with `expireAfterSeconds`',
    async ({ db }) => {
      const series = await db.createCollection('series', {
        timeseries: { timeField: 'at', metaField: 'of' },
        expireAfterSeconds: 60,
      });
      await series.insertOne({ at: new Date(7), of: 'x', v: 1 });
      return (await series.findOne({ of: 'x' }))?.v;
    },
    1,
  ),
  works(
    'clustered collections',
    async ({ db }) => {
      const clustered = await db.createCollection<{ _id: number }>('clustered', {
        clusteredIndex: { key: { _id: 1 }, unique: true },
      });
      await clustered.insertMany([{ _id: 2 }, { _id: 1 }]);
      return (await clustered.find().toArray()).map(({ _id }) => _id);
    },
    [1, 2],
  ),
  works(
    'views',
    async ({ db, things }) => {
      await things.insertMany([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ]);
      const view = await db.createCollection('view', {
        viewOn: things.collectionName,
        pipeline: [{ $match: { a: 2 } }],
      });
      return view.countDocuments();
    },
    1,
  ),
  works(
    'validators, `$jsonSchema` and its `errInfo`',
    async ({ db }) => {
      const strict = await db.createCollection('strict', { validator: { $jsonSchema: { required: ['a'] } } });
      return strict.insertOne({}).catch(({ code, errInfo }) => [code, errInfo.details.operatorName]);
    },
    [121, '$jsonSchema'],
  ),
  works(
    '`rename`, `drop`, `dropDatabase`, `listCollections`, `listDatabases`',
    async ({ db, things, admin }) => {
      await things.insertOne({ _id: 1 });
      await things.rename('other');
      await db.collection('gone').insertOne({});
      await db.collection('gone').drop();
      const names = (await db.listCollections().toArray()).map(({ name }) => name);
      const listed = async () => {
        const { databases } = await admin.command({ listDatabases: 1, nameOnly: true });
        return databases.some(({ name }: { name: string }) => name === db.databaseName);
      };
      const was = await listed();
      await db.dropDatabase();
      return [names, was, await listed()];
    },
    [['other'], true, false],
  ),
  refused('queryable encryption', 115, 'CommandNotSupported', /encryptedFields/, ({ db }) =>
    db.createCollection('secret', { encryptedFields: { fields: [] } }),
  ),
];
