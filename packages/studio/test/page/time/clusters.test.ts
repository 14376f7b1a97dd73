import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mark } from '../../../src/core/history/marks.ts';
import { clustersOf } from '../../../src/page/time/clusters.ts';

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
