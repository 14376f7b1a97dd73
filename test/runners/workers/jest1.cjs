const { replicaSet } = require('replsim/jest');

test('a file finds no databases, and the set of its worker', async () => {
  const count = { count: 'items', $db: 'files' };
  expect(await replicaSet.command('n1', count)).toMatchObject({ n: 0 });
  await replicaSet.command('n1', { insert: 'items', documents: [{ _id: 1 }], $db: 'files' });
  expect(await replicaSet.command('n1', count)).toMatchObject({ n: 1 });
  expect(globalThis.__MONGO_URI__).toBe(replicaSet.getUri());
  const { MONGO_URL } = process.env;
  expect(MONGO_URL).toBe(globalThis.__MONGO_URI__);
  expect(globalThis.__MONGO_DB_NAME__).toBe('files');
  expect(replicaSet.speed).toBe(0);
  replicaSet.speed = 7;
  process.stderr.write(`uri ${replicaSet.uri}\n`);
});
