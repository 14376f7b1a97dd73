import { expect, test } from 'vitest';
import { electionId } from '../../src/replCommands/hello.ts';

test('an election id names its term, whichever was asked for before', () => {
  expect([1, 1, 2, 1, 0x1_0000_0000].map((term) => electionId(term).toHexString())).toEqual([
    '7fffffff0000000000000001',
    '7fffffff0000000000000001',
    '7fffffff0000000000000002',
    '7fffffff0000000000000001',
    '7fffffff0000000100000000',
  ]);
});
