import { explore, shrink, type TrialInput, tryOut } from '@replsim/explore';
import { expect, test } from 'vitest';
import { commitPoints } from './commitPoints.ts';
import { elections } from './elections.ts';
import { createSet, type Mutation } from './mutation.ts';
import { oplogs } from './oplogs.ts';
import { ttl } from './ttl.ts';

// An exploration of a set with a mutant in it finds that, and hands back a scenario of a few steps that fails for the same reason.

const MOST_STEPS = 8;
const RUNS = 10;
/** Some twenty members; the others are found by the scenarios of their own. */
const ROWS: readonly Mutation[] = [...elections, ...commitPoints, ...oplogs, ...ttl].slice(0, 20);

test('there are enough of them', () => expect(ROWS.length).toBeGreaterThanOrEqual(20));

test.for(ROWS)('$name', async (mutation) => {
  const play = (input: TrialInput) => tryOut(input, (options) => createSet(mutation, true, options));
  const text = `name: ${mutation.fires[0]}\n${mutation.scenario}`;
  const { findings } = await explore(text, { mode: { kind: 'seeds' }, runs: 1, stopAt: 1, play });
  const [finding] = findings;
  expect(finding?.failure.of).toBe('invariant');
  const { seed, text: found } = finding!;
  let shrunk = await shrink(found, { seed, play, runs: RUNS });
  // Most are small enough by then, and the rest goes on.
  for (let i = 0; i < 8 && shrunk!.to > MOST_STEPS; i++)
    shrunk = await shrink(shrunk!.text, { seed, play, runs: RUNS * (i + 2) });
  expect(shrunk?.to).toBeLessThanOrEqual(MOST_STEPS);
  expect(shrunk?.failure.sameAs).toBe(finding?.failure.sameAs);
  const again = await play({ text: shrunk!.text });
  expect(again.failure?.sameAs).toBe(finding?.failure.sameAs);
});
