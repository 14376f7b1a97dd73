import { Timestamp as BsonTimestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareOpTimes,
  compareTimestamps,
  formatOpTime,
  isNullOpTime,
  maxOpTime,
  minOpTime,
  NULL_OP_TIME,
  type OpTime,
  sameOpTime,
  toBsonTimestamp,
} from '../src/index.ts';

const op = (t: number, i: number, term: number): OpTime => ({ ts: { t, i }, t: term });

test.for<[what: string, a: OpTime, b: OpTime, order: -1 | 0 | 1]>([
  ['by seconds', op(1, 9, 1), op(2, 1, 1), -1],
  ['by increment', op(1, 1, 1), op(1, 2, 1), -1],
  ['term before timestamp', op(9, 9, 1), op(1, 1, 2), -1],
  ['equal', op(1, 2, 3), op(1, 2, 3), 0],
  ['the same timestamp in another term', op(1, 1, 1), op(1, 1, 2), -1],
  ['no term on one side: by timestamp alone', op(9, 1, -1), op(1, 1, 5), 1],
  ['no term on the other side', op(1, 1, 5), op(9, 1, -1), -1],
  ['no term on either side', op(1, 1, -1), op(1, 2, -1), -1],
  ['equal where a term is missing', op(1, 1, -1), op(1, 1, 4), 0],
  ['null is below every real one', NULL_OP_TIME, op(0, 1, 0), -1],
  ['unsigned 32-bit parts do not wrap', op(0xffffffff, 0xffffffff, 1), op(1, 1, 1), 1],
])('order %s', ([, a, b, order]) => {
  expect(Math.sign(compareOpTimes(a, b))).toBe(order);
  expect(Math.sign(compareOpTimes(b, a)) + order).toBe(0);
  expect(maxOpTime(a, b)).toEqual(order < 0 ? b : a);
  expect(minOpTime(a, b)).toEqual(order > 0 ? b : a);
});

test('the same entry is the same pair, though order cannot tell where a term is missing', () => {
  expect(sameOpTime(op(1, 2, 3), op(1, 2, 3))).toBe(true);
  for (const other of [op(2, 2, 3), op(1, 3, 3), op(1, 2, 4), op(1, 2, -1)]) {
    expect(sameOpTime(op(1, 2, 3), other)).toBe(false);
  }
});

test('of equals, the first is taken: no position is replaced in vain', () => {
  const [a, b] = [op(1, 2, 3), op(1, 2, 3)];
  expect(maxOpTime(a, b)).toBe(a);
  expect(minOpTime(a, b)).toBe(a);
});

test('among opTimes with terms, a total order: term, seconds, increment', () => {
  const small = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map(([t, i, term]) => op(t, i, term));
  const rank = ({ ts, t }: OpTime) => t * 100 + ts.t * 10 + ts.i;
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(Math.sign(compareOpTimes(a, b))).toBe(Math.sign(rank(a) - rank(b)));
      expect(compareOpTimes(a, b) === 0).toBe(sameOpTime(a, b));
      if (a.t === b.t) expect(Math.sign(compareTimestamps(a.ts, b.ts))).toBe(Math.sign(compareOpTimes(a, b)));
    }),
    { seed: 1 },
  );
});

describe('the null opTime', () => {
  test('is nobody’s to change', () => {
    expect(Object.isFrozen(NULL_OP_TIME) && Object.isFrozen(NULL_OP_TIME.ts)).toBe(true);
    expect(NULL_OP_TIME).toEqual(op(0, 0, -1));
  });

  test.for([
    [NULL_OP_TIME, true],
    [op(0, 1, -1), false],
    [op(1, 0, 1), false],
  ] as const)('%j is null: %s', ([opTime, expected]) => expect(isNullOpTime(opTime)).toBe(expected));
});

test.for([
  [op(1_735_689_660, 3, 2), '(60,3 t2)'],
  [op(1_735_689_600, 1, -1), '(0,1 no term)'],
  [NULL_OP_TIME, '(none)'],
] as const)('%j is written %s', ([opTime, text]) => {
  expect(formatOpTime(opTime, 1_735_689_600)).toBe(text);
});

test('as a bson value, unsigned', () => {
  const value = toBsonTimestamp({ t: 0xffffffff, i: 0x80000000 }, BsonTimestamp);
  expect(value).toBeInstanceOf(BsonTimestamp);
  expect([value.t, value.i]).toEqual([0xffffffff, 0x80000000]);
});
