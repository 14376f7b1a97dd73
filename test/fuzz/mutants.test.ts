import { allCheckers } from '@replsim/checker';
import { expect, test } from 'vitest';
import { createSet } from '../mutations/mutation.ts';
import { transactions } from '../mutations/transactions.ts';
import { drive, Finding } from './drive.ts';
import { Tally } from './tally.ts';

// Random runs find members that break what transactions and change streams promise: the invariant says so, where it alone judges.

const MAX_SEEDS = 40;

test.for(transactions)('$name, everywhere, is found out within some seeds', async ({ members: _, ...mutation }) => {
  const [invariant] = mutation.fires;
  const found: string[] = [];
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const error = await drive(seed, new Tally(), {
      invariants: allCheckers().filter(({ name }) => name === invariant),
      create: (options) => createSet(mutation, true, options),
    }).catch((thrown: unknown) => thrown);
    if (error === undefined) continue;
    expect(error).toBeInstanceOf(Finding);
    found.push((error as Finding).message);
    if ((error as Finding).message.includes(`: ${invariant}: `)) return;
  }
  expect.fail(`${invariant} did not fire: ${found.join('\n')}`);
});
