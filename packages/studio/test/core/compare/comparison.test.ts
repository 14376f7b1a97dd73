import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { Comparer } from '../../../src/core/compare/comparison.ts';
import { likenessOf } from '../../../src/core/compare/likeness.ts';
import { ScenarioPlayer, type WholeRun } from '../../../src/core/run/play.ts';

const text = readFileSync(new URL('../../../../../scenarios/election/failover-on-kill.yaml', import.meta.url), 'utf8');
const failing =
  'name: One is expected\nsteps:\n  - advance: 20s\n  - expect: { on: primary, count: app.c, is: 1 }\n  - advance: 9s\n';

async function whole(its: string, seed: number, playsOn = true): Promise<WholeRun> {
  const player = new ScenarioPlayer();
  await player.play(its, seed, () => {}, playsOn);
  return player.last!;
}

/** A player whose last run is this, and what it plays from now on. */
async function playerOf(its: string, seed: number, playsOn: boolean) {
  const player = new ScenarioPlayer();
  await player.play(its, seed, () => {}, playsOn);
  return { player, play: vi.spyOn(player, 'play') };
}

test('the run that was played last is compared without being played again', async () => {
  const { player, play } = await playerOf(text, 2, true);
  const comparison = await new Comparer(player).compare({ text, seed: 1 }, { text, seed: 2 });
  expect(comparison?.likeness).toEqual(likenessOf(await whole(text, 1), await whole(text, 2)));
  expect(comparison?.likeness.parted).toBeDefined();
  expect([comparison?.one.events, comparison?.other.events]).toEqual([
    (await whole(text, 1)).events.length,
    player.last!.events.length,
  ]);
  expect(play).not.toHaveBeenCalled();
});

test.for([
  { what: 'another text', before: failing, seed: 2, playsOn: true },
  { what: 'another seed', before: text, seed: 3, playsOn: true },
  { what: 'a run that would have stopped at a check', before: text, seed: 2, playsOn: false },
])('a player that has last played $what plays, and knows why from then on', async ({ before, seed, playsOn }) => {
  const { player, play } = await playerOf(before, seed, playsOn);
  const comparer = new Comparer(player);
  const comparison = await comparer.compare({ text, seed: 1 }, { text, seed: 2 });
  expect(comparison?.likeness).toEqual(likenessOf(await whole(text, 1), await whole(text, 2)));
  expect(play).toHaveBeenCalledTimes(1);
  const why = await player.why({ kind: 'primary', atMicros: 15e6 });
  expect(why.map((each) => each.text)).toContainEqual(expect.stringMatching(/^n1 is down: killed at/));
});

test('a first run that is another one by now is played', async () => {
  const { player } = await playerOf(text, 2, true);
  const comparer = new Comparer(player);
  const began = async (seed: number) =>
    (await comparer.compare({ text, seed }, { text, seed: 2 }))?.likeness.began?.trim().split('\n').at(-1)?.trim();
  expect(await began(1)).toBe('seed is 1 in the first, 2 in the second');
  expect(await began(3)).toBe('seed is 3 in the first, 2 in the second');
  expect(await began(2)).toBeUndefined();
});

test('both runs are compared behind a check that fails', async () => {
  const { player } = await playerOf(failing, 1, true);
  const comparison = await new Comparer(player).compare({ text: failing, seed: 1 }, { text: failing, seed: 1 });
  expect(comparison?.likeness.parted).toBeUndefined();
  expect(comparison?.one.events).toBe((await whole(failing, 1)).events.length);
  expect(comparison?.one.events).toBeGreaterThan((await whole(failing, 1, false)).events.length);
});

test('a text with mistakes cannot be compared', async () => {
  const comparer = new Comparer(new ScenarioPlayer());
  expect(await comparer.compare({ text, seed: 1 }, { text: 'name: 1', seed: 1 })).toBeUndefined();
});
