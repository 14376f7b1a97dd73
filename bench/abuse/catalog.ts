import { Binary, type Db } from 'mongodb';
import { ELEMENTS } from './fixtures.ts';
import { type Row, times } from './row.ts';

const COLLECTIONS = 2000;

/** In a database of their own, once for all rows. */
async function collections(db: Db): Promise<void> {
  if ((await db.listCollections({ name: 'many1' }).toArray()).length > 0) return;
  for (let i = 0; i < COLLECTIONS; i++) await db.createCollection(`many${i}`);
}

/** Indexes, collections, sessions and what looks through all of it. */
export const CATALOG: readonly Row[] = [
  {
    name: 'createIndexes, 20 on 20,000',
    fixtures: ['many'],
    commands: () => ({
      createIndexes: 'many',
      indexes: times(20, (i) => ({ key: { k: 1, [`x${i}`]: 1 }, name: `i${i}` })),
    }),
  },
  {
    name: 'createIndexes of text on 20,000',
    fixtures: ['many'],
    commands: () => ({ createIndexes: 'many', indexes: [{ key: { s: 'text' }, name: 'text' }] }),
  },
  {
    name: 'createIndexes on an array of 100,000',
    fixtures: ['array'],
    commands: () => ({ createIndexes: 'array', indexes: [{ key: { a: 1 }, name: 'a' }] }),
  },
  {
    name: 'createIndexes, wildcard on 20,000 fields',
    fixtures: ['wide'],
    commands: () => ({ createIndexes: 'wide', indexes: [{ key: { '$**': 1 }, name: 'all' }] }),
  },
  { name: 'dropIndexes of 20', fixtures: ['many'], commands: () => ({ dropIndexes: 'many', index: '*' }) },
  { name: 'create of 1,000 collections', commands: () => times(1000, (i) => ({ create: `new${i}` })) },
  {
    name: 'listCollections of 2,000',
    prepare: collections,
    commands: () => ({ listCollections: 1, cursor: { batchSize: 10_000 } }),
  },
  { name: 'listDatabases', onAdmin: true, prepare: collections, commands: () => ({ listDatabases: 1 }) },
  { name: 'dbStats of 2,000 collections', prepare: collections, commands: () => ({ dbStats: 1 }) },
  { name: 'dbHash of all', prepare: collections, commands: () => ({ dbHash: 1 }) },
  { name: 'validate of 20,000, full', fixtures: ['many'], commands: () => ({ validate: 'many', full: true }) },
  { name: 'collStats of 20,000', fixtures: ['many'], commands: () => ({ collStats: 'many' }) },
  {
    name: 'collMod with a validator of 1,000 clauses',
    fixtures: ['many'],
    commands: () => ({ collMod: 'many', validator: { $or: times(1000, (i) => ({ k: { $ne: -i } })) } }),
  },
  {
    name: 'rename across 20,000 documents, and back',
    fixtures: ['many'],
    onAdmin: true,
    commands: (db) => [
      { renameCollection: `${db.databaseName}.many`, to: `${db.databaseName}.moved` },
      { renameCollection: `${db.databaseName}.moved`, to: `${db.databaseName}.many` },
    ],
  },
  {
    name: 'startSession, 5,000 times',
    onAdmin: true,
    atOnce: true,
    commands: () => times(5000, () => ({ startSession: 1 })),
  },
  { name: 'killAllSessions', onAdmin: true, commands: () => ({ killAllSessions: [] }) },
  {
    name: 'endSessions of 10,000',
    onAdmin: true,
    commands: () => ({ endSessions: times(10_000, (i) => ({ id: uuid(i) })) }),
  },
  {
    name: 'currentOp and serverStatus, 200 times',
    onAdmin: true,
    commands: () => times(200, (i) => (i % 2 === 0 ? { currentOp: 1, $all: true } : { serverStatus: 1 })),
  },
  { name: 'getParameter of all, 200 times', onAdmin: true, commands: () => times(200, () => ({ getParameter: '*' })) },
  { name: 'ping with a field of 15 MB', onAdmin: true, commands: () => ({ ping: 1, comment: 'x'.repeat(15_000_000) }) },
  {
    name: 'ping with an array of 500,000',
    onAdmin: true,
    commands: () => ({ ping: 1, comment: times(5 * ELEMENTS, (i) => i) }),
  },
  { name: 'drop of all 2,000 collections', prepare: collections, commands: () => ({ dropDatabase: 1 }) },
];

function uuid(i: number): Binary {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(i);
  return new Binary(bytes, 4);
}
