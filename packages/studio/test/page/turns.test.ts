import { expect, test } from 'vitest';
import { begun, type PageAction, reduced } from '../../src/page/state.ts';
import { differInTimeAlone, type Read } from '../../src/page/turns.ts';

// Which panels may be a few frames behind while time moves.

const FREE = begun('name: A\n', undefined, false);
const seen = {} as Read['guide']['seen'];
const read = (...actions: readonly PageAction[]): Read => ({
  state: actions.reduce(reduced, FREE),
  run,
  task: undefined,
  guide: { reading: 'free', seen } as Read['guide'],
  compare: { isOn: false, traced: undefined, second: undefined } as Read['compare'],
});
const run = {} as Read['run'];

test('another instant is time alone', () => {
  expect(differInTimeAlone(read(), read({ type: 'go', atMicros: 3 }))).toBe(true);
  expect(differInTimeAlone(read(), read({ type: 'place', atMicros: 3 }))).toBe(true);
});

test.each<PageAction>([
  { type: 'select', members: ['n1'] },
  { type: 'look', look: 'log' },
  { type: 'edit', text: 'name: B\n' },
  { type: 'ask', question: { kind: 'event', turn: 3 }, of: 'first' },
  { type: 'point', pointed: { members: ['n1'], entries: [], atMicros: 3 } },
])('what somebody chooses is shown at once: $type', (action) => {
  expect(differInTimeAlone(read(), read({ type: 'go', atMicros: 3 }, action))).toBe(false);
});

test('so is a run that grows, a second one, and whatever is told to who is led', () => {
  const later = read({ type: 'go', atMicros: 3 });
  expect(differInTimeAlone(read(), { ...later, run: {} as Read['run'] })).toBe(false);
  expect(differInTimeAlone(read(), { ...later, compare: { ...later.compare, isOn: true } })).toBe(false);
  expect(differInTimeAlone(read(), { ...later, guide: { ...later.guide, seen: {} as typeof seen } })).toBe(false);
  const led: Read = { ...later, guide: { ...later.guide, reading: 'lesson' } };
  expect(differInTimeAlone(led, led)).toBe(false);
});

test('each move is counted, so that panels know their turn', () => {
  expect(
    read({ type: 'go', atMicros: 3 }, { type: 'select', members: [] }, { type: 'go', atMicros: 4 }).state.moves,
  ).toBe(2);
});
