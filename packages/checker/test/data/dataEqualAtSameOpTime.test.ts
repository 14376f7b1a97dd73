import { expect, test } from 'vitest';
import { Checkers, dataEqualAtSameOpTime } from '../../src/index.ts';
import { applied, at, checkerTest, initialSync, rolledBack, started, wrote } from '../support.ts';

const primary = [applied('n1', at(1, 1), 10), applied('n1', at(3, 1), 30), applied('n1', at(5, 1), 50)];

checkerTest(dataEqualAtSameOpTime, {
  holds: {
    'equal data': [...primary, applied('n2', at(3, 1), 30), applied('n3', at(1, 1), 10), applied('n2', at(5, 1), 50)],
    'a batch ends where the primary did not report': [
      ...primary,
      applied('n2', at(2, 1), 20),
      applied('n3', at(2, 1), 20),
    ],
    'the same timestamp in another term': [...primary, applied('n2', at(5, 2), 52)],
    'recovered and rolled back': [
      ...primary,
      started('n2', { lastApplied: at(3, 1), dataHash: [30, 0] }),
      rolledBack('n1', at(3, 1), [at(5, 1)], { dataHash: [30, 0] }),
    ],
    'data in initial sync are of no moment': [
      ...primary,
      initialSync('n3', 'started'),
      applied('n3', at(3, 1), 99),
      initialSync('n3', 'done'),
      applied('n3', at(5, 1), 50),
    ],
    'a member that was changed as a standalone, until it is synced anew': [
      ...primary,
      started('n3', { mode: 'standalone', lastApplied: at(3, 1), dataHash: [77, 0] }),
      applied('n3', at(3, 1), 78),
      started('n3', { lastApplied: at(3, 1), dataHash: [78, 0] }),
      applied('n3', at(5, 1), 98),
      initialSync('n3', 'started'),
      initialSync('n3', 'done'),
      applied('n3', at(5, 1), 50),
    ],
  },
  fires: {
    'a secondary differs': {
      events: [...primary, applied('n2', at(3, 1), 31)],
      detail: 'data differ at (3,1 t1): n1 0000001e00000000, n2 0000001f00000000',
    },
    'two secondaries differ': {
      events: [...primary, applied('n2', at(2, 1), 20), applied('n3', at(2, 1), 21)],
      detail: 'data differ at (2,1 t1): n2 0000001400000000, n3 0000001500000000',
    },
    "a member's data change by themselves": {
      events: [applied('n1', at(1, 1), 10), applied('n1', at(1, 1), 9)],
      detail: "n1's data at (1,1 t1) changed from 0000000a00000000 to 0000000900000000 without an entry",
    },
    'crash recovery': {
      events: [...primary, started('n2', { lastApplied: at(3, 1), dataHash: [30, 1] })],
      detail: 'data differ at (3,1 t1): n1 0000001e00000000, n2 0000001e00000001',
    },
    rollback: {
      events: [...primary, rolledBack('n2', at(1, 1), [at(3, 1)], { dataHash: [11, 0] })],
      detail: 'data differ at (1,1 t1): n1 0000000a00000000, n2 0000000b00000000',
    },
    'initial sync': {
      events: [...primary, initialSync('n3', 'started'), initialSync('n3', 'done'), applied('n3', at(5, 1), 49)],
      detail: 'data differ at (5,1 t1): n1 0000003200000000, n3 0000003100000000',
    },
  },
});

test('it forgets what is long past, and still compares what is near', () => {
  const checkers = new Checkers([dataEqualAtSameOpTime()]);
  for (let i = 1; i <= 100_000; i++) checkers.observe(applied('n1', at(1, 1, i), i));
  checkers.observe(wrote('n1', at(2, 1)));
  checkers.observe(applied('n2', at(1, 1, 5), 6));
  expect(checkers.violations).toEqual([]);
  checkers.observe(applied('n2', at(1, 1, 99_000), 6));
  expect(checkers.violations).toHaveLength(1);
});
