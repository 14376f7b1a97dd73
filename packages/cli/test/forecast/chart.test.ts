import { expect, test } from 'vitest';
import { chart } from '../../src/forecast/chart.ts';
import { bytesText, countText, spanText, timeText } from '../../src/forecast/figures.ts';
import { table } from '../../src/table.ts';

const shape = { width: 8, height: 2, label: String, below: ['a', 'b'] };

test('a chart: eighths of a line, and what is more than nothing shows', () => {
  expect(chart([0, 0.01, 4, 8, 12, 16, null, 16], shape)).toEqual(['  16 ┤    ▄█ █', '   0 ┤ ▁▄███ █', '      a   b']);
});

test('more values than columns: each shows the greatest of its own', () => {
  expect(chart([1, 16, null, 2, 3, 3, 16, 0], { ...shape, width: 4, height: 1 })[0]).toBe('  16 ┤█▁▂█');
});

test('nothing at all', () => {
  expect(chart([null, 0], shape)).toEqual(['  0 ┤', '  0 ┤', '     ab']);
});

test('figures', () => {
  expect([0, 999, 1000, 1_234_567.4].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([0, 512, 999.9, 1e6, 1.2345e9, 2e15].map(bytesText)).toEqual([
    '0 B', '512 B', '1.00 kB', '1.00 MB', '1.23 GB', '2.00 PB',
  ]); // biome-ignore format: one line
  expect([0, 412.6, 1234, 9_949, 73_400, 3_600_000, -4_000].map(spanText)).toEqual([
    '0s', '413ms', '1.2s', '9.9s', '1m13s', '1h', '-4s',
  ]); // biome-ignore format: one line
  expect([0, 43_380e6, 43_385e6, 86_400e6 * 2].map(timeText)).toEqual(['00:00', '12:03', '12:03:05', 'day 3, 00:00']);
});

test('a table is as wide as what stands in it', () => {
  const dim = (text: string) => `(${text})`;
  expect(table([['who', 'n'], ['n1', '100'], ['primary', '']], { left: [0], dim })).toEqual([
    '(  who        n)',
    '  n1       100',
    '  primary',
  ]); // biome-ignore format: as it is
});
