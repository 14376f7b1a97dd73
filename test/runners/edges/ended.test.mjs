import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { MongoMemoryReplSet, MongoMemoryServer } from 'replsim/mongodb-memory-server';

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

test('a set that nobody stops, and that is told not to wait for that', async () => {
  const set = await ReplicaSet.start({ members: 3 });
  set.unref();
  await set.kill('n1');
  await set.start('n1');
});

test('members that are stopped without a cleanup', async () => {
  const replSet = await MongoMemoryReplSet.create({ replSet: { count: 3 } });
  await replSet.stop({ doCleanup: false });
  const server = await MongoMemoryServer.create();
  await server.stop({ doCleanup: false });
});

test('a server that cannot start', async () => {
  await assert.rejects(MongoMemoryServer.create({ instance: { args: ['--setParameter', 'nonsense=1'] } }), /nonsense/);
});
