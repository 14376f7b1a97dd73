import { Binary, Long } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';

// Drivers retry a client's bulkWrite by its number, and read its results on without one.

test('the results of a retryable bulkWrite are read on without its number', async () => {
  const asked = await AskedSet.start(1);
  const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) };
  const ops = [1, 2].map((_id) => ({ insert: 0, document: { _id } }));
  const bulk = { bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }], cursor: { batchSize: 1 }, lsid, txnNumber: Long.ONE };
  const { cursor } = await asked.ok('n1', bulk, 'admin');
  const more = { getMore: Long.fromBigInt(BigInt(cursor.id)), collection: '$cmd.bulkWrite', lsid };
  expect((await asked.ok('n1', more, 'admin')).cursor.nextBatch).toMatchObject([{ idx: 1, ok: 1 }]);
  await asked.set.close();
});
