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

test.for([200, 400, 608, 2000])('the legend has all signs once, in lines of at most %d pixels', (width) => {
  const lines = legendLines(width);
  expect(lines.flat()).toEqual(Object.keys(MEANINGS));
  for (const line of lines.filter(({ length }) => length > 1))
    expect(line.reduce((sum, sign) => sum + meaningWidth(sign), 0)).toBeLessThanOrEqual(width);
});
