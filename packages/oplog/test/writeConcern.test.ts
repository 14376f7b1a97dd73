import { NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type KnownPosition, numNodesReached } from '../src/index.ts';
import { at } from './entries.ts';

const position = (written: OpTime, changes: Partial<KnownPosition> = {}): KnownPosition => ({
  written,
  applied: written,
  durable: written,
  isArbiter: false,
  isVoter: true,
  tags: {},
  ...changes,
});
const WRITE = at(20, 2);

test.for<[what: string, other: KnownPosition, journalled: boolean, written: boolean]>([
  ['at the write', position(at(20, 2)), true, true],
  ['after it', position(at(30, 2)), true, true],
  ['before it', position(at(19, 2)), false, false],
  ['an increment before it', position({ ts: { t: 20, i: 0 }, t: 2 }), false, false],
  ['later, but in a newer term: maybe on another branch', position(at(30, 3)), false, false],
  ['later, but in an older term', position(at(30, 1)), false, false],
  ['the same timestamp in another term', position(at(20, 1)), false, false],
  ['not heard of', position(NULL_OP_TIME), false, false],
  ['not journalled', position(at(20, 2), { durable: at(19, 2) }), false, true],
  ['journalled, not applied', position(at(20, 2), { applied: at(19, 2) }), false, true],
  ['an arbiter', position(at(20, 2), { isArbiter: true }), false, false],
])('%s: with j %s, without %s', ([, other, journalled, written]) => {
  const positions = [position(WRITE), other];
  expect(numNodesReached(positions, WRITE, 2, true)).toBe(journalled);
  expect(numNodesReached(positions, WRITE, 2, false)).toBe(written);
});

test('counts to N, wherever the members stand', () => {
  const positions = [position(at(10, 2)), position(at(20, 2)), position(at(21, 2))];
  expect([1, 2, 3].map((n) => numNodesReached(positions, WRITE, n, false))).toEqual([true, true, false]);
});
