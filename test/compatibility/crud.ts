import { Binary, Decimal128, Long, ObjectId } from 'mongodb';
import { refused, works } from './row.ts';

const three = [
  { _id: 1, a: 1, tags: ['x'], at: { x: 1 } },
  { _id: 2, a: 2, tags: ['x', 'y'], at: { x: 2 } },
  { _id: 3, a: 3, tags: [], at: { x: 3 } },
];

export const reading = [
  works(
    '`find` with filter, projection, sort, skip, limit',
    async ({ things }) => {
      await things.insertMany(three);
      return things
        .find({ a: { $gte: 1 } }, { projection: { a: 1, _id: 0 }, sort: { a: -1 }, skip: 1, limit: 1 })
        .toArray();
    },
    [{ a: 2 }],
  ),
  works(
    'comparison, `$in`, `$and`, `$or`, `$nor`, `$not`, `$exists`, `$type`, `$mod`, `$regex`, `$size`, `$all`, `$elemMatch`, bits',
    async ({ things }) => {
      await things.insertMany(three);
      const filters = [
        { $and: [{ a: { $gt: 1 } }, { a: { $lt: 3 } }] },
        { $nor: [{ a: 1 }, { $or: [{ a: { $in: [3] } }, { a: 4 }] }] },
        { a: { $not: { $mod: [2, 1] } } },
        { tags: { $all: ['x', 'y'], $size: 2 } },
        { tags: { $elemMatch: { $regex: '^Y', $options: 'i' } } },
        { a: { $bitsAllSet: [1], $bitsAllClear: [0], $exists: true, $type: 'int' } },
      ];
      return Promise.all(filters.map(async (filter) => (await things.find(filter).toArray()).map(({ _id }) => _id)));
    },
    [[2], [2], [2], [2], [2], [2]],
  ),
  works(
    '`$expr` and `$jsonSchema` in filters',
    async ({ things }) => {
      await things.insertMany(three);
      const filter = { $expr: { $eq: ['$a', '$at.x'] }, $jsonSchema: { properties: { a: { maximum: 1 } } } };
      return things.countDocuments(filter);
    },
    1,
  ),
  works(
    'positional projection, `$slice`, `$elemMatch` in projections, and expressions',
    async ({ things }) => {
      await things.insertMany(three);
      const one = await things.findOne({ tags: 'y' }, { projection: { 'tags.$': 1 } });
      const two = await things.findOne(
        { _id: 2 },
        { projection: { _id: 0, tags: { $slice: -1 }, twice: { $multiply: ['$a', 2] } } },
      );
      const match = await things.findOne({ _id: 2 }, { projection: { _id: 0, tags: { $elemMatch: { $gt: 'x' } } } });
      return [one, two, match];
    },
    [{ _id: 2, tags: ['y'] }, { tags: ['y'], twice: 4 }, { tags: ['y'] }],
  ),
  works(
    'cursors in batches, `noCursorTimeout`',
    async ({ things }) => {
      await things.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id })));
      return (await things.find({}, { batchSize: 10, noCursorTimeout: true }).toArray()).length;
    },
    250,
  ),
  works(
    '`distinct`',
    async ({ things }) => {
      await things.insertMany(three);
      return things.distinct('tags');
    },
    ['x', 'y'],
  ),
  works(
    '`countDocuments` and `estimatedDocumentCount`',
    async ({ things }) => {
      await things.insertMany(three);
      return [await things.countDocuments({ a: { $ne: 2 } }), await things.estimatedDocumentCount()];
    },
    [2, 3],
  ),
  works(
    'collations, by the ICU of the runtime',
    async ({ things }) => {
      await things.insertMany([{ _id: 'É' }, { _id: 'e' }, { _id: 'f' }]);
      return things.countDocuments({ _id: 'e' }, { collation: { locale: 'fr', strength: 1 } });
    },
    2,
  ),
  works(
    '`hint` by name or keys, `min`, `max`, `returnKey`, `let`, `allowDiskUse`, `comment`, `maxTimeMS`',
    async ({ things }) => {
      await things.insertMany(three);
      await things.createIndex({ a: 1 });
      return things
        .find(
          { $expr: { $gt: ['$a', '$$least'] } },
          {
            hint: 'a_1',
            min: { a: 1 },
            max: { a: 3 },
            returnKey: true,
            let: { least: 1 },
            allowDiskUse: true,
            comment: 'c',
            maxTimeMS: 10_000,
          },
        )
        .toArray();
    },
    [{ a: 2 }],
  ),
  works(
    '`explain`: plans and execution statistics',
    async ({ things }) => {
      await things.insertMany(three);
      await things.createIndex({ a: 1 });
      const told = await things.find({ a: 2 }).explain('executionStats');
      return [told.queryPlanner.winningPlan.inputStage.stage, told.executionStats.totalKeysExamined];
    },
    ['IXSCAN', 1],
  ),
  works(
    'all BSON types, unchanged',
    async ({ things }) => {
      const all = {
        _id: new ObjectId(),
        long: Long.MAX_VALUE,
        decimal: Decimal128.fromString('1.10'),
        binary: new Binary(Buffer.from('x')),
        date: new Date(7),
        re: /x/i,
        nothing: null,
      };
      await things.insertOne(all);
      const back = await things.findOne({}, { promoteLongs: false });
      return [back?.long.toString(), back?.decimal.toString(), back?.date.getTime(), String(back?.re), back?.nothing];
    },
    [Long.MAX_VALUE.toString(), '1.10', 7, '/x/i', null],
  ),
  refused(
    '`$where`',
    2,
    'BadValue',
    /runs JavaScript.*use \$expr/,
    ({ things }) => things.find({ $where: 'true' }).toArray(),
    'use `$expr` in most cases',
  ),
];

