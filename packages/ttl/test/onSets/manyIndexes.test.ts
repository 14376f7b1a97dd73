import { expect, test } from 'vitest';
import { AskedSet } from '../../../replset/test/askedSet.ts';

const COLLECTIONS = 1500;

test('a pass over very many indexes that have nothing to delete visits them all, and does not fill the stack', async () => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }] });
  await set.untilPrimary('n1');
  const indexes = [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 0 }];
  for (let i = 0; i < COLLECTIONS; i++) await set.run('n1', { createIndexes: `c${i}`, indexes }, 'app');
  const last = `c${COLLECTIONS - 1}`;
  await set.run('n1', { insert: last, documents: [{ _id: 1, at: new Date(0) }] }, 'app');
  await set.pass(61_000);
  expect(set.now('n1', { serverStatus: 1 })).toMatchObject({
    metrics: { ttl: { passes: 1, subPasses: 1, deletedDocuments: 1 } },
  });
  await set.set.close();
});
