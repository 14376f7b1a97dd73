import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EJSON, Long, serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { serve } from '../serving.ts';

const root = mkdtempSync(join(tmpdir(), 'load-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(root, String(++count));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

const bson = (...documents: object[]) => Buffer.concat(documents.map((each) => serialize(each)));
const metadata = (given: object) => EJSON.stringify(given, { relaxed: false });
const ID_INDEX = { v: 2, key: { _id: 1 }, name: '_id_' };
const ORDERS = Array.from({ length: 2500 }, (_, i) => ({
  _id: i,
  n: Long.fromNumber(i),
  at: new Date(1735689600000 + i),
}));

/** As mongodump writes it, of servers old and new. */
const DUMP = {
  'oplog.bson': bson({ ts: 1 }),
  'prelude.json': '{"ServerVersion":"8.0.4","ToolVersion":"100.10.0"}',
  'admin/system.version.bson': bson({ _id: 'featureCompatibilityVersion', version: '8.0' }),
  'admin/system.version.metadata.json': metadata({ indexes: [ID_INDEX], collectionName: 'system.version' }),
  'app/orders.bson': bson(...ORDERS),
  'app/orders.metadata.json': metadata({
    indexes: [
      ID_INDEX,
      { v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 2_000_000_000 },
      { v: 1, key: { n: -1 }, name: 'n_-1', ns: 'app.orders', background: true },
      { v: 2, key: { u: 1 }, name: 'u_1', unique: true, partialFilterExpression: { u: { $exists: true } } },
      { v: 2, key: { name: 1 }, name: 'name_1', collation: { locale: 'en', strength: 2 } },
      {
        v: 2,
        key: { _fts: 'text', _ftsx: 1 },
        name: 'text',
        weights: { body: 2 },
        default_language: 'english',
        language_override: 'language',
        textIndexVersion: 3,
      },
    ],
    uuid: 'ffa7054f30dc422696fa9607e150cb53',
    collectionName: 'orders',
    type: 'collection',
  }),
  'app/caf%C3%A9s.bson.gz': gzipSync(bson({ _id: 1 })),
  'app/caf%C3%A9s.metadata.json.gz': gzipSync(
    metadata({ options: { capped: true, size: Long.fromNumber(10_000), autoIndexId: true }, indexes: [ID_INDEX] }),
  ),
  'app/empty.bson': '',
  'app/empty.metadata.json': metadata({
    options: {},
    indexes: [ID_INDEX],
    collectionName: 'empty',
    type: 'collection',
  }),
  'app/cheap.metadata.json': metadata({
    options: { viewOn: 'orders', pipeline: [{ $match: { _id: { $lt: 10 } } }] },
    indexes: [],
    collectionName: 'cheap',
    type: 'view',
  }),
  'app/system.profile.bson': bson({ op: 'query' }),
};

test('a dump is loaded with its options, indexes and views, and what is not loaded is named', async () => {
  const served = await serve('--members', '3', '--port', '0', '--quiet', '--speed', '0', '--load', folderOf(DUMP));
  expect(served.err()).toBe(
    'loaded 4 collections, 2501 documents, 5 indexes; ' +
      'not loaded: admin, app/system.profile.bson, oplog.bson, prelude.json\n',
  );
  const client = await MongoClient.connect(served.uri, { readPreference: 'nearest' });
  const app = client.db('app');
  expect(await app.collection('orders').countDocuments({ n: { $type: 'long' } })).toBe(2500);
  expect(await app.collection('cheap').countDocuments()).toBe(10);
  expect(await app.collection('cafés').countDocuments()).toBe(1);
  expect(await app.listCollections({ name: 'cafés' }).toArray()).toMatchObject([
    { options: { capped: true, size: 10_000 } },
  ]);
  expect(await app.listCollections({ name: 'empty' }).toArray()).toHaveLength(1);
  expect(await app.collection('orders').indexes()).toMatchObject([
    { name: '_id_' },
    { name: 'ttl', expireAfterSeconds: 2_000_000_000 },
    { name: 'n_-1', v: 1 },
    { name: 'u_1', unique: true, partialFilterExpression: { u: { $exists: true } } },
    { name: 'name_1', collation: { locale: 'en', strength: 2 } },
    { name: 'text', weights: { body: 2 } },
  ]);
  await client.close();
  expect(await served.interrupt()).toBe(0);
});

test('files of mongoexport are loaded by their names', async () => {
  const folder = folderOf({
    'app.orders.json': '{"_id":1}\n{"_id":2}\n',
    'app.a.b.jsonl': '{"_id":{"$oid":"0123456789abcdef01234567"}}\n',
  });
  const served = await serve('--port', '0', '--quiet', '--speed', '0', '--load', folder);
  expect(served.err()).toBe('loaded 2 collections, 3 documents, 0 indexes\n');
  const client = await MongoClient.connect(served.uri);
  expect(await client.db('app').collection('a.b').countDocuments()).toBe(1);
  await client.close();
  await served.interrupt();
});

test('a set that continues with its data is not loaded once more', async () => {
  const dbpath = join(root, 'data');
  const folder = folderOf({ 'app.a.json': '{"_id":1}' });
  const args = ['--port', '0', '--quiet', '--speed', '0', '--dbpath', dbpath, '--load', folder];
  await (await serve(...args)).interrupt();
  const again = await serve(...args);
  expect(again.err()).toContain('--load: the set continues with its own data, so nothing is loaded\n');
  await again.interrupt();
});

test.each([
  [
    {},
    /--load: .* has no collections; it must hold DB\/COLLECTION.bson of mongodump or DB.COLLECTION.json of mongoexport/,
  ],
  [{ 'orders.bson': bson({}) }, /orders.bson belongs to a database, and its name is not known; name the folder above/],
  [
    { 'app/a.bson': bson({ _id: 1 }).subarray(0, 10) },
    /--load: .*a.bson: document 1, at byte 0: it claims 14 bytes, and the file ends after 10/,
  ],
  [
    { 'app/system.buckets.m.bson': '' },
    /holds the buckets of a time series, which cannot be loaded; load what mongoexport writes/,
  ],
  [{ 'app/a.metadata.json': '{"options":5}' }, /a.metadata.json: expected "options", a document/],
  [
    { 'app/a.bson': bson({ _id: 1 }, { _id: 1 }) },
    /a.bson: the primary refuses documents 1 to 2 \(number 2 of them\): E11000 duplicate key/,
  ],
  [
    { 'app/a.metadata.json': metadata({ options: { nonsense: 1 }, indexes: [] }) },
    /a.metadata.json: the primary refuses the collection: /,
  ],
])('%o is refused with its file', async (files, message) => {
  await expect(serve('--port', '0', '--quiet', '--speed', '0', '--load', folderOf(files))).rejects.toThrow(message);
});

test('a set that nobody initiates has no primary to load through', async () => {
  await expect(serve('--no-initiate', '--load', folderOf({ 'app.a.json': '{}' }))).rejects.toThrow(
    '--load needs a primary: leave out --no-initiate',
  );
});
