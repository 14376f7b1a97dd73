import { describe, expect, test } from 'vitest';
import { ExploreError, explore, type Trial, type TrialInput, tryOut } from '../../src/index.ts';
import { MAJORITY, W1 } from './scenarios.ts';

// Runs that look for one that breaks a claim.

const faults = { kind: 'faults', atMost: 4, kinds: ['partition'] } as const;

test('a claim that does not hold is found, whatever the number of runs at once', async () => {
  const found = await explore(W1, { mode: faults, runs: 60, stopAt: 1, play: tryOut });
  const [finding] = found.findings;
  expect(finding?.failure).toMatchObject({
    of: 'check',
    title: expect.stringContaining('expect: {workload: w, lost: 0}'),
  });
  expect(finding).toMatchObject({ run: found.runs, times: 1 });
  expect(found.base.failure).toBeUndefined();
  expect(found.coverage['elections won']).toBeGreaterThan(0);
  // Those that end first are not those that were begun first.
  let begun = 0;
  const play = async (input: TrialInput): Promise<Trial> => {
    const turns = (begun++ * 7) % 5;
    for (let i = 0; i < turns; i++) await Promise.resolve();
    return tryOut(input);
  };
  expect(await explore(W1, { mode: faults, runs: 60, stopAt: 1, play, atOnce: 4 })).toEqual(found);
});

test('what holds is not found to fail at any instant', async () => {
  const mode = { kind: 'everywhere', faults: [{ fault: { partition: [['n1'], ['n2', 'n3']] } }] } as const;
  const { findings, runs, of, obstacles } = await explore(MAJORITY, { mode, runs: 12, stopAt: 1, play: tryOut });
  expect({ findings, runs, of }).toEqual({ findings: [], runs: 12, of: 12 });
  expect(obstacles).toEqual({ fault: 0, step: 0 });
});

test('seeds alone are the runs of those seeds', async () => {
  const seeds: number[] = [];
  const play = (input: TrialInput) => {
    seeds.push(input.seed ?? -1);
    return tryOut(input);
  };
  await explore(MAJORITY, { mode: { kind: 'seeds' }, seed: 7, runs: 3, stopAt: 1, play });
  expect(seeds).toEqual([7, 8, 9]);
});

test('the same failure counts once, with how often it came about', async () => {
  const failing = MAJORITY.replace('lost: 0 }', 'acknowledged: 0 }');
  const { findings } = await explore(failing, { mode: { kind: 'seeds' }, runs: 3, stopAt: 5, play: tryOut });
  expect(findings.map(({ run, times }) => [run, times])).toEqual([[1, 3]]);
});

test('it ends when it is told to', async () => {
  let runs = 0;
  const { runs: played, of } = await explore(MAJORITY, {
    mode: { kind: 'seeds' },
    runs: 100,
    stopAt: 1,
    play: tryOut,
    isOver: () => ++runs > 2,
  });
  expect([played, of]).toEqual([3, 100]);
});

describe('runs that are not played to their end are no findings', () => {
  test('where a fault cannot happen', async () => {
    const mode = { kind: 'everywhere', faults: [{ fault: { start: 'n2' } }] } as const;
    const { findings, obstacles, obstacle } = await explore(MAJORITY, { mode, runs: 3, stopAt: 1, play: tryOut });
    expect(findings).toEqual([]);
    expect(obstacles).toEqual({ fault: 2, step: 0 });
    expect(obstacle).toMatch(/^meanwhile, at .*: start: n2$/);
  });

  test('where a step fails that is no check', async () => {
    const text = MAJORITY.replace(
      '- note: clients write all the time',
      '- insert: { into: app.c, documents: [{ _id: 1 }, { _id: 1 }] }',
    );
    const { findings, obstacles } = await explore(text, { mode: { kind: 'seeds' }, runs: 2, stopAt: 1, play: tryOut });
    expect(findings).toEqual([]);
    expect(obstacles.step).toBe(2);
  });
});

test('a text that cannot be read is no scenario to explore', async () => {
  const exploring = explore('name: x\nsteps: []\n', { mode: { kind: 'seeds' }, runs: 2, stopAt: 1, play: tryOut });
  await expect(exploring).rejects.toThrow(ExploreError);
});

test('a fault that cannot be read is named, and no place in a text that nobody has', async () => {
  const exploring = (fault: Record<string, unknown>) =>
    explore(W1, { mode: { kind: 'everywhere', faults: [{ fault }] }, runs: 2, stopAt: 1, play: tryOut });
  await expect(exploring({ kil: 'primary' })).rejects.toThrow(
    '"kil primary" cannot happen here: unknown key "kil" in a fault at an instant; did you mean "kill"?',
  );
  await expect(exploring({ kill: 'n9' })).rejects.toThrow(/^"kill n9" cannot happen here: [^:]*n9/);
});
