import { connect } from 'node:net';
import { MongoClient } from 'mongodb';
import { replicaSetPerFile, replicaSetPerTest, test } from 'replsim/vitest';
import { afterAll, describe, expect } from 'vitest';

// Every test here fails, or is skipped because a hook has: what counts is that nothing is left of the sets.

const ports: number[] = [];
const portOf = (uri: string) => Number(/:(\d+)/.exec(uri.slice('mongodb://'.length))![1]);

afterAll(async () => {
  // The hooks of the blocks below have run by now.
  for (const port of ports) {
    const refused = await new Promise((resolve) => {
      connect(port, '127.0.0.1')
        .on('connect', () => resolve(false))
        .on('error', () => resolve(true));
    });
    console.log(`port ${refused ? 'closed' : 'OPEN'}`);
  }
});

describe('a set for each', () => {
  const set = replicaSetPerTest({ members: 3 });

  test('that the test leaves in the middle of a jump', async () => {
    ports.push(portOf(set.uri));
    void set.advance('365d');
    void set.untilTtlPass();
    void set.command('n1', { ping: 1 });
    throw new Error('as expected 1');
  });

  test('with clients that nobody closes, in the middle of a command', async () => {
    ports.push(portOf(set.uri));
    const client = await new MongoClient(set.uri).connect();
    await set.pause('all');
    client
      .db('app')
      .collection('items')
      .insertOne({})
      .catch(() => {});
    throw new Error('as expected 2');
  });
});

describe.concurrent('a set for each of concurrent tests', () => {
  const set = replicaSetPerTest({ members: 1 });

  for (const i of [1, 2])
    test(`test ${i}`, async ({ expect }) => {
      ports.push(portOf(set.uri));
      await set.advance('1h');
      expect(set.primary).toBe('n1');
      throw new Error('as expected, alone');
    });
});

describe('options that make no sense', () => {
  const set = replicaSetPerFile({ parameters: { nonsense: 1 } });
  test('never runs', () => expect(set.uri).toBe(''));
});

const broken = test.extend({ replicaSetOptions: { parameters: { nonsense: 2 } } });
broken('does not come to it', ({ client }) => {
  expect(client).toBeUndefined();
});

test('a fixture whose test fails', async ({ replicaSet, client }) => {
  ports.push(portOf(replicaSet.uri));
  await client.db('app').command({ ping: 1 });
  throw new Error('as expected 3');
});
