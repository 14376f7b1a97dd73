import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldByUser } from '../../src/index.ts';

const LIMIT = 3;

function limited(): HeldByUser {
  return new HeldByUser(({ own }) => {
    if (own >= LIMIT) throw new Error('enough');
  });
}

test('who has enough gets no more, and another gets some', () => {
  const held = limited();
  for (let i = 0; i < LIMIT; i++) held.take('greedy');
  expect(() => held.take('greedy')).toThrow('enough');
  held.take('modest');
  held.release('greedy');
  held.take('greedy');
  expect(() => held.take('greedy')).toThrow('enough');
});

test('whatever is taken and given back, the counts are what is held', () => {
  const owners = fc.constantFrom('a', 'b', '');
  fc.assert(
    fc.property(fc.array(fc.record({ owner: owners, isTaken: fc.boolean() })), (moves) => {
      const seen: { owner: string; own: number; all: number }[] = [];
      const held = new HeldByUser((each) => seen.push(each));
      const model: string[] = [];
      for (const { owner, isTaken } of moves) {
        if (isTaken) {
          const own = model.filter((each) => each === owner).length;
          held.take(owner);
          expect(seen.at(-1)).toEqual({ owner, own, all: model.length });
          model.push(owner);
        } else if (model.includes(owner)) {
          model.splice(model.indexOf(owner), 1);
          held.release(owner);
        }
      }
    }),
  );
});
