import { CommandError } from '@replsim/protocol';
import { afterEach, expect, test, vi } from 'vitest';
import { Newcomers } from '../src/doors/newcomers.ts';
import { ServedSet } from '../src/servedSet.ts';

let served: ServedSet;
afterEach(async () => {
  vi.restoreAllMocks();
  await served.stop();
});

test.each([0, 1])('five in a row work at speed %d, as whoever is to follow is waited for', async (speed) => {
  served = await ServedSet.start({ members: 3, speed });
  const primaries = [served.primary];
  for (let i = 0; i < 5; i++) primaries.push(await served.stepDown());
  for (const [i, each] of primaries.slice(1).entries()) expect(each).not.toBe(primaries[i]);
});

test('one that fails says who may not stand, and until when', async () => {
  served = await ServedSet.start({ members: 3, speed: 0 });
  const [first, second] = [served.primary, await served.stepDown({ secs: 300 })];
  await served.stepDown({ secs: 300 });
  const failed = served.stepDown({ secs: 300 });
  await expect(failed).rejects.toThrow(CommandError);
  await expect(failed).rejects.toThrow(
    new RegExp(
      `No electable secondaries caught up .*${first} may not stand before \\S+, in 4m\\S+: it stepped down or was frozen; ` +
        `${second} may not stand before .* Let that time pass, or step down with a shorter { secs }\\.$`,
    ),
  );
});

test.each([1, 2.5, 9])('for %d seconds it waits no longer for a secondary', async (secs) => {
  served = await ServedSet.start({ members: 3, speed: 0 });
  const old = served.primary!;
  expect(await served.stepDown({ secs })).not.toBe(old);
});

test.each([{ secs: 5, secondaryCatchUpPeriodSecs: 6 }, { secondaryCatchUpPeriodSecs: 11 }])(
  '%j is refused by the names that were given',
  async (options) => {
    served = await ServedSet.start({ members: 3, speed: 0 });
    const { secs = 10, secondaryCatchUpPeriodSecs } = options as { secs?: number; secondaryCatchUpPeriodSecs: number };
    await expect(served.stepDown(options)).rejects.toThrow(
      `stepDown: secs is ${secs}, which is less than secondaryCatchUpPeriodSecs, ${secondaryCatchUpPeriodSecs}: pass`,
    );
  },
);

test('where nobody follows, the error says it of each member', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  await expect(served.stepDown({ secs: 500, force: true })).rejects.toThrow(
    /n1: SECONDARY in term 1, may not stand before .*, in 6m/,
  );
});

test.for<[what: string, waits: number, ask: (set: ServedSet, primary: string) => Promise<unknown>]>([
  ['a kill', 1, (set, primary) => set.act({ type: 'kill', member: primary })],
  ['a pause', 1, (set, primary) => set.act({ type: 'pause', member: primary })],
  ['a partition', 3, (set) => set.act({ type: 'partition', groups: [['n1', 'n2'], ['n3']] })],
  ['a cut', 2, (set) => set.act({ type: 'cut', from: 'n1', to: 'n2' })],
  ['a disconnect', 2, (set) => set.act({ type: 'disconnect', from: 'n1', to: 'n2' })],
  ['a worse link', 2, (set) => set.act({ type: 'link', from: 'n1', to: 'n2', settings: { loss: 1 } })],
  ['a full disk', 1, (set, primary) => set.act({ type: 'disk', member: primary, settings: { full: true } })],
  ['a held part', 1, (set, primary) => set.act({ type: 'hold', member: primary, part: 'heartbeats' })],
  ['a step-down, and for those of the next primary,', 2, (set) => set.stepDown()],
  ['a heal', 0, (set) => set.act({ type: 'heal', members: 'all' })],
])('%s waits for newcomers', async ([, waits, ask]) => {
  served = await ServedSet.start({ members: 3, speed: 0 });
  const none = vi.spyOn(Newcomers.prototype, 'none');
  await ask(served, served.primary!);
  expect(none).toHaveBeenCalledTimes(waits);
});
