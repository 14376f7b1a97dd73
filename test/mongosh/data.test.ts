import { describe, expect } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { directly, testAll } from './asking.ts';
import type { Asked } from './mongosh.ts';

const OID = { $oid: expect.any(String) };

const writes: Asked[] = [
  { name: 'insertOne', js: 'db.a.insertOne({ _id: 1, n: 1 })', gives: { acknowledged: true, insertedId: 1 } },
  { name: 'insertOne makes an _id', js: 'db.ids.insertOne({})', gives: { insertedId: OID } },
  {
    name: 'insertMany',
    js: 'db.a.insertMany([{ _id: 2, n: 2 }, { _id: 3, n: 3 }])',
    gives: { insertedIds: { '0': 2, '1': 3 } },
  },
  {
    name: 'insertMany with a duplicate',
    js: 'db.a.insertMany([{ _id: 4, n: 4 }, { _id: 1 }, { _id: 5, n: 5 }], { ordered: false })',
    throws: { code: 11000, message: expect.stringContaining('dup key: { _id: 1 }') },
  },
  { name: 'insert, as it was', js: 'db.a.insert({ _id: 6, n: 6 })', gives: { insertedIds: { '0': 6 } } },
  {
    name: 'updateOne',
    js: 'db.a.updateOne({ _id: 1 }, { $inc: { n: 10 } })',
    gives: { matchedCount: 1, modifiedCount: 1 },
  },
  {
    name: 'updateOne with a pipeline',
    js: "db.a.updateOne({ _id: 1 }, [{ $set: { twice: { $multiply: ['$n', 2] } } }])",
    gives: { matchedCount: 1, modifiedCount: 1 },
  },
  {
    name: 'updateOne that upserts',
    js: 'db.a.updateOne({ _id: 7 }, { $set: { n: 7 } }, { upsert: true })',
    gives: { matchedCount: 0, upsertedCount: 1, insertedId: 7 },
  },
  {
    name: 'updateMany with arrayFilters',
    before: 'db.b.insertOne({ _id: 1, list: [1, 5, 9] });',
    js: 'db.b.updateMany({}, { $set: { "list.$[x]": 0 } }, { arrayFilters: [{ x: { $gt: 4 } }] })',
    gives: { modifiedCount: 1 },
  },
  { name: 'its outcome', js: 'db.b.findOne()', gives: { _id: 1, list: [1, 0, 0] } },
  { name: 'update, as it was', js: 'db.a.update({ _id: 2 }, { $set: { x: 1 } })', gives: { modifiedCount: 1 } },
  { name: 'replaceOne', js: 'db.a.replaceOne({ _id: 2 }, { n: 20 })', gives: { modifiedCount: 1 } },
  {
    name: 'findAndModify',
    js: 'db.a.findAndModify({ query: { _id: 2 }, update: { $inc: { n: 1 } }, new: true })',
    gives: { _id: 2, n: 21 },
  },
  {
    name: 'findOneAndUpdate',
    js: "db.a.findOneAndUpdate({ _id: 3 }, { $set: { n: 30 } }, { returnDocument: 'after' })",
    gives: { _id: 3, n: 30 },
  },
  { name: 'findOneAndReplace', js: 'db.a.findOneAndReplace({ _id: 4 }, { n: 40 })', gives: { _id: 4, n: 4 } },
  { name: 'findOneAndDelete', js: 'db.a.findOneAndDelete({ _id: 5 })', gives: { _id: 5, n: 5 } },
  { name: 'findOneAndDelete of nothing', js: 'db.a.findOneAndDelete({ _id: 5 })', gives: null },
  { name: 'deleteOne', js: 'db.a.deleteOne({ _id: 6 })', gives: { acknowledged: true, deletedCount: 1 } },
  { name: 'deleteMany', js: 'db.ids.deleteMany({})', gives: { deletedCount: 1 } },
  { name: 'remove, as it was', js: 'db.a.remove({ _id: 7 })', gives: { deletedCount: 1 } },
  {
    name: 'bulkWrite',
    js: `db.bulk.bulkWrite([{ insertOne: { document: { _id: 1 } } }, { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } },
      { replaceOne: { filter: { _id: 2 }, replacement: { b: 1 }, upsert: true } }, { deleteOne: { filter: { _id: 1 } } }])`,
    gives: {
      insertedCount: 1,
      matchedCount: 1,
      modifiedCount: 1,
      deletedCount: 1,
      upsertedCount: 1,
      upsertedIds: { '2': 2 },
    },
  },
  {
    name: 'initializeOrderedBulkOp',
    before:
      'const bulk = db.bulk.initializeOrderedBulkOp(); bulk.insert({ _id: 9 }); bulk.find({ _id: 9 }).updateOne({ $set: { c: 1 } });',
    js: 'bulk.execute()',
    gives: { insertedCount: 1, modifiedCount: 1 },
  },
  {
    name: 'initializeUnorderedBulkOp',
    before:
      'const bulk = db.bulk.initializeUnorderedBulkOp(); bulk.find({ _id: 9 }).deleteOne(); bulk.find({ _id: 10 }).upsert().replaceOne({ d: 1 });',
    js: 'bulk.execute()',
    gives: { deletedCount: 1, upsertedCount: 1 },
  },
  {
    name: "bulkWrite of the connection, with the server's command",
    js: `db.getMongo().bulkWrite([{ namespace: 'test.bulk', name: 'insertOne', document: { _id: 11 } },
      { namespace: 'test.bulk2', name: 'insertOne', document: { _id: 1 } }])`,
    gives: { insertedCount: 2 },
  },
  {
    name: 'a write concern',
    js: "db.a.insertOne({ _id: 50 }, { writeConcern: { w: 'majority', j: true } })",
    gives: { insertedId: 50 },
  },
  {
    name: 'a write concern that no set of this size meets',
    js: 'db.a.insertOne({ _id: 51 }, { writeConcern: { w: 7 } })',
    throws: { code: 100, message: expect.stringContaining('Not enough data-bearing nodes') },
  },
  { name: 'w: 0', js: 'db.a.insertOne({ _id: 52 }, { writeConcern: { w: 0 } })', gives: { acknowledged: false } },
];

