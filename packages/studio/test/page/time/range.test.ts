import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { following, panned, zoomed } from '../../../src/page/time/range.ts';

describe('what is looked at', () => {
  test('nearer, an instant stays where it is', () => {
    expect(zoomed({ fromMicros: 0, toMicros: 100_000 }, 0.5, 40_000, 100_000)).toEqual({
      fromMicros: 20_000,
      toMicros: 70_000,
    });
  });

  test('never leaves the run, nor is nearer than a millisecond', () => {
    const END = 5_000_000;
    const move = fc.record({
      kind: fc.constantFrom('zoom', 'pan', 'follow'),
      by: fc.double({ min: 0.1, max: 4, noNaN: true }),
      at: fc.integer({ min: 0, max: END }),
    });
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        let range = { fromMicros: 0, toMicros: END };
        for (const { kind, by, at } of moves) {
          if (kind === 'zoom') range = zoomed(range, by, at, END);
          else if (kind === 'pan') range = panned(range, by - 2, END);
          else range = following(range, at, END);
          expect(range.fromMicros).toBeGreaterThanOrEqual(0);
          expect(range.toMicros).toBeLessThanOrEqual(END + 1e-6);
          expect(range.toMicros - range.fromMicros).toBeGreaterThanOrEqual(999.999);
          if (kind === 'follow') expect(range.fromMicros <= at && at <= range.toMicros + 1e-6).toBe(true);
        }
      }),
      { seed: 1 },
    );
  });
});
