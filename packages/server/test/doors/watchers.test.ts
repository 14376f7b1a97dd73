import { afterEach, describe, expect, test, vi } from 'vitest';
import { REAL_TIME } from '../../src/clock/realTime.ts';
import { playFault } from '../../src/doors/faultCommand.ts';
import { Newcomers } from '../../src/doors/newcomers.ts';
import { Watchers } from '../../src/doors/watchers.ts';
import { ServedSet } from '../../src/index.ts';
import { body, EXHAUST_ALLOWED, opMsg } from '../wire/frames.ts';
import { RawClient, type Reply } from './rawClient.ts';

let served: ServedSet | undefined;
let clients: RawClient[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const { socket } of clients) socket.destroy();
  clients = [];
  await served?.stop();
  served = undefined;
});

/** A monitor that a member streams to, and what it has last heard. */
async function monitor(host: string): Promise<() => Reply['document'] | undefined> {
  const client = await RawClient.connect(host);
  clients.push(client);
  let last: Reply['document'] | undefined = await client.ask({ hello: 1 });
  const { topologyVersion } = last;
  const hello = { hello: 1, topologyVersion, maxAwaitTimeMS: 100_000, $db: 'admin' };
  await client.write(opMsg([body(hello)], EXHAUST_ALLOWED, 1));
  const listen = async () => {
    for (let reply = await client.reply(); reply !== undefined; reply = await client.reply()) last = reply.document;
  };
  void listen();
  return () => last;
}

async function monitored(
  speed: number,
): Promise<{ set: ServedSet; heard: Map<string, () => Reply['document'] | undefined> }> {
  served = await ServedSet.start({ members: 3, speed });
  const { set } = served;
  const monitors = set.memberNames.map(async (name) => [name, await monitor(set.hostOf(name))] as const);
  const heard = new Map(await Promise.all(monitors));
  // Until all of them wait for news.
  await served.advance(0);
  return { set: served, heard };
}

test.for<[what: string, act: (set: ServedSet, old: string) => Promise<unknown>]>([
  [
    'a pause and untilPrimary',
    (set, old) => playFault(set, { pause: old }).then(() => set.untilPrimary(undefined, old)),
  ],
  ['a partition', (set, old) => playFault(set, { partition: [[old]] }).then(() => set.untilPrimary(undefined, old))],
  [
    'a cut',
    (set, old) =>
      playFault(set, { cut: { from: old, to: 'secondaries' } }).then(() => set.untilPrimary(undefined, old)),
  ],
  ['a kill', (set, old) => playFault(set, { kill: old }).then(() => set.untilPrimary())],
  ['a step-down', (set) => set.stepDown()],
  ['a pause and a jump', (set, old) => playFault(set, { pause: old }).then(() => set.advance(60_000_000))],
  [
    'the fault command',
    async (set, old) => {
      const other = set.set.memberNames.find((name) => name !== old)!;
      const client = await RawClient.connect(set.set.hostOf(other));
      clients.push(client);
      await client.ask({ hello: 1 });
      await client.ask({ replsimFault: { pause: old }, untilPrimary: true });
    },
  ],
])('after %s those who watch the new primary know it', async ([, act]) => {
  const { set, heard } = await monitored(0);
  const old = set.primary!;
  await act(set, old);
  const [primary] = [...heard].filter(([name, last]) => name !== old && last()?.isWritablePrimary === true);
  expect(primary).toBeDefined();
  expect(primary![1]()).toMatchObject({ setName: 'rs0', electionId: expect.anything() });
});

test('who has only just connected to the new primary is waited for', async () => {
  served = await ServedSet.start({ members: 3, speed: 0 });
  const none = vi.spyOn(Newcomers.prototype, 'none');
  await served.untilPrimary();
  expect(none).not.toHaveBeenCalled();
  await served.act({ type: 'kill', member: served.primary! });
  none.mockClear();
  await served.untilPrimary();
  await served.untilPrimary();
  expect(none).toHaveBeenCalledTimes(1);
});

test('a member that is paused keeps nobody waiting', async () => {
  const { set } = await monitored(0);
  const told = vi.spyOn(Watchers.prototype, 'told');
  await playFault(set, { pause: 'all' });
  told.mockClear();
  await set.advance(1000);
  expect(told).not.toHaveBeenCalled();
});

describe('those who watch', () => {
  const [A, B] = [{}, {}];
  /** Turns and ticks that somebody else lets pass. */
  function byHand(): { turn(): void; tick(): void } {
    const turns: (() => void)[] = [];
    const ticks: (() => void)[] = [];
    vi.spyOn(REAL_TIME, 'setImmediate').mockImplementation((turn) => void turns.push(turn as () => void));
    vi.spyOn(REAL_TIME, 'setTimeout').mockImplementation((tick) => ticks.push(tick as () => void));
    return { turn: () => turns.shift()?.(), tick: () => ticks.shift()?.() };
  }

  test('have some turns to hear what was written to them', async () => {
    const time = byHand();
    const watchers = new Watchers();
    expect(watchers.told()).toBeUndefined();
    watchers.behind(A);
    watchers.behind(B);
    let isTold = false;
    void watchers.told()!.then(() => {
      isTold = true;
    });
    watchers.upToDate(A);
    watchers.upToDate(B);
    for (let i = 0; i < 3; i++) time.turn();
    await Promise.resolve();
    expect(isTold).toBe(false);
    time.turn();
    await Promise.resolve();
    expect(isTold).toBe(true);
    expect(watchers.told()).toBeUndefined();
  });

  test('are not waited for for ever', async () => {
    const time = byHand();
    const watchers = new Watchers();
    watchers.behind(A);
    const told = watchers.told();
    for (let i = 0; i < 20; i++) time.tick();
    await told;
    expect(watchers.areUpToDate).toBe(false);
  });
});
