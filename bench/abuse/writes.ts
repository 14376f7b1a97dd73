import type { Db, Document } from 'mongodb';
import { ELEMENTS, MANY } from './fixtures.ts';
import { fields, type Row, times } from './row.ts';

/** One document of its own, and one update of it. */
const updated = (
  make: () => Document,
  update: () => unknown,
  more: object = {},
): Pick<Row, 'prepare' | 'commands'> => ({
  prepare: (db) => begunWith(db, [make()]),
  commands: () => ({ update: 'own', updates: [{ q: {}, u: update(), ...more }] }),
});

async function begunWith(db: Db, documents: Document[]): Promise<void> {
  await db.collection('own').drop();
  if (documents.length > 0) await db.collection('own').insertMany(documents);
}

const numbers = () => ({ a: times(ELEMENTS, (i) => i) });
const wide = () => fields(MANY, (i) => [`f${i}`, i]);
const some = (count: number) => () => times(count, (i) => ({ _id: i, k: i, g: i % 10 }));
const own = (count: number) => (db: Db) => begunWith(db, some(count)());

/** Inserts, updates and deletes, and what arrays and fields cost in one document. */
export const WRITES: readonly Row[] = [
  {
    name: 'insert of 100,000',
    prepare: (db) => begunWith(db, []),
    commands: () => ({ insert: 'own', documents: times(100_000, (i) => ({ _id: i })) }),
  },
  {
    name: 'insert of 50,000 duplicate keys, unordered',
    prepare: (db) => begunWith(db, [{ _id: 1 as never }]),
    commands: () => ({ insert: 'own', ordered: false, documents: times(50_000, () => ({ _id: 1 })) }),
  },
  {
    name: 'insert of 20,000 into ten indexes',
    prepare: async (db) => {
      await begunWith(db, []);
      await db.collection('own').createIndexes(times(10, (i) => ({ key: { [`f${i}`]: 1 } })));
    },
    commands: () => ({ insert: 'own', documents: times(MANY, (i) => fields(10, (f) => [`f${f}`, i])) }),
  },
  {
    name: 'insert of an array of 100,000 into an index',
    prepare: async (db) => {
      await begunWith(db, []);
      await db.collection('own').createIndex({ a: 1 });
    },
    commands: () => ({ insert: 'own', documents: [numbers()] }),
  },
  {
    name: 'insert of 15 MB',
    prepare: (db) => begunWith(db, []),
    commands: () => ({ insert: 'own', documents: [{ s: 'x'.repeat(15_000_000) }] }),
  },
  {
    name: 'insert of 40 MB in three',
    prepare: (db) => begunWith(db, []),
    // The driver sends no more than 16 MB as one command.
    atOnce: true,
    commands: () => times(3, () => ({ insert: 'own', documents: [{ s: 'x'.repeat(13_000_000) }] })),
  },
  {
    name: 'update of 20,000 at once',
    prepare: own(MANY),
    commands: () => ({ update: 'own', updates: [{ q: {}, u: { $inc: { g: 1 } }, multi: true }] }),
  },
  {
    name: 'update of 20,000 by a pipeline',
    prepare: own(MANY),
    commands: () => ({ update: 'own', updates: [{ q: {}, u: [{ $set: { g: { $add: ['$g', 1] } } }], multi: true }] }),
  },
  {
    name: '100,000 updates of one document',
    prepare: own(1),
    commands: () => ({ update: 'own', updates: times(100_000, () => ({ q: { _id: 0 }, u: { $inc: { g: 1 } } })) }),
  },
  {
    name: '2,000 updates that scan 2,000',
    prepare: own(2000),
    commands: () => ({ update: 'own', updates: times(2000, (i) => ({ q: { k: i }, u: { $inc: { g: 1 } } })) }),
  },
  {
    name: '2,000 updates with a collation',
    prepare: own(2000),
    commands: () => ({
      update: 'own',
      updates: times(2000, (i) => ({ q: { k: i }, u: { $set: { g: 'x' } }, collation: { locale: 'fr' } })),
    }),
  },
  {
    name: '$set of 20,000 new fields',
    ...updated(
      () => ({ x: 1 }),
      () => ({ $set: wide() }),
    ),
  },
  {
    name: '$set of 20,000 nested fields',
    ...updated(
      () => ({ x: 1 }),
      () => ({ $set: fields(MANY, (i) => [`a.b${i}.c`, i]) }),
    ),
  },
  { name: '$unset of 20,000 fields', ...updated(wide, () => ({ $unset: wide() })) },
  {
    name: '$rename of 10,000 fields',
    ...updated(wide, () => ({ $rename: fields(10_000, (i) => [`f${i}`, `g${i}`]) })),
  },
  {
    name: '$inc, $mul, $min and $max of 5,000 each',
    ...updated(wide, () => ({
      $inc: fields(5000, (i) => [`f${i}`, 1]),
      $mul: fields(5000, (i) => [`f${i + 5000}`, 2]),
      $min: fields(5000, (i) => [`f${i + 10_000}`, -1]),
      $max: fields(5000, (i) => [`f${i + 15_000}`, 1e6]),
    })),
  },
  {
    name: '$push of 100,000 with every modifier',
    ...updated(
      () => ({ a: [] }),
      () => ({
        $push: { a: { $each: times(ELEMENTS, (i) => (i * 7919) % ELEMENTS), $position: 0, $sort: -1, $slice: 50_000 } },
      }),
    ),
  },
  {
    name: '$push of 10,000 objects, sorted by a path',
    ...updated(
      () => ({ a: [] }),
      () => ({
        $push: { a: { $each: times(10_000, (i) => ({ k: { v: (i * 7919) % 10_000 } })), $sort: { 'k.v': 1 } } },
      }),
    ),
  },
  {
    name: '$addToSet of 20,000',
    ...updated(numbers, () => ({ $addToSet: { a: { $each: times(20_000, (i) => ELEMENTS + i) } } })),
  },
  {
    name: '$addToSet of 10,000 objects',
    ...updated(
      () => ({ a: [] }),
      () => ({ $addToSet: { a: { $each: times(10_000, (i) => ({ k: i })) } } }),
    ),
  },
  { name: '$pull of half of 100,000', ...updated(numbers, () => ({ $pull: { a: { $lt: 50_000 } } })) },
  {
    name: '$pullAll of 20,000 from 100,000',
    ...updated(numbers, () => ({ $pullAll: { a: times(20_000, (i) => i) } })),
  },
  {
    name: '$pop, 500 times from 100,000',
    prepare: (db) => begunWith(db, [numbers()]),
    commands: () => ({ update: 'own', updates: times(500, () => ({ q: {}, u: { $pop: { a: 1 } } })) }),
  },
  { name: '$[] over 100,000', ...updated(numbers, () => ({ $inc: { 'a.$[]': 1 } })) },
  {
    name: 'array filters over 50,000',
    ...updated(
      () => ({ a: times(50_000, (i) => ({ k: i })) }),
      () => ({ $set: { 'a.$[e].x': 1 } }),
      { arrayFilters: [{ 'e.k': { $gte: 5 } }] },
    ),
  },
  {
    name: '$bit and $currentDate of 10,000 each',
    ...updated(wide, () => ({
      $bit: fields(10_000, (i) => [`f${i}`, { or: 1 }]),
      $currentDate: fields(10_000, (i) => [`f${i + 10_000}`, true]),
    })),
  },
  { name: 'replacement by 20,000 fields', ...updated(() => ({ x: 1 }), wide) },
  { name: 'delete of 20,000', prepare: own(MANY), commands: () => ({ delete: 'own', deletes: [{ q: {}, limit: 0 }] }) },
  {
    name: '20,000 deletes by _id',
    prepare: own(MANY),
    commands: () => ({ delete: 'own', deletes: times(MANY, (i) => ({ q: { _id: i }, limit: 1 })) }),
  },
  {
    name: 'findAndModify, sorted, 20,000',
    prepare: own(MANY),
    commands: () => ({
      findAndModify: 'own',
      query: { k: { $gte: 0 } },
      sort: { g: -1, k: -1 },
      update: { $set: { x: 1 } },
    }),
  },
  {
    name: 'bulkWrite of 100,000',
    onAdmin: true,
    prepare: (db) => begunWith(db, []),
    commands: (db) => ({
      bulkWrite: 1,
      ops: times(100_000, (i) =>
        i % 2 === 0
          ? { insert: 0, document: { _id: i } }
          : { update: 0, filter: { _id: i - 1 }, updateMods: { $set: { x: 1 } } },
      ),
      nsInfo: [{ ns: `${db.databaseName}.own` }],
    }),
  },
  {
    name: '$out of 20,000',
    fixtures: ['many'],
    commands: () => ({ aggregate: 'many', pipeline: [{ $out: 'out' }], cursor: {} }),
  },
  {
    name: '$merge of 20,000',
    fixtures: ['many'],
    commands: () => ({
      aggregate: 'many',
      pipeline: [{ $merge: { into: 'merged', whenMatched: 'merge' } }],
      cursor: {},
    }),
  },
  {
    name: '$merge of 20,000 by a pipeline',
    fixtures: ['many'],
    commands: () => ({
      aggregate: 'many',
      pipeline: [{ $merge: { into: 'many', whenMatched: [{ $set: { g: { $add: ['$$new.g', 0] } } }] } }],
      cursor: {},
    }),
  },
];
