import { MongoClient } from 'mongodb';
import { replicaSetPerFile } from 'replsim/vitest';
import { expect, test, vi } from 'vitest';

const set = replicaSetPerFile({ members: 3 });

test('a session that is renewed outlives a failover, and the other expires', async () => {
  const client = new MongoClient(set.uri);
  const sessions = client.db('app').collection<{ _id: string; lastSeen: Date }>('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  set.useFakeTimers(vi); // one clock from here on
  await sessions.insertMany(['idle', 'busy'].map((_id) => ({ _id, lastSeen: new Date() })));
  const renew = () => sessions.updateOne({ _id: 'busy' }, { $set: { lastSeen: new Date() } });
  const timer = setInterval(() => void renew().catch(() => {}), 10_000);
  await set.kill('primary');
  await set.advance('3m');
  expect(await sessions.distinct('_id')).toEqual(['busy']);
  clearInterval(timer);
  await client.close();
});
