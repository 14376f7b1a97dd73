import { afterEach, expect, test, vi } from 'vitest';
import { Farewell } from '../src/doors/farewell.ts';
import { playFault } from '../src/doors/faultCommand.ts';
import { ServedSet } from '../src/index.ts';
import { RawClient } from './doors/rawClient.ts';

// A rollback closes the connections of its member's clients, in the middle of whatever lets time pass.

let served: ServedSet | undefined;
let clients: RawClient[] = [];

afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  await served?.stop();
  vi.restoreAllMocks();
});

/** A set whose old primary holds a write that the others lack, and will find out as soon as time passes. */
async function aboutToRollBack(): Promise<{ set: ServedSet; old: string; primary: string; third: string }> {
  const set = await ServedSet.start({ members: 3, speed: 0 });
  served = set;
  const old = await set.untilPrimary();
  const others = set.set.memberNames.filter((name) => name !== old);
  await set.act({ type: 'partition', groups: [[old], others] });
  const lost = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 }, $db: 'app' };
  expect(await set.command(old, lost)).toMatchObject({ ok: 1, n: 1 });
  const primary = await set.untilPrimary(undefined, old);
  return { set, old, primary, third: others.find((name) => name !== primary)! };
}

async function comeIn(set: ServedSet, member: string): Promise<RawClient> {
  const client = await RawClient.connect(set.set.hostOf(member));
  clients.push(client);
  await client.ask({ hello: 1 });
  return client;
}

test.for<[string, (set: ServedSet, names: { old: string; primary: string; third: string }) => Promise<unknown>]>([
  ['advance', (set) => set.advance(30_000_000)],
  ['two jumps at once', (set) => Promise.race([set.advance(30_000_000), set.advance(1)])],
  ['untilTtlPass', (set) => set.untilTtlPass()],
  [
    'untilPrimary',
    async (set, { primary }) => {
      await expect(set.untilPrimary(30_000_000, primary)).rejects.toThrow('no primary other');
    },
  ],
  [
    'stepDown',
    async (set) => {
      for (let i = 0; i < 4; i++) await set.stepDown().catch(() => {});
    },
  ],
  [
    'a command',
    (set, { primary }) =>
      set.command(primary, { insert: 'c', documents: [{ _id: 2 }], writeConcern: { w: 3 }, $db: 'app' }),
  ],
  ['shutdown', (set, { third }) => set.shutdown(third)],
  ['a fault that is several', (set, { third }) => playFault(set, { restart: third })],
  [
    'a command of the door',
    async (set, { primary }) => {
      await (await comeIn(set, primary)).ask({ replsimAdvance: '30s' });
    },
  ],
  [
    'the fault command',
    async (set, { primary, third }) => {
      await (await comeIn(set, primary)).ask({ replsimFault: { restart: third } });
    },
  ],
])('when %s comes back, clients know of the connections that were closed meanwhile', async ([, act]) => {
  const names = await aboutToRollBack();
  const { set, old } = names;
  const closed = vi.spyOn(Farewell.prototype, 'close');
  // Its system says that it will hear nothing more, and it does not listen: it is given a tenth of a second.
  const { socket } = await comeIn(set, old);
  socket.removeAllListeners('end');
  await playFault(set, { heal: 'all' });
  await act(set, names);
  expect(closed).toHaveBeenCalled();
  for (const farewell of closed.mock.contexts as Farewell[]) expect(farewell.isOver).toBe(true);
});

test('the jump in which a connection is closed is over when its client knows', async () => {
  const { set, old } = await aboutToRollBack();
  const client = await comeIn(set, old);
  const closed = vi.spyOn(Farewell.prototype, 'close');
  await playFault(set, { heal: 'all' });
  while (closed.mock.calls.length === 0) await set.advance(1000);
  expect(client.socket.readableEnded).toBe(true);
});
