import type { MongodEvent } from '@replsim/node';
import { DEFAULT_COSTS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Computing, costsOn } from '../src/processor.ts';
import { fakeSet } from './fakes.ts';

const ONE = { members: [{ name: 'n1' }] };

/** Computes three things at once, and waits for something besides. */
function computesThrice(event: MongodEvent) {
  if (event.type !== 'started') return [];
  return [
    { type: 'setTimer', key: 'a', afterMicros: 100, computes: true } as const,
    { type: 'setTimer', key: 'b', afterMicros: 100, computes: true } as const,
    { type: 'setTimer', key: 'c', afterMicros: 10, computes: true } as const,
    { type: 'setTimer', key: 'waits', afterMicros: 50 } as const,
  ];
}

async function storyWith(cores: number, later?: (set: Awaited<ReturnType<typeof fakeSet>>['set']) => Promise<void>) {
  const { set, story } = await fakeSet(computesThrice, ONE);
  set.cpu('n1', { cores });
  await later?.(set);
  await set.advanceTo(1000);
  return story(true);
}

test('a processor computes all at a time, or as much as it has cores, in the order in which it was asked', async () => {
  expect(await storyWith(0)).toEqual(['10 n1 timer c', '50 n1 timer waits', '100 n1 timer a', '100 n1 timer b']);
  expect(await storyWith(1)).toEqual(['50 n1 timer waits', '100 n1 timer a', '200 n1 timer b', '210 n1 timer c']);
  expect(await storyWith(2)).toEqual(['50 n1 timer waits', '100 n1 timer a', '100 n1 timer b', '110 n1 timer c']);
});

test('what waits begins when there are more cores, and its process ends with it', async () => {
  const more = async (set: Awaited<ReturnType<typeof fakeSet>>['set']) => {
    await set.advanceTo(20);
    set.cpu('n1', { cores: 0 });
  };
  expect(await storyWith(1, more)).toEqual(['30 n1 timer c', '50 n1 timer waits', '100 n1 timer a', '120 n1 timer b']);
  const killed = async (set: Awaited<ReturnType<typeof fakeSet>>['set']) => {
    await set.advanceTo(120);
    set.kill('n1');
  };
  expect(await storyWith(1, killed)).toEqual(['50 n1 timer waits', '100 n1 timer a']);
});

test('what is cancelled frees its core at once, or does not begin', async () => {
  const { set, story } = await fakeSet((event) => {
    if (event.type !== 'timer' || event.key !== 'waits') return computesThrice(event);
    return [
      { type: 'cancelTimer', key: 'a' },
      { type: 'cancelTimer', key: 'c' },
    ];
  }, ONE);
  set.cpu('n1', { cores: 1 });
  await set.advanceTo(1000);
  expect(story(true)).toEqual(['50 n1 timer waits', '150 n1 timer b']);
});

test('whoever has computed a slice queues behind those who wait', () => {
  const computing = new Computing();
  expect([computing.begin('a', 5, 1), computing.begin('b', 5, 1)]).toEqual([true, false]);
  expect(computing.end('a')).toBe(true);
  expect([...computing.next(1)]).toEqual([['b', 5]]);
  expect(computing.begin('a', 5, 1)).toBe(false);
  expect(computing.end('nothing')).toBe(false);
});

test('a slow processor makes everything cost more but what the disk takes', async () => {
  const slow = costsOn({ slowdown: 10, cores: 0 }, DEFAULT_COSTS);
  expect(slow).toEqual({
    ...Object.fromEntries(Object.entries(DEFAULT_COSTS).map(([name, micros]) => [name, 10 * micros])),
    journalFlushMicros: DEFAULT_COSTS.journalFlushMicros,
    checkpointMicros: DEFAULT_COSTS.checkpointMicros,
  });
  // A process that runs hears of it.
  const seen: number[] = [];
  const { set } = await fakeSet((event, { options }) => {
    if (event.type !== 'started') seen.push(options.costs.commandMicros);
    return [{ type: 'setTimer', key: 'look', afterMicros: 100 }];
  }, ONE);
  for (const slowdown of [10, 1]) {
    await set.advanceTo(set.nowMicros + 100);
    set.cpu('n1', { slowdown });
  }
  await set.advanceTo(set.nowMicros + 100);
  expect(seen).toEqual([1, 10, 1].map((times) => times * DEFAULT_COSTS.commandMicros));
});
