import { expect, test } from 'vitest';
import { AskedSet } from '../askedSet.ts';

// The fault truncateOplog, where a scenario does not show it.

const SECOND = 1_000_000;

/** One write a second for twenty seconds, on a set of one. */
async function withHistory(): Promise<AskedSet> {
  const asked = await AskedSet.start(1, {});
  for (let i = 0; i < 20; i++) {
    await asked.ok('n1', { insert: 'c', documents: [{ _id: i }], writeConcern: { j: true } });
    await asked.set.advanceTo(asked.set.nowMicros + SECOND);
  }
  return asked;
}

const held = (asked: AskedSet): number =>
  asked.now('n1', { find: 'oplog.rs', filter: { op: 'i', ns: 'app.c' }, batchSize: 1000 }, 'local').cursor.firstBatch
    .length;

function truncate(asked: AskedSet, olderThanMs: number): void {
  asked.set.fault({ type: 'truncateOplog', member: 'n1', olderThanMs });
}
const isOver = (asked: AskedSet) => () => !asked.set.status('n1').truncatesOplog;

test.for([
  ['all that is older goes', 5500, 5],
  ['nothing that is younger', 3_600_000, 20],
] as const)('%s: %d ms leave %d inserts', async ([, olderThanMs, left]) => {
  const asked = await withHistory();
  truncate(asked, olderThanMs);
  await asked.until(isOver(asked));
  expect(held(asked)).toBe(left);
});

test('what recovery needs stays, however old it is asked for', async () => {
  const asked = await withHistory();
  truncate(asked, 0);
  await asked.until(isOver(asked));
  asked.set.kill('n1');
  await asked.set.start('n1');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect((await asked.documents('n1', 'c')).length).toBe(20);
});

test.for(['kill', 'shutdown'] as const)('a %s does not bring the entries back', async (how) => {
  const asked = await withHistory();
  truncate(asked, 5500);
  await asked.until(isOver(asked));
  asked.set.fault({ type: how, member: 'n1' });
  await asked.until(() => !asked.set.status('n1').running);
  await asked.set.start('n1');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect(held(asked)).toBeLessThanOrEqual(5);
  expect((await asked.documents('n1', 'c')).length).toBe(20);
});

test('while the journal is held it waits, and a crash then leaves the oplog as it was', async () => {
  const asked = await withHistory();
  asked.set.hold('n1', 'journal');
  await asked.run('n1', { insert: 'c', documents: [{ _id: 'unflushed' }], writeConcern: { w: 0 } });
  truncate(asked, 5500);
  await asked.set.advanceTo(asked.set.nowMicros + 30 * SECOND);
  expect(isOver(asked)()).toBe(false);
  asked.set.kill('n1');
  await asked.set.start('n1');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect(held(asked)).toBe(20);
});

test('minimum retention does not keep what the fault takes', async () => {
  const asked = await withHistory();
  await asked.ok('n1', { replSetResizeOplog: 1, minRetentionHours: 1 }, 'admin');
  truncate(asked, 5500);
  await asked.until(isOver(asked));
  expect(held(asked)).toBe(5);
});
