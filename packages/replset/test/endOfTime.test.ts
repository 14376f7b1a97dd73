import { expect, test } from 'vitest';
import { ClockOutOfRange, TimeIsUp } from '../src/index.ts';
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

const LAST_MS = 2 ** 32 * 1000 - 1;

test('time stops before a clock would pass 2106', async () => {
  const { set } = await fakeSet(() => [], { members: [{ name: 'n1' }, { name: 'n2' }], epochMs: LAST_MS - 10_000 });
  await expect(set.advanceTo(10_001_000)).rejects.toThrow(ClockOutOfRange);
  expect(set.nowMicros).toBe(0);
  await set.advanceTo(1_000_000);
  set.jumpClock('n2', 5_000);
  await expect(set.runUntil(() => false, 9_000_000)).rejects.toThrow('a wall clock would pass 2106');
  expect(set.nowMicros).toBe(5_000_999);
  expect(set.wallMs('n2')).toBe(LAST_MS);
  set.jumpClock('n2', -5_000);
  await set.advanceTo(9_000_000);
});

test('no clock begins or jumps outside of 1970 to 2106', async () => {
  const { set } = await fakeSet(() => [], { members: [{ name: 'n1' }] });
  const before = set.wallMs('n1');
  expect(() => set.jumpClock('n1', -before - 1)).toThrow('the clock of n1 would be before 1970');
  expect(() => set.jumpClock('n1', LAST_MS - before + 1)).toThrow('the clock of n1 would be after 2106');
  expect(set.wallMs('n1')).toBe(before);
  const late = fakeSet(() => [], { members: [{ name: 'n1', clock: { offsetMs: 1 } }], epochMs: LAST_MS });
  await expect(late).rejects.toThrow(ClockOutOfRange);
});

test('a set whose clocks stand still has as much time as there is', async () => {
  const { set } = await fakeSet(() => [], {
    members: [{ name: 'n1', clock: { driftPpm: -1_000_000 } }],
    epochMs: LAST_MS,
  });
  await set.advanceTo(100_000_000);
  expect(set.wallMs('n1')).toBe(LAST_MS);
});
