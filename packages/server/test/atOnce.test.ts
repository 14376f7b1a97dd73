import { afterEach, expect, test, vi } from 'vitest';
import { ServedSet } from '../src/index.ts';

// What waits for nobody comes in at the very moment at which it is asked for. By a turn later, a command under way can be answered, and
// a kill amid it finds it done.

let served: ServedSet | undefined;
afterEach(() => served?.stop());

const SAME_HOSTS = (set: ServedSet, name: string) => ({
  _id: set.set.setName,
  version: 2,
  members: set.set.memberNames.map((member, _id) => ({
    _id,
    host: set.set.hostOf(member),
    priority: member === name ? 2 : 1,
  })),
});

test.for<[what: string, ask: (set: ServedSet, primary: string) => Promise<unknown>]>([
  ['a kill', (set, primary) => set.act({ type: 'kill', member: primary })],
  ['a pause', (set, primary) => set.act({ type: 'pause', member: primary })],
  ['a shutdown', (set, primary) => set.shutdown(primary)],
  ['a jump', (set) => set.advance(1_000_000)],
  ['a wait for a primary', (set) => set.untilPrimary()],
  ['a wait for a TTL pass', (set) => set.untilTtlPass()],
  ['a command', (set, primary) => set.command(primary, { ping: 1 })],
  [
    'a reconfig with the hosts that there are',
    (set, primary) => set.command(primary, { replSetReconfig: SAME_HOSTS(set, primary) }),
  ],
  ['a command to the primary', (set) => set.tellPrimary({ ping: 1 })],
  ['a step-down', (set) => set.stepDown()],
])('%s', async ([, ask]) => {
  served = await ServedSet.start({ members: 3, speed: 0 });
  const { pacer, primary } = served;
  const input = vi.spyOn(pacer, 'input');
  const asked = ask(served, primary!);
  expect(input).toHaveBeenCalledTimes(1);
  await asked;
});

test('of jumps, the next begins where the one before ends; one after them all is at once again', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  const begun = served.set.nowMicros;
  const jumps = [served.advance(1_000_000), served.advance(2_000_000)];
  expect(await Promise.all(jumps)).toEqual([begun + 1_000_000, begun + 3_000_000]);
  const input = vi.spyOn(served.pacer, 'input');
  const last = served.advance(1_000_000);
  expect(input).toHaveBeenCalledTimes(1);
  expect(await last).toBe(begun + 4_000_000);
});
