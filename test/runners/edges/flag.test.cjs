const { MongoClient } = require('mongodb');
const { ReplicaSet } = require('replsim');

// With `--experimental-vm-modules` jest lets the driver import what it wants.
test('a client as applications make it', async () => {
  const set = await ReplicaSet.start({ members: 1 });
  const client = new MongoClient(set.uri);
  expect(await client.db('app').command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  await set.stop();
});
