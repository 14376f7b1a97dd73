import { OplogEntry, type OplogOperation, type OpType } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applierLimits, applyOpsOperation, nextBatchLength, nextWriterBatchLength } from '../src/index.ts';
import { at, EMPTY, entry, operation } from './entries.ts';

const one = (op: OpType) => entry(at(1, 1), op);
const grouped = (operations: readonly OplogOperation[]) => new OplogEntry(applyOpsOperation(), at(1, 1), 0, operations);
const deletes = (count: number) => grouped(Array.from({ length: count }, () => operation('d')));
const ofBytes = (bytes: number) =>
  OplogEntry.withBytes({ length: bytes } as Uint8Array, operation('i', EMPTY), at(1, 1), 0);

const LIMITS = { operations: 5000, bytes: 104_857_600 };

test('a batch is never more than a tenth of the oplog', () => {
  expect(applierLimits(LIMITS, 50_000_000_000)).toEqual(LIMITS);
  expect(applierLimits(LIMITS, 1_000_005)).toEqual({ operations: 5000, bytes: 100_000 });
});

const MB = 1024 * 1024;

test.for<[what: string, waiting: OplogEntry[], count: number | undefined, length: number]>([
  ['nothing waits', [], undefined, 0],
  ['commands are written like all else', [one('i'), one('c'), one('i')], undefined, 3],
  ['no more than are old enough', [one('i'), one('i'), one('i')], 2, 2],
  ['up to 16 MB', [ofBytes(16 * MB - 1), ofBytes(1)], undefined, 2],
  ['closed by the entry that goes above', [ofBytes(16 * MB), ofBytes(1), ofBytes(1)], undefined, 2],
  ['one above the limit by itself', [ofBytes(17 * MB), ofBytes(1)], undefined, 1],
  ['5000 entries', Array.from({ length: 5001 }, () => ofBytes(1)), undefined, 5000],
])('a writer batch: %s', ([, waiting, count, length]) => {
  expect(nextWriterBatchLength(waiting, count)).toBe(length);
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
  ['bytes up to the limit', [ofBytes(LIMITS.bytes - 10), ofBytes(10), ofBytes(1)], 2],
  ['bytes above the limit come alone', [ofBytes(LIMITS.bytes + 1), ofBytes(1)], 1],
])('%s', ([, waiting, length]) => {
  expect(nextBatchLength(waiting, LIMITS)).toBe(length);
});

test('5000 operations, not one more', () => {
  const waiting = Array.from({ length: 5001 }, () => one('i'));
  expect(nextBatchLength(waiting, LIMITS)).toBe(5000);
  expect(nextBatchLength(waiting, LIMITS, 2)).toBe(4999);
  expect(nextBatchLength(waiting, LIMITS, 5001)).toBe(0);
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
        const length = nextBatchLength(waiting, LIMITS, start);
        expect(length).toBeGreaterThan(0);
        batches.push(ops.slice(start, start + length).join(''));
        start += length;
      }
      expect(batches).toEqual(ops.join('').match(/c|i+/g) ?? []);
    }),
    { seed: 1 },
  );
});
