import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { InvalidOptions, ReplicaSet } from '../src/index.ts';

// What files may hold, and how they are loaded: `packages/cli/test/loading`.

const root = mkdtempSync(join(tmpdir(), 'replsim-loading-'));
const folder = join(root, 'dump');
mkdirSync(join(folder, 'app'), { recursive: true });
writeFileSync(join(folder, 'app/orders.bson'), Buffer.concat([1, 2].map((_id) => serialize({ _id }))));
writeFileSync(
  join(folder, 'app/orders.metadata.json'),
  JSON.stringify({ indexes: [{ v: 2, key: { item: 1 }, name: 'item_1' }], collectionName: 'orders' }),
);
afterAll(() => rmSync(root, { recursive: true }));

test('a set begins with what a dump holds, at any speed', async () => {
  for (const [speed, load] of [
    [0, folder],
    [1, pathToFileURL(folder)],
  ] as const) {
    const set = await ReplicaSet.start({ load, speed });
    const client = new MongoClient(set.uri);
    try {
      const orders = client.db('app').collection('orders');
      expect(await orders.countDocuments()).toBe(2);
      expect((await orders.indexes()).map(({ name }) => name)).toEqual(['_id_', 'item_1']);
    } finally {
      await client.close();
      await set.stop();
    }
  }
});

test('a recording has the documents, and gives the same again', async () => {
  const record = join(root, 'loaded.yaml');
  const set = await ReplicaSet.start({ load: folder, record, members: 1 });
  await set.stop();
  const again = await ReplicaSet.start({ scenario: record });
  try {
    const { n } = (await again.command('n1', { count: 'orders', $db: 'app' })) as { n: number };
    expect(n).toBe(2);
  } finally {
    await again.stop();
  }
});

test.for<[what: string, options: object, message: string]>([
  ['no folder', { load: join(root, 'none') }, `load: ${join(root, 'none')}: no such folder`],
  ['no path', { load: 5 }, 'load: expected the path of a folder'],
  ['nobody to load it', { load: folder, initiate: false }, 'load: it needs a primary; leave out "initiate: false"'],
  ['a scenario', { load: folder, scenario: 'a.yaml' }, 'load: a scenario inserts its own documents'],
])('%s', async ([, options, message]) => {
  const refused = await ReplicaSet.start(options).catch((error) => error);
  expect(refused).toBeInstanceOf(InvalidOptions);
  expect(refused.message).toContain(`ReplicaSet.start: ${message}`);
});

test('what the primary refuses is an error with its file, and the set is gone', async () => {
  const wrong = join(root, 'wrong');
  mkdirSync(wrong);
  writeFileSync(join(wrong, 'app.orders.json'), '{ "_id": 1 }\n{ "_id": 1 }\n');
  await expect(ReplicaSet.start({ load: wrong, members: 1 })).rejects.toThrow(
    /^ReplicaSet\.start: load: .*app\.orders\.json: the primary refuses documents 1 to 2 \(number 2 of them\): E11000/,
  );
});
