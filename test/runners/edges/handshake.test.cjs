const { MongoClient } = require('mongodb');
const { ReplicaSet } = require('replsim');

// Without the flag the driver cannot import what it wants, and is refused.
test('a client as applications make it', async () => {
  const set = await ReplicaSet.start({ members: 3 });
  const client = new MongoClient(set.uri);
  const refused = new Promise((resolve) => client.on('serverHeartbeatFailed', resolve));
  client.connect().catch(() => {});
  await refused;
  await client.close();
  await set.stop();
});