export const writing = [
  works(
    '`insertOne`, `insertMany`, ordered and not',
    async ({ things }) => {
      await things.insertOne({ _id: 1 });
      const twice = things.insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }], { ordered: false });
      const { code, insertedCount } = await twice.then(
        () => ({ code: 0, insertedCount: 0 }),
        (error) => ({ code: error.code, insertedCount: error.insertedCount }),
      );
      return [code, insertedCount];
    },
    [11000, 2],
  ),
  works(
    '`updateOne`, `updateMany`, `replaceOne`, upserts',
    async ({ things }) => {
      await things.insertMany(three);
      const all = await things.updateMany({ a: { $gt: 1 } }, { $inc: { a: 10 } });
      const one = await things.updateOne({ a: 1 }, { $set: { a: 1 } });
      const upsert = await things.replaceOne({ _id: 9 }, { a: 9 }, { upsert: true });
      return [all.modifiedCount, one.matchedCount, one.modifiedCount, upsert.upsertedId];
    },
    [2, 1, 0, 9],
  ),
  works(
    '`$set`, `$unset`, `$inc`, `$mul`, `$min`, `$max`, `$rename`, `$currentDate`, `$setOnInsert`, `$bit`',
    async ({ things }) => {
      await things.insertOne({ _id: 1, a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, old: 7 });
      await things.updateOne(
        { _id: 1 },
        {
          $set: { a: 9 },
          $unset: { b: 1 },
          $inc: { c: 1 },
          $mul: { d: 2 },
          $min: { e: 1 },
          $max: { f: 9 },
          $rename: { old: 'new' },
        },
      );
      await things.updateOne({ _id: 2 }, { $setOnInsert: { a: 1 }, $currentDate: { at: true } }, { upsert: true });
      await things.updateOne({ _id: 2 }, { $bit: { a: { or: 6 } } });
      return [await things.findOne({ _id: 1 }), (await things.findOne({ _id: 2 }))?.a];
    },
    [{ _id: 1, a: 9, c: 4, d: 8, e: 1, f: 9, new: 7 }, 7],
  ),
  works(
    '`$push` with `$each`, `$slice`, `$sort`, `$position`; `$pull`, `$pullAll`, `$addToSet`, `$pop`',
    async ({ things }) => {
      await things.insertOne({ _id: 1, list: [3, 1] });
      await things.updateOne({ _id: 1 }, { $push: { list: { $each: [5, 2], $sort: 1, $slice: 3 } } } as object);
      await things.updateOne({ _id: 1 }, { $addToSet: { list: 7 } } as object);
      await things.updateOne({ _id: 1 }, { $pull: { list: { $lt: 2 } } } as object);
      await things.updateOne({ _id: 1 }, { $push: { list: { $each: [9, 8], $position: 0 } } } as object);
      await things.updateOne({ _id: 1 }, { $pullAll: { list: [8, 3] } } as object);
      await things.updateOne({ _id: 1 }, { $pop: { list: 1 } } as object);
      return (await things.findOne({}))?.list;
    },
    [9, 2],
  ),
  works(
    'positional `$`, `$[]` and `arrayFilters`',
    async ({ things }) => {
      await things.insertOne({ _id: 1, list: [{ n: 1 }, { n: 2 }, { n: 3 }] });
      await things.updateOne({ 'list.n': 2 }, { $set: { 'list.$.n': 20 } });
      await things.updateOne({}, { $inc: { 'list.$[].n': 100 } });
      await things.updateOne({}, { $inc: { 'list.$[big].n': 1 } }, { arrayFilters: [{ 'big.n': { $gte: 103 } }] });
      return (await things.findOne({}))?.list.map(({ n }: { n: number }) => n);
    },
    [101, 121, 104],
  ),
  works(
    'updates by a pipeline',
    async ({ things }) => {
      await things.insertOne({ _id: 1, a: 2 });
      await things.updateOne({}, [{ $set: { b: { $multiply: ['$a', 3] } } }, { $unset: 'a' }]);
      return things.findOne({});
    },
    { _id: 1, b: 6 },
  ),
  works(
    '`findOneAndUpdate`, `findOneAndReplace`, `findOneAndDelete`',
    async ({ things }) => {
      await things.insertMany(three);
      const after = await things.findOneAndUpdate(
        { _id: 1 },
        { $inc: { a: 1 } },
        { returnDocument: 'after', projection: { a: 1 } },
      );
      const before = await things.findOneAndReplace({ _id: 2 }, { a: 7 }, { projection: { a: 1 } });
      const gone = await things.findOneAndDelete({}, { sort: { _id: -1 }, projection: { _id: 1 } });
      return [after, before, gone];
    },
    [{ _id: 1, a: 2 }, { _id: 2, a: 2 }, { _id: 3 }],
  ),
  works(
    '`deleteOne`, `deleteMany`',
    async ({ things }) => {
      await things.insertMany(three);
      return [(await things.deleteOne({ a: 1 })).deletedCount, (await things.deleteMany({})).deletedCount];
    },
    [1, 2],
  ),
  works(
    '`bulkWrite` of a collection, and of a client (8.0)',
    async ({ things, client }) => {
      const one = await things.bulkWrite([
        { insertOne: { document: { _id: 1 } } },
        { updateOne: { filter: {}, update: { $set: { a: 1 } } } },
      ]);
      const two = await client.bulkWrite([{ namespace: things.namespace, name: 'deleteOne', filter: { a: 1 } }]);
      return [one.modifiedCount, two.deletedCount];
    },
    [1, 1],
  ),
  works(
    'GridFS',
    async ({ db }) => {
      const { GridFSBucket } = await import('mongodb');
      const bucket = new GridFSBucket(db, { chunkSizeBytes: 4 });
      const up = bucket.openUploadStream('file');
      await new Promise<void>((resolve, reject) => up.on('error', reject).end('ten bytes!', () => resolve()));
      const parts: Buffer[] = [];
      for await (const part of bucket.openDownloadStream(up.id)) parts.push(part as Buffer);
      return [Buffer.concat(parts).toString(), parts.length];
    },
    ['ten bytes!', 3],
  ),
];
