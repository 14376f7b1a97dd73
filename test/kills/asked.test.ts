import { expect, test } from 'vitest';
import { askedBy } from './asked.ts';

test('numbers that are left out have defaults', () => {
  expect(askedBy(['--kills', '7'])).toEqual({ kills: 7, seed: 1, jobs: expect.any(Number) });
});

// With none of them nothing would be killed, and no promise broken.
test.for([
  ['--kills', '0'],
  ['--kills', 'many'],
  ['--kills', '1.5'],
  ['--kills=-5'],
  ['--jobs', '0'],
  ['--jobs', 'x'],
  ['--seed', ''],
])('refused: %s', (args) => {
  expect(askedBy(args)).toContain(`${args[0]!.split('=')[0]} takes a whole number above 0: npm run kills`);
});

test('what is no option is refused', () => {
  expect(askedBy(['--runs', '3'])).toContain("'--runs'");
  expect(askedBy(['3'])).toContain('npm run kills');
});
