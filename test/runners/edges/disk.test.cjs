const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { ReplicaSet } = require('replsim');

// In CommonJS, and in jest's own world of globals: where modules that are loaded late would fail.
test('data on a disk', async () => {
  const dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
  const first = await ReplicaSet.start({ dbpath, members: 1 });
  await first.command('n1', { create: 'items', $db: 'app' });
  await first.stop();
  const again = await ReplicaSet.start({ dbpath });
  expect(again.uri).toBe(first.uri);
  expect(await again.command('n1', { listCollections: 1, $db: 'app' })).toMatchObject({
    cursor: { firstBatch: [{ name: 'items' }] },
  });
  await again.stop({ force: true });
});

test('errors are those that the package names', async () => {
  const { InvalidOptions, CommandError } = require('replsim');
  await expect(ReplicaSet.start({ memebrs: 3 })).rejects.toThrow(InvalidOptions);
  await expect(ReplicaSet.start({ members: 1, parameters: { nonsense: 1 } })).rejects.toThrow(InvalidOptions);
  const set = await ReplicaSet.start({ members: 1 });
  await expect(set.command('n1', { nonsense: 1 })).rejects.toThrow(CommandError);
  await set.stop();
});
