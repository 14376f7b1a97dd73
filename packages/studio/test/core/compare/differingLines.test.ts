import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differingLines } from '../../../src/core/compare/differingLines.ts';

test('what is in one text only, with its number there', () => {
  expect(differingLines('a\nb\nc\nd', 'a\nB\nc\nx\nd')).toEqual([
    { side: 'first', number: 2, text: 'b' },
    { side: 'second', number: 2, text: 'B' },
    { side: 'second', number: 4, text: 'x' },
  ]);
  expect(differingLines('a\nb', 'a\nb')).toEqual([]);
});

test('without them both texts are the same, and each stands where it says', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const found = differingLines(one.join('\n'), other.join('\n'));
      const rest = (lines: readonly string[], side: 'first' | 'second') =>
        lines.filter((_, i) => !found.some((each) => each.side === side && each.number === i + 1));
      for (const { side, number, text } of found) expect((side === 'first' ? one : other)[number - 1]).toBe(text);
      expect(rest(one, 'first')).toEqual(rest(other, 'second'));
    }),
    { seed: 1 },
  );
});
