import { expect, test } from 'vitest';
import { TimeIsUp } from '../src/index.ts';
import { fakeSet } from './fakes.ts';

// A set whose time ends, to be looked at there.

/** A timer each second. */
const ticking = (endMicros: number) =>
  fakeSet(
    (event) =>
      event.type === 'started' || event.type === 'timer'
        ? [{ type: 'setTimer', key: 't', afterMicros: 1_000_000 }]
        : [],
    { members: [{ name: 'n1' }], endMicros },
  );

test('all that happens up to the end happens, and nothing after it', async () => {
  const { set, story } = await ticking(2_000_000);
  await set.advanceTo(2_000_000);
  expect(story(true)).toEqual(['1000000 n1 timer t', '2000000 n1 timer t']);
  await expect(set.advanceTo(2_000_001)).rejects.toThrow(TimeIsUp);
  await expect(set.advanceTo(9_000_000)).rejects.toThrow('time ends at 2000000 µs');
  expect(set.nowMicros).toBe(2_000_000);
  expect(story(true)).toEqual([]);
});

test('whoever waits for something that comes later is not asked at the end, where a run without one would not ask', async () => {
  const { set } = await ticking(1_500_000);
  const asked: number[] = [];
  const looked = set.runUntil(() => {
    asked.push(set.nowMicros);
    return set.nowMicros === 1_500_000;
  }, 9_000_000);
  await expect(looked).rejects.toThrow(TimeIsUp);
  expect(asked.at(-1)).toBe(1_000_000);
  expect(set.nowMicros).toBe(1_500_000);
});

test('what holds by the end is seen to hold', async () => {
  const { set } = await ticking(2_000_000);
  expect(await set.runUntil(() => set.nowMicros >= 2_000_000, 9_000_000)).toBe(true);
  expect(await set.runUntil(() => false, 2_000_000)).toBe(false);
});

test('whoever turns the clock himself gets no further either', async () => {
  const { set } = await ticking(1_500_000);
  expect(await set.pump(1_500_000, () => false)).toBe(true);
  expect(() => set.pump(1_500_001, () => false)).toThrow(TimeIsUp);
  expect(set.nowMicros).toBe(1_500_000);
});

test('where nothing happens any more, time ends all the same', async () => {
  const { set } = await fakeSet(() => [], { members: [{ name: 'n1' }], endMicros: 1_500_000 });
  await expect(set.advanceTo(9_000_000)).rejects.toThrow(TimeIsUp);
  expect(set.nowMicros).toBe(1_500_000);
});

test('what is to be looked at later is never looked at', async () => {
  const { set } = await ticking(1_500_000);
  const looked: number[] = [];
  for (const atMicros of [1_500_000, 1_500_001]) set.lookAt(atMicros, () => looked.push(set.nowMicros));
  await expect(set.advanceTo(9_000_000)).rejects.toThrow(TimeIsUp);
  expect(looked).toEqual([1_500_000]);
});
