import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { histogramSvg } from '../../src/measuring/chart.ts';

// What a chart shows: a bar for each bin that has runs, as high as its share of the most; ticks in the figure's own words.

const bins = [4, 0, 2].map((runs, i) => ({ from: i, to: i + 1, runs }));
const labels = { x: 'elections', said: 'Histogram of <elections>', tickText: (value: number) => `${value} of them` };
const drawn = (most: number) => parseHTML(histogramSvg(bins, most, labels)).document.querySelector('svg')!;

test('bars are as high as their share of the most', () => {
  const heightsOf = (most: number) =>
    [...drawn(most).querySelectorAll('[aria-label="rect"] rect')].map((bar) => Number(bar.getAttribute('height')));
  const [four, none, two] = heightsOf(4);
  expect(none).toBe(0);
  expect(two! * 2).toBeCloseTo(four!);
  expect(heightsOf(8)[0]! * 2).toBeCloseTo(four!);
});

test('axes say what is counted, in the words of the figure, and the whole says so to those who cannot see it', () => {
  const texts = [...drawn(4).querySelectorAll('text')].map(({ textContent }) => textContent);
  expect(texts).toEqual(expect.arrayContaining(['runs', 'elections', '0 of them', '3 of them', '4']));
  expect(drawn(4).getAttribute('aria-label')).toBe('Histogram of <elections>');
});

test('nothing is in it that the page forbids', () => {
  expect(histogramSvg(bins, 4, labels)).not.toMatch(/<style|style="|<script/);
});
