import { expect, test } from 'vitest';
import { Goals, type Reached } from '../../src/clock/goals.ts';

/** One jump up to 100 µs, which has begun at 0. */
function oneJump() {
  const goals = new Goals();
  const ends: (readonly ['reached', how: Reached] | readonly ['jumped', micros: number])[] = [];
  const state = { isDone: false };
  const goal = {
    isJump: true,
    limitMicros: 100,
    done: () => state.isDone,
    reached: (how: Reached) => void ends.push(['reached', how]),
    dropped: () => {},
  };
  goals.add(goal, 0);
  return {
    ends,
    state,
    goals,
    settle: (at: number) => goals.settle(at, (micros) => void ends.push(['jumped', micros])),
  };
}

test.for([
  { isDone: true, at: 40, jumped: 40 },
  { isDone: false, at: 100, jumped: 100 },
  { isDone: true, at: 100, jumped: 100 },
])('a jump that ends at $at learns whether its condition holds: $isDone', ({ isDone, at, jumped }) => {
  const { ends, state, settle } = oneJump();
  settle(at - 1);
  expect(ends).toEqual([]);
  state.isDone = isDone;
  settle(at);
  expect(ends).toEqual([
    ['jumped', jumped],
    ['reached', { held: isDone, atMicros: at }],
  ]);
});

test('a jump that begins again beyond its limit has jumped by nothing, and never back', () => {
  const { ends, goals, settle } = oneJump();
  goals.beginAgain(5000);
  settle(100);
  expect(ends).toEqual([
    ['jumped', 0],
    ['reached', { held: false, atMicros: 100 }],
  ]);
});
