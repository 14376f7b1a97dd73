import { allCheckers } from '@replsim/checker';
import { expect, test } from 'vitest';
import { createSet } from '../mutations/mutation.ts';
import { transactions } from '../mutations/transactions.ts';
import { fuzz } from './fuzz.ts';
import { Tally } from './tally.ts';

// Random runs find members that break what transactions and change streams promise, and an invariant says so.

const MAX_SEEDS = 20;

test.for(transactions)('$name, everywhere, is found out within some seeds', async ({ members: _, ...mutation }) => {
  const [invariant] = mutation.fires;
  const invariants = () => allCheckers().filter(({ name }) => name === invariant);
  const found: string[] = [];
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const create = (options: Parameters<typeof createSet>[2]) => createSet(mutation, true, options);
    const { findings } = await fuzz(seed, new Tally(), { create, invariants });
    found.push(...findings.map(({ failure }) => `seed ${seed}: ${failure.title}: ${failure.detail}`));
    if (findings.some(({ failure }) => failure.sameAs === invariant)) return;
  }
  expect.fail(`${invariant} did not fire: ${found.join('\n')}`);
});
