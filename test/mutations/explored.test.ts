import { Checkers } from '@replsim/checker';
import { explore, shrink, type TrialInput, tryOut } from '@replsim/explore';
import { type CreateSet, parseScenario, playScenario, toldOf } from '@replsim/scenario';
import { type CauseLink, Causes } from '@replsim/why';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { DAYS, EXPLORED } from './explored.ts';
import { createSet, type Mutation } from './mutation.ts';

// An exploration finds each mutant in a scenario that holds with it, and hands back a few steps that fail for the same reason; `why` explains these.

const MOST_STEPS = 8;
/** Each is found in fewer. */
const MOST_RUNS = 40;
/** Of shrinking at a time: it ends as soon as few steps are left. */
const SHRINK_RUNS = 10;
const MOST_SHRINK_RUNS = 300;
/** `npm run mutants` goes through all of them; the suite through every fifth. */
const { EVERY_MUTANT } = process.env;
const ROWS = EXPLORED.filter((_, i) => EVERY_MUTANT !== undefined || i % 5 === 0);

test('there are enough of them', () => {
  expect(new Set(EXPLORED.map(({ mutation }) => mutation)).size).toBeGreaterThanOrEqual(20);
  expect(ROWS.length).toBeGreaterThanOrEqual(5);
});

describe.each(ROWS.map((row) => [row.mutation.name, row] as const))('%s', (_, { mutation, day, mode, breaks }) => {
  const text = `name: ${day}${DAYS[day]}`;
  const mutated = playerOf((options) => createSet(mutation, true, options));
  const honest = playerOf((options) => createSet(mutation, false, options));

  test('is found, in few steps, and explained', async () => {
    const { base, findings } = await explore(text, { mode, runs: MOST_RUNS, stopAt: 1, play: mutated });
    expect(base.failure?.title, 'of the scenario as it stands').toBeUndefined();
    const [finding] = findings;
    expect(finding, 'a run in which it shows').toBeDefined();
    const { run, seed, text: found, failure } = finding!;
    expect([failure.of, failure.sameAs]).toEqual(['invariant', breaks]);

    // It was what happened, not the seed.
    const inPeace = await mutated({ text: withoutFaults(found), seed });
    expect([inPeace.failure?.title, inPeace.obstacle?.title]).toEqual([undefined, undefined]);
    // The same runs, of honest members: who breaks nothing is not found.
    const none = await explore(text, { mode, runs: run, stopAt: 1, play: honest });
    expect([none.runs, none.findings.map(({ failure }) => failure.title)]).toEqual([run, []]);

    const small = await shrunkTo(MOST_STEPS, found, seed, mutated);
    expect(small.failure.sameAs).toBe(failure.sameAs);
    expect(small.to, small.text).toBeLessThanOrEqual(MOST_STEPS);
    const again = await mutated({ text: small.text });
    expect(again.failure?.sameAs, small.text).toBe(failure.sameAs);
    expect((await honest({ text: small.text })).failure?.title, small.text).toBeUndefined();

    const why = await whyBroken(small.text, mutation);
    expect(why.length, small.text).toBeGreaterThan(1);
    const last = why.at(-1)!;
    expect(last.text).not.toMatch(/not in this part/);
    for (const { text } of why) expect(text).not.toMatch(/undefined|NaN|\[object/);
  });
});

function playerOf(create: CreateSet) {
  return (input: TrialInput) => tryOut(input, create);
}

function withoutFaults(text: string): string {
  const { meanwhile, ...rest } = parse(text);
  expect(meanwhile).toBeDefined();
  return stringify(rest);
}

async function shrunkTo(most: number, text: string, seed: number, play: ReturnType<typeof playerOf>) {
  let small = await shrink(text, { seed, play, runs: SHRINK_RUNS });
  for (let runs = SHRINK_RUNS; small!.to > most && runs < MOST_SHRINK_RUNS; runs *= 2)
    small = await shrink(small!.text, { seed, play, runs });
  return small!;
}

/** The chain from the event that broke the invariant back to where it began, as `replsim why FILE event` tells it. */
async function whyBroken(text: string, mutation: Mutation): Promise<readonly CauseLink[]> {
  const checkers = new Checkers();
  const causes = new Causes(toldOf);
  let turn: number | undefined;
  let brokenIn: number | undefined;
  await playScenario(
    parseScenario(text, 'small.yaml'),
    (options) => createSet(mutation, true, { ...options, causes: true }),
    {
      onTrace: (event) => {
        causes.observe(event);
        if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') turn = event.turn;
        if (checkers.observe(event)) brokenIn ??= turn;
      },
    },
  );
  return causes.chain(brokenIn!) ?? [];
}
