import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Explored,
  type ExploreOptions,
  explore,
  exploredOf,
  NO_COVERAGE,
  type Range,
  rangesOf,
  shardRange,
  type Trial,
} from '../../src/index.ts';

// Runs in parts come to what they come to in one piece.

/** A run as its seed has it: which claim it breaks, if any, or what stands in its way. */
type Script = readonly ('holds' | 'a' | 'b' | 'c' | 'fault' | 'step')[];

const playOf =
  (script: Script): ExploreOptions['play'] =>
  async ({ seed = 0 }): Promise<Trial> => {
    const what = script[seed] ?? 'holds';
    const rest = { coverage: { ...NO_COVERAGE, kills: seed + 1 }, seed, beganMicros: 0, endMicros: 1, members: ['n1'] };
    const base = { ...rest, steps: new Map<number, number>(), ends: new Map<number, number>() };
    if (what === 'holds') return base;
    if (what === 'fault' || what === 'step') return { ...base, obstacle: { of: what, title: `${what} of ${seed}` } };
    return { ...base, failure: { of: 'check', sameAs: what, title: `${what} of ${seed}`, detail: '' } };
  };

const exploring = (script: Script, stopAt: number, part?: Range) =>
  explore('steps: []', {
    mode: { kind: 'seeds' },
    seed: 0,
    runs: script.length,
    stopAt,
    play: playOf(script),
    ...(part && { part: () => part }),
  });

const anyScript = fc.array(fc.constantFrom('holds', 'holds', 'holds', 'a', 'b', 'c', 'fault', 'step'), {
  minLength: 1,
  maxLength: 30,
}) as fc.Arbitrary<Script>;

/** What is said of an exploration, however its runs were cut. */
const said = ({ stretches: _, ...rest }: Explored) => rest;

test('joined parts are the whole, wherever they are cut and whenever it ends', async () => {
  const anyCuts = fc.array(fc.nat(30), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(anyScript, anyCuts, fc.integer({ min: 1, max: 4 }), async (script, cuts, stopAt) => {
      const whole = await exploring(script, stopAt);
      const ends = [...new Set([0, ...cuts.filter((cut) => cut < script.length), script.length])].sort((a, b) => a - b);
      const parts = await Promise.all(
        ends.slice(1).map((to, i) => exploring(script, stopAt, { from: ends[i] ?? 0, to })),
      );
      const stretches = parts.flatMap((part) => part.stretches);
      expect(said(exploredOf(stretches, { ...whole, stopAt }))).toEqual(said(whole));
    }),
  );
});

test('a stretch ends where something new was found, with the number that the run has among all', async () => {
  const { stretches, runs } = await exploring(['holds', 'a', 'holds', 'a', 'b', 'holds'], 9, { from: 2, to: 6 });
  expect(stretches.map(({ from, to, found }) => [from, to, found?.run])).toEqual([
    [2, 4, 4],
    [4, 5, 5],
    [5, 6, undefined],
  ]);
  expect(runs).toBe(4);
});

describe('parts', () => {
  test('of a shard follow each other, whatever the number of runs', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 300 }), (count, of) => {
        let from = 0;
        const sizes = new Set<number>();
        for (let index = 1; index <= of; index++) {
          const range = shardRange(count, { index, of });
          expect(range.from).toBe(from);
          from = range.to;
          sizes.add(range.to - range.from);
        }
        expect(from).toBe(count);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('of a size cover all, the last with what is left', () => {
    expect(rangesOf(7, 3)).toEqual([
      { from: 0, to: 3 },
      { from: 3, to: 6 },
      { from: 6, to: 7 },
    ]);
    expect(rangesOf(0, 3)).toEqual([]);
  });
});
