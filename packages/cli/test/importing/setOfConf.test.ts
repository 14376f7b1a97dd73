import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { testIo } from '../io.ts';
import { serve } from '../serving.ts';

// Configs as people post them, each served: `packages/incident/test/pasted.test.ts` says whence they are, and how they are read.

const folder = new URL('../../../incident/test/pasted/', import.meta.url);
const files = readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
/** Parts of a config, from which nobody could begin a set. */
const PARTS = ['dots.txt', 'fragment.txt'];
const isPart = (file: string) => PARTS.includes(basename(file));

interface Config {
  readonly _id: string;
  readonly members: readonly { readonly priority: number; readonly arbiterOnly: boolean }[];
}

test.for(files.filter((file) => !isPart(file)).map((file) => [basename(file), file] as const))(
  '%s is served',
  async ([, file]) => {
    const serving = await serve('--port', '0', '--speed', '0', '--quiet', '--replset-config', file);
    const client = new MongoClient(serving.uri);
    try {
      const { config } = (await client.db('admin').command({ replSetGetConfig: 1 })) as unknown as { config: Config };
      expect(serving.uri).toContain(`replicaSet=${config._id}`);
      const stands = serving.err().split('\n').at(-2)!.split(', ');
      expect(stands).toEqual(config.members.map(() => expect.stringMatching(/^\S+ stands for \S+:\d+$/)));
      const majority = config.members.filter(({ arbiterOnly }) => !arbiterOnly).length;
      const { insertedId } = await client
        .db('app')
        .collection<{ _id: number }>('orders')
        .insertOne({ _id: 1 }, { writeConcern: { w: majority } });
      expect(insertedId).toBe(1);
    } finally {
      await client.close();
      await serving.interrupt();
    }
  },
);

test.for(files.filter(isPart).map((file) => [basename(file), file] as const))(
  '%s is refused, with its line',
  async ([name, file]) => {
    const io = testIo();
    expect(await main(['serve', '--port', '0', '--replset-config', file], io)).toBe(2);
    expect(io.stderr).toMatch(new RegExp(`${name}:\\d+: `));
  },
);

test('there are nine of them', () => {
  expect(files).toHaveLength(9);
});
