import { expect, test } from 'vitest';
import { batchLimits } from '../../src/replication/oplogApplier.ts';
import { LoneMember } from '../loneMember.ts';

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
