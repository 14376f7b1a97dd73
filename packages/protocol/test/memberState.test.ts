import { expect, test } from 'vitest';
import { isReadable, type MemberState, MemberStates } from '../src/index.ts';

test('the numbers of mongod; 4 is retired', () => {
  expect(MemberStates).toEqual({
    STARTUP: 0,
    PRIMARY: 1,
    SECONDARY: 2,
    RECOVERING: 3,
    STARTUP2: 5,
    UNKNOWN: 6,
    ARBITER: 7,
    DOWN: 8,
    ROLLBACK: 9,
    REMOVED: 10,
  });
});

test('only a primary and secondaries are read', () => {
  const readable = (Object.keys(MemberStates) as MemberState[]).filter(isReadable);
  expect(readable).toEqual(['PRIMARY', 'SECONDARY']);
});
