import { parseScenario } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import {
  befalledBy,
  ExploreError,
  type ExploreOptions,
  explore,
  type Mode,
  NO_COVERAGE,
  neverReached,
  type Trial,
} from '../../src/index.ts';
import { W1 } from './scenarios.ts';

// Within which bounds faults are drawn: those of the file, and before them those of whoever explores.

const trial = (more: Partial<Trial> = {}): Trial => ({
  ...{ coverage: NO_COVERAGE, seed: 1, beganMicros: 10_000_000, endMicros: 100_000_000, members: ['n1', 'n2', 'n3'] },
  ...{ steps: new Map(), ends: new Map([[5, 95_000_000]]) },
  ...more,
});

/** The kinds and instants that are drawn in many runs. */
async function drawnIn(text: string, mode: Partial<Mode> = {}) {
  const drawn: { kind: string; atMicros: number }[] = [];
  const play: ExploreOptions['play'] = async ({ text }) => {
    const { meanwhile } = parseScenario(text, 'a.yaml');
    drawn.push(...meanwhile.map(({ step, atMicros }) => ({ kind: step.key, atMicros })));
    return trial();
  };
  await explore(text, { mode: { kind: 'faults', ...mode } as Mode, runs: 60, stopAt: 1, play });
  return { kinds: [...new Set(drawn.map(({ kind }) => kind))].sort(), instants: drawn.map(({ atMicros }) => atMicros) };
}

const bounded = (block: string) => W1.replace('steps:', `explore: ${block}\nsteps:`);

test('the file says which faults, and when they begin; the command says so before it', async () => {
  const file = bounded('{ faults: [disconnect], during: 5s }');
  const { kinds, instants } = await drawnIn(file);
  expect(kinds).toEqual(['disconnect']);
  expect(Math.max(...instants)).toBeLessThanOrEqual(15_000_000);
  expect((await drawnIn(file, { kinds: ['pause'] })).kinds).toEqual(['pause', 'resume']);
  const sooner = await drawnIn(file, { duringMicros: 1_000_000 });
  expect(Math.max(...sooner.instants)).toBeLessThanOrEqual(11_000_000);
});

test('at most as many as the file says', async () => {
  let most = 0;
  const play: ExploreOptions['play'] = async ({ text }) => {
    most = Math.max(most, parseScenario(text, 'a.yaml').meanwhile.length);
    return trial();
  };
  const text = bounded('{ faults: [disconnect], atMost: 2 }');
  await explore(text, { mode: { kind: 'faults' }, runs: 60, stopAt: 1, play });
  expect(most).toBe(2);
});

test('names of members and zones mean what they mean in the file', () => {
  const text = W1.replace('steps:', 'zones: { east: [n1], west: [n2, n3] }\nexplore: { members: [n1] }\nsteps:');
  expect(befalledBy(text, ['west', 'n1'])).toEqual(['n2', 'n3', 'n1']);
  expect(befalledBy(W1, ['n2'])).toEqual(['n2']);
  expect(() => befalledBy(W1, ['n9'])).toThrow(ExploreError);
  expect(() => befalledBy(W1, ['west'])).toThrow('no member is called "west"');
});

describe('nothing to draw is no exploration', () => {
  const play = async () => trial({ ends: new Map() });
  const exploring = (text: string, mode: Mode = { kind: 'faults' }) =>
    explore(text, { mode, runs: 3, stopAt: 1, play });

  test('where no time passes', async () => {
    const text = 'name: x\nsteps:\n  - expect: { primary: none }\n';
    await expect(exploring(text)).rejects.toThrow(ExploreError);
    await expect(exploring(text)).rejects.toThrow('no time passes before the final checks');
  });

  test('where no fault of these can befall the set', async () => {
    const text = W1.replace(/ {2}- (workload|stop|expect).*\n/g, '');
    await expect(exploring(text, { kind: 'faults', kinds: ['clients'] })).rejects.toThrow(
      'nothing can be drawn: clients',
    );
  });
});

test('what should hold in some run, and did in none, is known by its line', async () => {
  let runs = 0;
  const play = async () => {
    const held = ++runs === 2 ? 1 : 0;
    const at = (line: number, held: number) => ({ line, text: 'sometimes: {}', asked: 1, held });
    return trial({ sometimes: [at(3, held), at(5, 0)] });
  };
  const explored = await explore(W1, { mode: { kind: 'seeds' }, runs: 3, stopAt: 1, play });
  expect(explored.sometimes).toEqual([1, 0]);
  expect(neverReached(explored).map(({ line }) => line)).toEqual([5]);
});
