import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';

// That the process ends at all is what these are about.

test('a start that fails', async () => {
  await assert.rejects(ReplicaSet.start({ members: 3, parameters: { nonsense: 1 } }), /nonsense/);
});

test('a set that is stopped in the middle of a jump', async () => {
  const set = await ReplicaSet.start({ members: 3 });
  const jump = assert.rejects(set.advance('365d'), /stopped/);
  await set.stop();
  await jump;
});

test('a set that is stopped under a client', async () => {
  const set = await ReplicaSet.start({ members: 3 });
  const client = await new MongoClient(set.uri).connect();
  await set.stop();
  await client.close();
});
