import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mark } from '../../../src/core/history/marks.ts';
import { bandsOf, type Stretched } from '../../../src/page/time/bands.ts';
import { clustersOf } from '../../../src/page/time/clusters.ts';
import { following, panned, zoomed } from '../../../src/page/time/range.ts';

const mark = (atMicros: number, kind: Mark['kind'] = 'step'): Mark => ({ atMicros, kind, member: undefined, text: '' });
const whole = { fromMicros: 0, toMicros: 1000 };

describe('marks', () => {
  test('that would cover each other are one, which looks like the weightiest', () => {
    const clusters = clustersOf([mark(0), mark(10, 'rollback'), mark(15), mark(500)], whole, 1000, 20);
    expect(clusters.map(({ x, mark, marks }) => [x, mark.kind, marks.length])).toEqual([
      [0, 'rollback', 3],
      [500, 'step', 1],
    ]);
  });

  test('that tell a story look like the first of them, beside which what comes again and again does not count', () => {
    const [cluster] = clustersOf([mark(0, 'pass'), mark(5, 'election'), mark(10, 'primary')], whole, 1000, 20);
    expect(cluster?.mark.kind).toBe('election');
  });

  test('outside of what is looked at are none, and nearer they part', () => {
    const marks = [mark(0), mark(10), mark(20), mark(900)];
    const clusters = clustersOf(marks, { fromMicros: 0, toMicros: 100 }, 1000, 20);
    expect(clusters.map(({ marks }) => marks.length)).toEqual([1, 1, 1]);
  });

  test('none is lost, and none stands nearer to the next than it may', () => {
    const many = fc.array(fc.integer({ min: 0, max: 1000 })).map((at) => at.sort((a, b) => a - b));
    fc.assert(
      fc.property(many, (at) => {
        const clusters = clustersOf(
          at.map((each) => mark(each)),
          whole,
          300,
          22,
        );
        expect(clusters.flatMap(({ marks }) => marks.map(({ atMicros }) => atMicros))).toEqual(at);
        for (const [i, { x }] of clusters.entries())
          if (i > 0) expect(x - clusters[i - 1]!.x).toBeGreaterThanOrEqual(22);
      }),
      { seed: 1 },
    );
  });
});

describe('bars', () => {
  const stretch = (fromMicros: number, toMicros: number | undefined, look: string): Stretched => ({
    fromMicros,
    toMicros,
    look,
    text: look,
  });

  test('are at their instants, and go on to the end where nobody ended them', () => {
    const bands = bandsOf([stretch(0, 400, 'a'), stretch(400, undefined, 'b')], whole, 100, []);
    expect(bands.map(({ from, to, look }) => [from, to, look])).toEqual([
      [0, 40, 'a'],
      [40, 100, 'b'],
    ]);
  });

  test('are never more than pixels, and what is rare is seen', () => {
    const stretches = Array.from({ length: 1000 }, (_, i) =>
      stretch(i, i + 1, i === 501 ? 'rare' : i % 2 === 0 ? 'a' : 'b'),
    );
    const bands = bandsOf(stretches, whole, 50, ['rare', 'a']);
    expect(bands.length).toBeLessThanOrEqual(50);
    expect(bands.map(({ look }) => look)).toContain('rare');
    expect(bands.find(({ look }) => look === 'a')?.text).toBe('a, and others');
  });

  test('that reach into what is looked at are there from its edge on', () => {
    const bands = bandsOf([stretch(0, 900, 'long')], { fromMicros: 500, toMicros: 600 }, 10, []);
    expect(bands).toEqual([{ from: 0, to: 10, look: 'long', text: 'long' }]);
  });
});

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
