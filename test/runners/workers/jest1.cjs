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
  await oneClock();
  process.stderr.write(`uri ${replicaSet.uri}\n`);
});

// Left as it is: the next file finds real timers.
async function oneClock() {
  replicaSet.speed = 1;
  replicaSet.useFakeTimers(jest);
  const before = Date.now();
  let fired = 0;
  setTimeout(() => fired++, 1000);
  await replicaSet.advance('1h');
  expect([Date.now(), replicaSet.now().getTime(), fired]).toEqual([before + 3_600_000, before + 3_600_000, 1]);
}
