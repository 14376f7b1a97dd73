import { OplogEntry, type OplogOperation, type OpType } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyOpsOperation,
  nextBatchLength,
  REPL_BATCH_LIMIT_BYTES,
  REPL_BATCH_LIMIT_OPERATIONS,
} from '../src/index.ts';
import { at, EMPTY, entry, operation } from './entries.ts';

const one = (op: OpType) => entry(at(1, 1), op);
const grouped = (operations: readonly OplogOperation[]) => new OplogEntry(applyOpsOperation(), at(1, 1), 0, operations);
const deletes = (count: number) => grouped(Array.from({ length: count }, () => operation('d')));
const ofBytes = (bytes: number) =>
  OplogEntry.withBytes({ length: bytes } as Uint8Array, operation('i', EMPTY), at(1, 1), 0);

test('the limits are those of mongod', () => {
  expect([REPL_BATCH_LIMIT_OPERATIONS, REPL_BATCH_LIMIT_BYTES]).toEqual([5000, 104_857_600]);
});

test.for<[what: string, waiting: OplogEntry[], length: number]>([
  ['nothing waits', [], 0],
  ['all but commands share a batch', [one('i'), one('u'), one('d'), one('n')], 4],
  ['a command stands alone', [one('c'), one('i')], 1],
  ['and ends the batch before it', [one('i'), one('d'), one('c'), one('i')], 2],
  ['two commands make two batches', [one('c'), one('c')], 1],
  ['a group of deletes is no such command', [one('i'), deletes(2), one('i')], 3],
  ['but a group with a command in it is', [one('i'), grouped([operation('i'), operation('c')])], 1],
  ['such a group comes alone', [grouped([operation('c')]), one('i')], 1],
  ['operations in groups count', [deletes(4998), one('i'), one('i'), one('i')], 3],
  ['a group does not straddle the limit', [one('i'), deletes(5000)], 1],
  ['a group above the limit comes alone', [deletes(5001), one('i')], 1],
  ['bytes up to the limit', [ofBytes(REPL_BATCH_LIMIT_BYTES - 10), ofBytes(10), ofBytes(1)], 2],
  ['bytes above the limit come alone', [ofBytes(REPL_BATCH_LIMIT_BYTES + 1), ofBytes(1)], 1],
])('%s', ([, waiting, length]) => {
  expect(nextBatchLength(waiting)).toBe(length);
});

test('5000 operations, not one more', () => {
  const waiting = Array.from({ length: 5001 }, () => one('i'));
  expect(nextBatchLength(waiting)).toBe(5000);
  expect(nextBatchLength(waiting, 2)).toBe(4999);
  expect(nextBatchLength(waiting, 5001)).toBe(0);
});

test('whatever waits: batches make up the whole, commands are alone, and no batch could have been longer', () => {
  const anyWaiting = fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.constant('i') }, { weight: 1, arbitrary: fc.constant('c') }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(anyWaiting, (ops) => {
      const waiting = ops.map((op) => one(op as OpType));
      const batches: string[] = [];
      for (let start = 0; start < ops.length; ) {
        const length = nextBatchLength(waiting, start);
        expect(length).toBeGreaterThan(0);
        batches.push(ops.slice(start, start + length).join(''));
        start += length;
      }
      expect(batches).toEqual(ops.join('').match(/c|i+/g) ?? []);
    }),
    { seed: 1 },
  );
});
