import { CommandError, decodePromoted, type OplogEntry, type OpTime } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { operationsOf } from '../src/streamOperation.ts';
import { entryOf, groupOf, operation } from './entries.ts';

// Which operations an entry has for a stream, and by which numbers they are known.

const insert = (_id: number, ns = 'app.c') => operation('i', ns, { _id }, { o2: { _id } });
const inApp = ({ ns }: { ns: string }) => ns === 'app.c';
const nowhere = (): never => {
  throw new CommandError('ChangeStreamHistoryLost', 'gone');
};
const among =
  (...entries: OplogEntry[]) =>
  (opTime: OpTime) =>
    entries.find((entry) => entry.opTime.ts.i === opTime.ts.i) ?? nowhere();

/** What matters of each: its key, its numbers. */
function brief(entry: OplogEntry, entryAt: (opTime: OpTime) => OplogEntry = nowhere) {
  return operationsOf(entry, inApp, entryAt).map(({ operation: { o }, clusterTime, wallMs, txnOpIndex, image }) => ({
    _id: decodePromoted(o)._id,
    at: clusterTime.i,
    wall: wallMs - 1_000_000,
    txnOpIndex,
    image: [image.ts.i, image.applyOpsIndex],
  }));
}

test('one operation, or none that is wanted', () => {
  expect(brief(entryOf(insert(1)))).toEqual([{ _id: 1, at: 1, wall: 0, txnOpIndex: 0, image: [1, 0] }]);
  expect(brief(entryOf(insert(1, 'app.d')))).toEqual([]);
});

test('a group: each is numbered, also those that are not wanted', () => {
  const group = groupOf([insert(1), insert(2, 'app.d'), insert(3)], { i: 5, isTransaction: false });
  expect(brief(group)).toEqual([
    { _id: 1, at: 5, wall: 5, txnOpIndex: 0, image: [5, 0] },
    { _id: 3, at: 5, wall: 5, txnOpIndex: 2, image: [5, 2] },
  ]);
  expect(operationsOf(group, inApp, nowhere)[0]).not.toHaveProperty('transaction');
});

test('a transaction of several entries: all comes with the last, at its time, and nothing before', () => {
  const first = groupOf([insert(1), insert(2)], { i: 1, partial: true });
  const second = groupOf([insert(3, 'app.d')], { i: 4, prev: 1, partial: true });
  const last = groupOf([insert(4)], { i: 9, prev: 4 });
  const all = among(first, second, last);
  expect(brief(first, all)).toEqual([]);
  expect(brief(second, all)).toEqual([]);
  expect(brief(last, all)).toEqual([
    { _id: 1, at: 9, wall: 9, txnOpIndex: 0, image: [1, 0] },
    { _id: 2, at: 9, wall: 9, txnOpIndex: 1, image: [1, 1] },
    { _id: 4, at: 9, wall: 9, txnOpIndex: 3, image: [9, 0] },
  ]);
  for (const { transaction } of operationsOf(last, inApp, all)) {
    expect(transaction?.txnNumber).toBe(7n);
    expect(Object.keys(decodePromoted(transaction!.lsid))).toEqual(['id', 'uid']);
  }
});

test('a transaction whose beginning is gone', () => {
  expect(() => brief(groupOf([insert(4)], { i: 9, prev: 4 }))).toThrow(expect.objectContaining({ code: 286 }));
});

test('a prepared one is no change yet', () => {
  expect(brief(groupOf([insert(1)], { i: 1, prepare: true }))).toEqual([]);
});

test('what was written together by a retryable write is no transaction', () => {
  const group = groupOf([insert(1), insert(2)], { i: 3, prev: 1, multiOpType: 1 });
  const operations = operationsOf(group, inApp, nowhere);
  expect(operations.map(({ txnOpIndex }) => txnOpIndex)).toEqual([0, 1]);
  expect(operations[0]).not.toHaveProperty('transaction');
});
