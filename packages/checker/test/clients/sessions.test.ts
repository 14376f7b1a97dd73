import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearizable, monotonicReads, readYourWrites } from '../../src/index.ts';
import { calls } from './histories.ts';

describe('a client reads its own writes', () => {
  test.for<[string, string[]]>([
    ['it finds it', ['a w x 1 0-1', 'a r x 1 2-3']],
    ['somebody else has written since', ['a w x 1 0-1', 'b w x 2 2-3', 'a r x 2 4-5']],
    ['somebody else wrote at the same time: either may be last', ['b w x 2 0-9', 'a w x 1 1-2', 'a r x 2 10-11']],
    ['what nobody is sure of may come later', ['b w x 2 0-?', 'a w x 1 1-2', 'a r x 2 10-11']],
    ['of what is not acknowledged nothing is promised', ['a w x 1 0-?', 'a r x - 2-3']],
    ['others may find what was there before', ['a w x 1 0-1', 'b r x - 2-3']],
    ['other documents have their own', ['a w x 1 0-1', 'a r y - 2-3']],
  ])('holds: %s', ([, history]) => {
    expect(readYourWrites(calls(...history))).toEqual({ kind: 'holds' });
  });

  test.for<[string, string[], string]>([
    [
      'nothing is there',
      ['a w x 1 0-1', 'a r x - 2-3'],
      'a read nothing in document x at 0.000s, and had written 1 there before, acknowledged at 0.000s',
    ],
    [
      'its earlier write is there',
      ['a w x 1 0-1', 'a w x 2 2-3', 'a r x 1 4-5'],
      'a read 1 in document x at 0.000s, and had written 2',
    ],
    ['what another had written before is there', ['b w x 1 0-1', 'a w x 2 2-3', 'a r x 1 4-5'], 'a read 1'],
  ])('broken: %s', ([, history, detail]) => {
    expect(readYourWrites(calls(...history))).toEqual({
      kind: 'broken',
      anomalies: [{ name: 'own write not read', detail: expect.stringContaining(detail) }],
    });
  });
});

describe('the reads of a client do not go back', () => {
  test.for<[string, string[]]>([
    ['they go on', ['a w x 1 0-1', 'a w x 2 2-3', 'b r x 1 4-5', 'b r x 2 6-7']],
    ['two clients may see different times', ['a w x 1 0-1', 'a w x 2 2-3', 'b r x 2 4-5', 'c r x 1 6-7']],
    ['of two writes at once either may be last', ['a w x 1 0-9', 'c w x 2 0-9', 'b r x 2 10-11', 'b r x 1 12-13']],
    ['the same value was written again', ['a w x 1 0-1', 'a w x 2 2-3', 'a w x 1 4-?', 'b r x 2 6-7', 'b r x 1 8-9']],
  ])('holds: %s', ([, history]) => {
    expect(monotonicReads(calls(...history))).toEqual({ kind: 'holds' });
  });

  test.for<[string, string[], string]>([
    [
      'back to nothing',
      ['a w x 1 0-1', 'b r x 1 2-3', 'b r x - 4-5'],
      'b read nothing in document x at 0.000s, and had read 1 there at 0.000s, which was written later',
    ],
    ['back to an older value', ['a w x 1 0-1', 'a w x 2 2-3', 'b r x 2 4-5', 'b r x 1 6-7'], 'b read 1'],
    [
      'back behind the newest of several',
      ['a w x 1 0-1', 'a w x 2 2-3', 'a w x 3 4-5', 'b r x 3 6-7', 'b r x 3 8-9', 'b r x 2 10-11'],
      'b read 2',
    ],
  ])('broken: %s', ([, history, detail]) => {
    expect(monotonicReads(calls(...history))).toEqual({
      kind: 'broken',
      anomalies: [{ name: 'read went back', detail: expect.stringContaining(detail) }],
    });
  });
});

test('what is linearizable keeps both promises', () => {
  const anyLine = fc.tuple(
    fc.constantFrom('a', 'b'),
    fc.constantFrom('r', 'w'),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 5 }),
  );
  const counts = { holds: 0, broken: 0, undecided: 0 };
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 8 }), (drawn) => {
      const free: Record<string, number> = { a: 0, b: 0 };
      const lines = drawn.map(([client, f, value, lasts]) => {
        const from = free[client]!;
        free[client] = from + lasts + 1;
        return `${client} ${f} x ${value} ${from}-${from + lasts}`;
      });
      const history = calls(...lines);
      const { kind } = linearizable(history);
      counts[kind]++;
      if (kind !== 'holds') return;
      expect(readYourWrites(history)).toEqual({ kind: 'holds' });
      expect(monotonicReads(history)).toEqual({ kind: 'holds' });
    }),
    { numRuns: 3000 },
  );
  expect(counts.holds).toBeGreaterThan(300);
});
