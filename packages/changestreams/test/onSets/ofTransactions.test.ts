import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from '../../../transactions/test/onSets/transactionClient.ts';
import { Watch } from './watchedSet.ts';

// What streams show of transactions: all of one, in its order, once it is committed, and where it takes several entries too.

const KEEPS_IMAGES = { changeStreamPreAndPostImages: { enabled: true } };
const W3 = { writeConcern: { w: 3 } };

/** A set of three with two documents, each in a collection of its own, of which one keeps images. */
async function started(operationsInEntry: number): Promise<AskedSet> {
  const parameters = { maxNumberOfTransactionOperationsInSingleOplogEntry: operationsInEntry };
  const asked = await AskedSet.start(3, { parameters });
  const { primary } = asked;
  await asked.ok(primary, { create: 'c', ...KEEPS_IMAGES });
  await asked.ok(primary, { insert: 'c', documents: [{ _id: 1, a: 1 }] });
  await asked.ok(primary, { insert: 'd', documents: [{ _id: 1 }], ...W3 });
  return asked;
}

/** Inserts, updates, deletes, in two collections. */
async function changes(client: TransactionClient): Promise<void> {
  await client.insert('c', { _id: 2 });
  await client.insert('d', { _id: 3 });
  await client.ok({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 2 } } }] });
  await client.ok({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] });
}

const shown = ({ operationType, ns, documentKey, fullDocumentBeforeChange }: Doc) => [
  operationType,
  ns.coll,
  documentKey._id,
  ...(fullDocumentBeforeChange ? [fullDocumentBeforeChange.a] : []),
];

describe.for([
  ['one entry', 100],
  ['several entries', 1],
] as const)('a transaction of %s', ([, operationsInEntry]) => {
  test.for(['n1', 'n2'])('is shown whole and in its order, with images, by %s', async (member) => {
    const asked = await started(operationsInEntry);
    const spec = { fullDocumentBeforeChange: 'whenAvailable' };
    const stream = await Watch.open(asked, { of: 1, spec, member });
    const client = new TransactionClient(asked).begin();
    await changes(client);
    expect(await stream.more()).toEqual([]);
    await client.commit(W3);
    const events = await stream.next(4);
    expect(events.map(shown)).toEqual([
      ['insert', 'c', 2],
      ['insert', 'd', 3],
      ['update', 'c', 1, 1],
      ['delete', 'c', 1, 2],
    ]);
    expect(new Set(events.map(({ clusterTime }) => String(clusterTime))).size).toBe(1);
    for (const { lsid, txnNumber } of events) {
      expect(lsid.id).toEqual(client.lsid.id);
      expect(Number(txnNumber)).toBe(client.txnNumber);
    }
    // From each event on come those behind it, on any member.
    for (const [i, { _id }] of events.entries()) {
      const again = await Watch.open(asked, { of: 1, spec: { ...spec, resumeAfter: _id }, member: 'n3' });
      const rest = i === 3 ? [] : [...again.events, ...(await again.next(3 - i - again.events.length))];
      expect(rest.map(shown)).toEqual(events.slice(i + 1).map(shown));
    }
  });

  test('is not shown if it is given up', async () => {
    const asked = await started(operationsInEntry);
    const stream = await Watch.open(asked, { of: 1 });
    const client = new TransactionClient(asked).begin();
    await changes(client);
    await client.abort();
    await asked.ok(asked.primary, { insert: 'd', documents: [{ _id: 9 }], ...W3 });
    expect((await stream.next(1)).map(shown)).toEqual([['insert', 'd', 9]]);
  });
});
