import { expect, test } from 'vitest';
import { electionId } from '../../src/replCommands/hello.ts';
import { LoneMember } from '../loneMember.ts';

test('an election id names its term, whichever was asked for before', () => {
  expect([1, 1, 2, 1, 0x1_0000_0000].map((term) => electionId(term).toHexString())).toEqual([
    '7fffffff0000000000000001',
    '7fffffff0000000000000001',
    '7fffffff0000000000000002',
    '7fffffff0000000000000001',
    '7fffffff0000000100000000',
  ]);
});

test('who writes is told of the election and of the entry', () => {
  const member = LoneMember.primary(0);
  const reply = member.run({ insert: 'c', documents: [{ _id: 1 }] }, 'app');
  expect(Object.keys(reply)).toEqual(['n', 'electionId', 'opTime', 'ok', '$clusterTime', 'operationTime']);
  expect(String(reply.electionId)).toBe('7fffffff0000000000000001');
  expect(reply.opTime).toEqual({ ts: reply.operationTime, t: 1 });
});
