import { expect, test } from 'vitest';
import type { Doc } from '../../../database/test/fakeMember.ts';
import { LoneMember } from '../loneMember.ts';

test('$listLocalSessions and $listSessions', () => {
  const lone = LoneMember.primary(0);
  const { id } = lone.run({ startSession: 1 }).id as Doc;
  lone.run({ ping: 1, lsid: { id } });
  const listed = (target: unknown, stage: string, db: string) =>
    (lone.run({ aggregate: target, pipeline: [{ [stage]: {} }], cursor: {} }, db).cursor as Doc).firstBatch;
  expect(listed(1, '$listLocalSessions', 'app')).toMatchObject([{ _id: { id }, lastUse: expect.any(Date) }]);
  const written = () => listed('system.sessions', '$listSessions', 'config');
  expect(written()).toEqual([]);
  lone.run({ refreshLogicalSessionCacheNow: 1 });
  expect(written()).toMatchObject([{ _id: { id }, lastUse: expect.any(Date) }]);
});

test('$$NOW and $$CLUSTER_TIME are the member’s', () => {
  const lone = LoneMember.primary(0);
  lone.run({ insert: 'c', documents: [{ _id: 1 }] }, 'app');
  const project = { now: '$$NOW', time: '$$CLUSTER_TIME', early: { $dateSubtract: { startDate: '$$NOW', unit: 'day', amount: 1 } } }; // biome-ignore format: one line
  const reply = lone.run({ aggregate: 'c', pipeline: [{ $project: project }], cursor: {} }, 'app') as Doc;
  const [shown] = reply.cursor.firstBatch;
  expect(shown.time).toEqual(reply.operationTime);
  expect(shown.now.getTime() - shown.early.getTime()).toBe(86_400_000);
});