const reads: Asked[] = [
  {
    name: 'insertMany of some',
    js: 'db.many.insertMany(Array.from({ length: 150 }, (_, i) => ({ _id: i, mod: i % 3 }))).acknowledged',
    gives: true,
  },
  {
    name: 'find',
    js: 'db.many.find({ _id: { $gte: 147 } }, { mod: 0 }).sort({ _id: -1 }).toArray()',
    gives: [{ _id: 149 }, { _id: 148 }, { _id: 147 }],
  },
  { name: 'find in many batches', js: 'db.many.find().batchSize(7).toArray().length', gives: 150 },
  {
    name: 'a cursor by hand',
    before: 'const cursor = db.many.find().sort({ _id: 1 }).skip(10).limit(3).batchSize(2);',
    js: '[cursor.hasNext(), cursor.next()._id, cursor.next()._id, cursor.objsLeftInBatch(), cursor.tryNext()._id, cursor.hasNext(), cursor.isExhausted()]',
    gives: [true, 10, 11, 0, 12, false, true],
  },
  {
    name: 'cursor options',
    js: "db.many.find({ mod: 1 }).hint('_id_').min({ _id: 5 }).max({ _id: 9 }).comment('c').maxTimeMS(5000).readConcern('local').toArray()",
    gives: [{ _id: 7 }],
  },
  { name: 'returnKey', js: 'db.many.find({ _id: 3 }).returnKey(true).toArray()', gives: [{ _id: 3 }] },
  {
    name: 'showRecordId',
    js: 'db.many.find({ _id: 3 }).showRecordId().toArray()',
    gives: [{ $recordId: expect.any(Number) }],
  },
  {
    name: 'forEach and map',
    before: 'let sum = 0; db.many.find({ _id: { $lt: 3 } }).map((d) => d._id).forEach((i) => { sum += i; });',
    js: 'sum',
    gives: 3,
  },
  { name: 'itcount', js: 'db.many.find({ mod: 2 }).itcount()', gives: 50 },
  { name: 'findOne', js: 'db.many.findOne({ _id: 5 })', gives: { _id: 5, mod: 2 } },
  { name: 'distinct', js: "db.many.distinct('mod', { _id: { $gt: 10 } })", gives: [2, 0, 1] },
  { name: 'countDocuments', js: 'db.many.countDocuments({ mod: 1 })', gives: 50 },
  { name: 'estimatedDocumentCount', js: 'db.many.estimatedDocumentCount()', gives: 150 },
  { name: 'count, as it was', js: 'db.many.count({ mod: 0 })', gives: 50 },
  { name: 'cursor.count', js: 'db.many.find({ mod: 0 }).count()', gives: 50 },
  {
    name: 'aggregate',
    js: "db.many.aggregate([{ $group: { _id: '$mod', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray()",
    gives: [
      { _id: 0, n: 50 },
      { _id: 1, n: 50 },
      { _id: 2, n: 50 },
    ],
  },
  { name: 'aggregate of a database', js: 'db.aggregate([{ $documents: [{ a: 1 }] }]).toArray()', gives: [{ a: 1 }] },
  {
    name: 'aggregate that explains',
    js: 'db.many.aggregate([{ $match: { mod: 1 } }], { explain: true }).ok',
    gives: 1,
  },
  {
    name: 'mapReduce',
    js: 'db.many.mapReduce(function () { emit(1, 1); }, function () { return 1; }, { out: { inline: 1 } })',
    throws: { codeName: 'CommandNotSupported' },
  },
  {
    name: 'explain of a find',
    js: 'db.many.explain().find({ _id: 5 }).finish().queryPlanner.namespace',
    gives: 'test.many',
  },
  {
    name: 'explain of a cursor, with its execution',
    js: "db.many.find({ _id: { $lt: 10 } }).explain('executionStats').executionStats",
    gives: { executionSuccess: true, nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 },
  },
  {
    name: 'explain of all plans',
    js: "db.many.explain('allPlansExecution').find({ mod: 1 }).finish().executionStats.allPlansExecution",
    gives: [],
  },
  {
    name: 'explain of an aggregate',
    js: "db.many.explain('executionStats').aggregate([{ $match: { mod: 1 } }]).ok",
    gives: 1,
  },
  {
    name: 'explain of an update',
    js: "db.many.explain('executionStats').update({ mod: 1 }, { $set: { x: 1 } }).executionStats.executionStages",
    gives: { stage: 'UPDATE', nWouldModify: 1 },
  },
  {
    name: 'explain of a removal',
    js: "db.many.explain('executionStats').remove({ mod: 1 }).executionStats.executionStages",
    gives: { stage: 'BATCHED_DELETE', nWouldDelete: 50 },
  },
  {
    name: 'explain of a count',
    js: 'db.many.explain().count({ mod: 1 }).queryPlanner.winningPlan',
    gives: { stage: 'COUNT' },
  },
  { name: 'explain of distinct', js: "db.many.explain().distinct('_id').queryPlanner.namespace", gives: 'test.many' },
  {
    name: 'explain of findAndModify',
    js: 'db.many.explain().findAndModify({ query: { mod: 1 }, update: { $set: { x: 1 } } }).queryPlanner.winningPlan.stage',
    gives: 'UPDATE',
  },
  {
    name: 'what was explained did not happen',
    js: 'db.many.countDocuments({ $or: [{ x: 1 }, { mod: 1 }] })',
    gives: 50,
  },
  {
    name: 'watch',
    js: 'db.many.watch().tryNext()',
    gives: null,
  },
  {
    name: 'watch of a database',
    js: 'db.watch().tryNext()',
    gives: null,
  },
  {
    name: 'watch of a connection',
    js: 'db.getMongo().watch().tryNext()',
    gives: null,
  },
];

