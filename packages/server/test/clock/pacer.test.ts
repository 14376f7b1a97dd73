import { afterEach, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';

let served: ServedSet;

afterEach(() => served.stop());

/** How much virtual time goes by between two turns of the event loop until `done`. Unit: µs. */
async function turnsUntil(done: Promise<unknown>, inEach: () => void = () => {}): Promise<number[]> {
  let going = true;
  void done.finally(() => {
    going = false;
  });
  const turns: number[] = [];
  for (let before = served.set.nowMicros; going; before = served.set.nowMicros) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(served.set.nowMicros - before);
    inEach();
  }
  return turns;
}

test('however fast a jump goes, sockets are served at least once a virtual minute', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  const turns = await turnsUntil(served.advance(3_600_000_000));
  expect(Math.max(...turns)).toBeLessThanOrEqual(60_000_000);
  expect(turns.length).toBeGreaterThanOrEqual(60);
});

test('what comes in meanwhile does not make it faster, nor hold it up', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  const asked: Promise<unknown>[] = [];
  const ask = () => {
    for (let i = 0; i < 10; i++) asked.push(served.command('n1', { ping: 1 }));
  };
  const turns = await turnsUntil(served.advance(1_800_000_000), ask);
  expect(Math.max(...turns)).toBeLessThanOrEqual(60_000_000);
  expect(await Promise.all(asked)).toHaveLength(10 * turns.length);
});

test('all who listen for what ends the run hear of it, the set itself too', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  const heard: unknown[] = [];
  const failed = new Promise<void>((resolve) => {
    served.pacer.onFailure((error) => heard.push(error));
    served.pacer.onFailure((error) => resolve(void heard.push(error)));
  });
  const bug = new Error('a bug');
  served.pacer.input(() => {
    throw bug;
  });
  await failed;
  expect(heard).toEqual([bug, bug]);
  expect(served.failure).toBe(bug);
});
