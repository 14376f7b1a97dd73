import { describe, expect, test } from 'vitest';
import { bandsOf, type Stretched } from '../../../src/page/time/bands.ts';

const whole = { fromMicros: 0, toMicros: 1000 };

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
