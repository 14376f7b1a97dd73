import { Long } from 'bson';
import { expect, test } from 'vitest';
import type { Doc } from '../../../database/test/fakeMember.ts';
import { LoneMember } from '../loneMember.ts';

test.for<[name: string, command: (id: Long) => Doc, code: number]>([
  ['by killCursors', (id) => ({ killCursors: 'log', cursors: [id] }), 237],
  ['by a drop', () => ({ drop: 'log' }), 175],
  ['by killAllSessions', () => ({ killAllSessions: [] }), 11601],
])('a getMore that is parked ends at once %s', ([, command, code]) => {
  const lone = LoneMember.primary(0);
  lone.run({ create: 'log', capped: true, size: 4096 }, 'app');
  lone.run({ insert: 'log', documents: [{ _id: 1 }] }, 'app');
  const lsid = { id: (lone.run({ startSession: 1 }).id as Doc).id };
  const cursor = lone.run({ find: 'log', tailable: true, awaitData: true, lsid }, 'app').cursor as Doc;
  const id = Long.fromBigInt(BigInt(cursor.id));
  const parked = lone.send({ getMore: id, collection: 'log', maxTimeMS: 60_000, lsid }, 'app');
  expect(lone.replies.has(parked)).toBe(false);
  const before = lone.nowMs;
  expect(lone.run(command(id), 'admin' in command(id) ? 'admin' : 'app').ok).toBe(1);
  expect(lone.replies.get(parked)).toMatchObject({ ok: 0, code });
  expect(lone.nowMs - before).toBeLessThan(1000);
});
