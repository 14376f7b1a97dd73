import { describe, expect, test } from 'vitest';
import { explore, shrink, type TrialInput, tryOut } from '../../src/index.ts';
import { MAJORITY, W1 } from '../search/scenarios.ts';

const faults = { kind: 'faults', atMost: 4, kinds: ['partition'] } as const;

describe('what is found is shrunk', () => {
  test('to a scenario that fails for the same reason, in words that people write', async () => {
    const [finding] = (await explore(W1, { mode: faults, runs: 60, stopAt: 1, play: tryOut })).findings;
    const { text, seed, failure } = finding!;
    const shrunk = await shrink(text, { seed, play: tryOut });
    expect(shrunk).toBeDefined();
    expect(shrunk!.to).toBeLessThanOrEqual(5);
    expect(shrunk!.text).toContain('  - partition: ');
    expect(shrunk!.text).not.toContain('meanwhile');
    expect(shrunk!.text).not.toContain('chainingAllowed');
    // By itself, with the seed that it says.
    const again = await tryOut({ text: shrunk!.text });
    expect(again).toMatchObject({ seed, failure: { sameAs: failure.sameAs } });
  });

  test('and what does not fail is not', async () => {
    expect(await shrink(MAJORITY, { seed: 1, play: tryOut })).toBeUndefined();
  });

  test('in no more runs than are allowed', async () => {
    let runs = 0;
    const play = (input: TrialInput) => {
      runs += 1;
      return tryOut(input);
    };
    const failing = MAJORITY.replace('lost: 0 }', 'acknowledged: 0 }');
    const shrunk = await shrink(failing, { seed: 1, play, runs: 3 });
    expect(shrunk?.runs).toBe(runs);
    expect(runs).toBeLessThanOrEqual(3);
  });
});