const sessions: Asked[] = [
  {
    name: 'a session writes and reads',
    before:
      "const session = db.getMongo().startSession(); const c = session.getDatabase('test').sess; c.insertOne({ _id: 1 });",
    js: '[c.findOne({ _id: 1 }), session.getOperationTime(), session.getClusterTime().clusterTime]',
    gives: [{ _id: 1 }, { $timestamp: {} }, { $timestamp: {} }],
  },
  {
    name: 'a transaction',
    before: 'const session = db.getMongo().startSession(); session.startTransaction();',
    js: "session.getDatabase('test').sess.insertOne({ _id: 2 }).acknowledged",
    gives: true,
  },
  {
    name: 'its end',
    before:
      "const session = db.getMongo().startSession(); session.startTransaction(); try { session.getDatabase('test').sess.insertOne({ _id: 2 }); } catch {}",
    js: 'session.abortTransaction()',
    gives: null,
  },
  {
    name: 'withTransaction',
    before: 'const session = db.getMongo().startSession();',
    js: "session.withTransaction(() => { session.getDatabase('test').sess.insertOne({ _id: 3 }); })",
    gives: null,
  },
  { name: 'only what was committed is there', js: 'db.sess.find().toArray()', gives: [{ _id: 1 }, { _id: 3 }] },
];

describe("mongosh's helpers for data", () => {
  const served = useServedSet({ seed: 11 });
  testAll(() => directly(served()), [...writes, ...reads, ...sessions]);
});
