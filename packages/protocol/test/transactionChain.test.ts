import { expect, test } from 'vitest';
import { encodeDocument, NULL_OP_TIME, OplogEntry, type OpTime, TransactionChain } from '../src/index.ts';

const at = (i: number): OpTime => ({ ts: { t: 5, i }, t: 1 });
const insert = (_id: number) => ({ op: 'i', ns: 'app.c', o: encodeDocument({ _id }) }) as const;
const command = { op: 'c', ns: 'admin.$cmd', o: encodeDocument({}) } as const;
const lsid = encodeDocument({ id: 1 });

/** An entry of a transaction, the i-th in the oplog. */
function link(i: number, prevOpTime: OpTime, ids: readonly number[] | undefined, partialTxn = false): OplogEntry {
  const transaction = { lsid, txnNumber: 1n, ...(partialTxn && { partialTxn }) };
  return new OplogEntry({ ...command, transaction }, at(i), 0, ids?.map(insert), prevOpTime);
}

/** What each entry brings, by `_id`. */
function brought(entries: readonly OplogEntry[]): (readonly Uint8Array[])[] {
  const chain = new TransactionChain();
  return entries.map((entry) => chain.operationsOf(entry).map(({ o }) => o));
}
const documents = (...ids: number[]) => ids.map((_id) => encodeDocument({ _id }));

test('a transaction of several entries comes with the last', () => {
  const entries = [link(1, NULL_OP_TIME, [1, 2], true), link(2, at(1), [3], true), link(3, at(2), [4])];
  expect(brought(entries)).toEqual([[], [], documents(1, 2, 3, 4)]);
});

test('one that is given up brings nothing, nor does one whose end is missing', () => {
  const entries = [link(1, NULL_OP_TIME, [1], true), link(2, at(1), undefined), link(3, NULL_OP_TIME, [2])];
  expect(brought(entries)).toEqual([[], [], documents(2)]);
  expect(brought([link(1, NULL_OP_TIME, [1], true), link(3, NULL_OP_TIME, [2])])).toEqual([[], documents(2)]);
});

test('all other entries bring what they say', () => {
  const group = new OplogEntry(command, at(2), 0, [insert(2), insert(3)]);
  expect(brought([new OplogEntry(insert(1), at(1), 0), group])).toEqual([documents(1), documents(2, 3)]);
});

test('an entry may hold as many operations as it has room for', () => {
  const ids = Array.from({ length: 200_000 }, (_, i) => i);
  const [, all] = brought([link(1, NULL_OP_TIME, ids, true), link(2, at(1), [1])]);
  expect(all).toHaveLength(200_001);
});
