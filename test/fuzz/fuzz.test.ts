import { expect, test } from 'vitest';
import { drive } from './drive.ts';
import { MUST_HAPPEN, Tally } from './tally.ts';

// Sets under random faults. `npm run fuzz -- --seeds N` tries more; a seed that found a bug lives on as a scenario.

const SEEDS = 200;
const PER_TEST = 10;
const tally = new Tally();

test.for(Array.from({ length: SEEDS / PER_TEST }, (_, i) => 1 + i * PER_TEST))('seeds from %i', async (first) => {
  for (let seed = first; seed < first + PER_TEST; seed++) await drive(seed, tally);
});

test('every kind of thing came about', () => {
  const never = MUST_HAPPEN.filter((kind) => tally.of(kind) === 0);
  expect(never).toEqual([]);
});
