import { CommandError, encodeDocument, type OplogOperation } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  backoffMicros,
  checkAllowed,
  checkReadConcern,
  checkSessionFields,
  expiryPeriodMicros,
  nextExpiryRun,
  packOperations,
} from '../src/index.ts';

function codeOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

const INSERT = { name: 'insert', needsNobody: false, retryable: true };
const FIND = { name: 'find', needsNobody: false, retryable: false };
const PING = { name: 'ping', needsNobody: true, retryable: false };
const whole = { hasSession: true, txnNumber: 1n, autocommit: false, startTransaction: true };

test.for([
  { fields: whole, command: FIND, code: 0 },
  { fields: { ...whole, startTransaction: undefined }, command: FIND, code: 0 },
  { fields: { ...whole, hasSession: false }, command: FIND, code: 72 },
  { fields: { ...whole, txnNumber: -1n }, command: FIND, code: 72 },
  { fields: { ...whole, txnNumber: undefined }, command: FIND, code: 72 },
  { fields: { ...whole, autocommit: true }, command: FIND, code: 72 },
  { fields: { ...whole, autocommit: undefined }, command: FIND, code: 72 },
  { fields: { ...whole, startTransaction: false }, command: FIND, code: 72 },
  { fields: whole, command: PING, code: 263 },
  { fields: { ...whole, autocommit: undefined, startTransaction: undefined }, command: PING, code: 50889 },
  { fields: { ...whole, autocommit: undefined, startTransaction: undefined }, command: FIND, code: 50768 },
  { fields: { ...whole, autocommit: undefined, startTransaction: undefined }, command: INSERT, code: 0 },
  { fields: whole, command: FIND, inSet: false, code: 20 },
])('$command.name with $fields: $code', ({ fields, command, inSet = true, code }) => {
  expect(codeOf(() => checkSessionFields(fields, command, inSet))).toBe(code);
});

test.for([
  ['find', false, 'app.c', 0],
  ['find', true, 'app.c', 0],
  ['bulkWrite', true, 'app.c', 0],
  ['commitTransaction', false, 'admin', 0],
  ['commitTransaction', true, 'admin', 263],
  ['abortTransaction', true, 'admin', 263],
  ['prepareTransaction', true, 'admin', 263],
  ['prepareTransaction', false, 'admin', 0],
  ['coordinateCommitTransaction', true, 'admin', 0],
  ['killCursors', true, 'app.c', 263],
  ['killCursors', false, 'app.c', 0],
  ['count', false, 'app.c', 263],
  ['drop', false, 'app.c', 263],
  ['explain', true, 'app', 263],
  ['find', false, 'local.oplog.rs', 263],
  ['insert', false, 'config.transactions', 263],
  ['find', false, 'app.system.profile', 263],
  ['find', false, 'app.system.views', 263],
  ['find', false, 'app.system.js', 0],
  ['insert', false, 'admin.c', 0],
] as const)('%s, first: %s, on %s: %i', ([command, isFirst, ns, code]) => {
  expect(codeOf(() => checkAllowed({ command, isFirst, namespaces: ['app.ok', ns] }))).toBe(code);
});

test.for([
  [{ isFirst: true, level: 'snapshot', isNonEmpty: true }, 0],
  [{ isFirst: true, level: 'local', isNonEmpty: false }, 0],
  [{ isFirst: true, level: 'linearizable', isNonEmpty: true }, 72],
  [{ isFirst: true, level: 'available', isNonEmpty: true }, 72],
  [{ isFirst: true, level: 'local', isNonEmpty: true, hasAfterOpTime: true }, 72],
  [{ isFirst: false, level: 'local', isNonEmpty: true }, 72],
  [{ isFirst: false, level: 'local', isNonEmpty: false }, 0],
] as const)('a read concern %j: %i', ([sent, code]) => {
  expect(codeOf(() => checkReadConcern({ hasAfterOpTime: false, ...sent }))).toBe(code);
});

/** An operation that says its size. */
const sized = (size: number): OplogOperation => ({ op: 'i', ns: String(size), o: encodeDocument({}) });
const sizeOf = ({ ns }: OplogOperation) => Number(ns);

test('operations fill entries in order, each as full as may be', () => {
  const groups = (sizes: number[], operations = Infinity) =>
    packOperations(sizes.map(sized), sizeOf, { operations, bytes: 10 }).map((group) => group.map(sizeOf));
  expect(groups([4, 4, 4])).toEqual([[4, 4], [4]]);
  expect(groups([4, 6])).toEqual([[4, 6]]);
  expect(groups([10, 10])).toEqual([[10], [10]]);
  expect(groups([12, 1])).toEqual([[12], [1]]);
  expect(groups([1, 1, 1], 1)).toEqual([[1], [1], [1]]);
  expect(groups([])).toEqual([]);
  expect(codeOf(() => groups([20_000]))).toBe(257);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), fc.integer({ min: 1, max: 4 }), (sizes, most) => {
      const packed = groups(sizes, most);
      expect(packed.flat()).toEqual(sizes);
      for (const group of packed) {
        expect(group.length).toBeLessThanOrEqual(most);
        if (group.length > 1) expect(group.reduce((a, b) => a + b)).toBeLessThanOrEqual(10);
      }
    }),
  );
});

test('the job that looks for old transactions runs at half their lifetime, between a second and a minute', () => {
  expect([1, 2, 60, 600].map(expiryPeriodMicros)).toEqual([1e6, 1e6, 30e6, 60e6]);
  expect(nextExpiryRun(5, 5, 30)).toBe(35);
  expect(nextExpiryRun(5, 34, 30)).toBe(35);
  expect(nextExpiryRun(5, 35, 30)).toBe(65);
});

test('a single write waits longer the more often it has met others', () => {
  expect([1, 3, 4, 9, 10, 99, 100, 199, 200].map(backoffMicros)).toEqual(
    [0, 0, 1e3, 1e3, 5e3, 5e3, 10e3, 10e3, 100e3], // biome-ignore format: one line
  );
});
