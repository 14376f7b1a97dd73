import { expect, test } from 'vitest';
import { CAPTION_LINES, captionLines, legendLines, MEANINGS, meaningWidth } from '../../src/set/footText.ts';

const caption = (text: string, atMicros = 0) => ({ atMicros, kind: 'note', text, member: undefined });

test('a long sentence has two lines, and a longer one ends where they do', () => {
  const long = captionLines(caption('one two three four '.repeat(5).trim()), 1000, 400);
  expect(long).toHaveLength(CAPTION_LINES);
  const [first, second] = captionLines(caption('one two three four '.repeat(20).trim()), 1000, 400);
  expect(first).toMatch(/^At 0.001s: one/);
  expect(second).toMatch(/\w …$/);
});

test('before anything happened, the instant alone is said', () => {
  expect(captionLines(undefined, 12e6, 600)).toEqual(['At 12.000s']);
});

test.for([200, 400, 608, 2000])('the legend is in lines of at most %d pixels', (width) => {
  for (const scale of SCALES)
    for (const line of legendLines(width, scale).filter(({ length }) => length > 1))
      expect(line.reduce((sum, sign) => sum + meaningWidth(sign), 0)).toBeLessThanOrEqual(width);
});

test('each sign is explained where members are drawn with it, and once', () => {
  const explained = SCALES.map((scale) => legendLines(600, scale).flat());
  for (const signs of explained) expect(new Set(signs).size).toBe(signs.length);
  expect(new Set(explained.flat())).toEqual(new Set(Object.keys(MEANINGS)));
});

const SCALES = ['portrait', 'small', 'chip'] as const;
