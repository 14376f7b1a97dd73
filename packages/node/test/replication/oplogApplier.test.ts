import { expect, test } from 'vitest';
import { batchLimits } from '../../src/replication/oplogApplier.ts';
import { LoneMember } from '../loneMember.ts';
import { FakeSource } from './fakeSource.ts';

const MB = 1024 * 1024;

test('a batch holds no more than a tenth of the oplog, whose size is asked each time', () => {
  const member = LoneMember.initiated(2);
  expect(batchLimits(member.repl)).toEqual({ operations: 5000, bytes: 100_000 });
  expect(member.run({ replSetResizeOplog: 1, size: 990 })).toMatchObject({ ok: 1 });
  expect(batchLimits(member.repl).bytes).toBe(99 * MB);
  member.run({ replSetResizeOplog: 1, size: 2000 });
  expect(batchLimits(member.repl).bytes).toBe(100 * MB);
  member.run({ setParameter: 1, replBatchLimitOperations: 7 });
  expect(batchLimits(member.repl).operations).toBe(7);
});

test('what is written waits once ten thousand entries are not applied yet', () => {
  const source = new FakeSource();
  const { member } = source;
  const { apply, write } = member.repl.metrics.buffer;
  source.write(30_000);
  let most = 0;
  member.watch = () => {
    most = Math.max(most, apply.count);
  };
  source.fetch();
  member.advance(60_000);
  // The writer's batches are of five thousand, the applier's of a tenth of the oplog.
  expect(most).toBeGreaterThan(5000);
  expect(most).toBeLessThanOrEqual(10_000);
  expect(member.repl.positions.applied.opTime).toEqual(source.last);
  expect([apply.count, write.count]).toEqual([0, 0]);
});
