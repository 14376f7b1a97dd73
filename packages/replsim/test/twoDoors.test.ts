import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReplicaSet } from '../src/index.ts';

// What the API does, clients in any language do by commands: the same seed, acted on by either, comes to the same.

let byApi: ReplicaSet;
let byCommand: ReplicaSet;
let client: MongoClient;

beforeEach(async () => {
  const options = { members: 3, speed: 0, epoch: '2030-01-01', seed: 5 } as const;
  [byApi, byCommand] = await Promise.all([ReplicaSet.start(options), ReplicaSet.start(options)]);
  // A member that has died is not waited for.
  const uri = `mongodb://${byCommand.members[0]!.host}/?directConnection=true`;
  client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
});

afterEach(async () => {
  await client.close();
  await Promise.all([byApi.stop(), byCommand.stop()]);
});

const admin = (command: object) => client.db('admin').command(command as Record<string, unknown>);
const wallOf = async (set: ReplicaSet, member: string) =>
  ((await set.command(member, { hello: 1 })).localTime as Date).getTime();

/** Where a set is, in whole seconds: a client's handshake costs a little time too. */
async function whereabouts(set: ReplicaSet) {
  const running = set.members.filter((member) => member.running && !member.paused);
  const clocks = await Promise.all(running.map(async ({ name }) => Math.round((await wallOf(set, name)) / 1000)));
  return {
    now: Math.round(set.now().getTime() / 1000),
    primary: set.primary,
    speed: set.speed,
    members: set.members.map(({ name, running, paused }) => ({ name, running, paused })),
    clocks,
  };
}

type Row = readonly [command: object, act: (set: ReplicaSet) => Promise<unknown>];

const rows: readonly Row[] = [
  [{ replsimAdvance: '61s' }, (set) => set.advance('61s')],
  [{ replsimAdvance: 90_000 }, (set) => set.advance(90_000)],
  [{ replsimUntilTtlPass: 1 }, (set) => set.untilTtlPass()],
  [{ replsimUntilTtlPass: 1, within: '2m' }, (set) => set.untilTtlPass({ within: '2m' })],
  [{ replsimUntilPrimary: 1, within: '1m' }, (set) => set.untilPrimary({ within: '1m' })],
  [{ replsimStepDown: 1 }, (set) => set.stepDown()],
  [{ replsimStepDown: 1, secs: 120, force: true }, (set) => set.stepDown({ secs: 120, force: true })],
  [
    { replsimSpeed: 7 },
    async (set) => {
      set.speed = 7;
      set.speed = 0;
    },
  ],
  [{ replsimFault: { kill: 'n2' } }, (set) => set.kill('n2')],
  [{ replsimFault: { kill: ['n2', 'n3'] } }, (set) => set.kill(['n2', 'n3'])],
  [{ replsimFault: { shutdown: 'n2' } }, (set) => set.shutdown('n2')],
  [{ replsimFault: { restart: 'secondaries' } }, (set) => set.restart('secondaries')],
  [{ replsimFault: { kill: 'n2', start: 'n2' } }, (set) => set.kill('n2').then(() => set.start('n2'))],
  [
    { replsimFault: { kill: 'n2', start: { member: 'n2', as: 'standalone' } } },
    (set) => set.kill('n2').then(() => set.start({ member: 'n2', as: 'standalone' })),
  ],
  [{ replsimFault: { pause: 'n3' } }, (set) => set.pause('n3')],
  [{ replsimFault: { pause: 'n3', resume: 'all' } }, (set) => set.pause('n3').then(() => set.resume('all'))],
  [{ replsimFault: { hold: { on: 'n1', part: 'heartbeats' } } }, (set) => set.hold({ on: 'n1', part: 'heartbeats' })],
  [
    { replsimFault: { hold: { on: 'n1', part: 'heartbeats' }, release: 'n1' } },
    (set) => set.hold({ on: 'n1', part: 'heartbeats' }).then(() => set.release('n1')),
  ],
  [{ replsimFault: { partition: [['n1'], ['n2', 'n3']] } }, (set) => set.partition([['n1'], ['n2', 'n3']])],
  [
    { replsimFault: { partition: [['n1'], ['n2', 'n3']], heal: 'all' } },
    (set) => set.partition([['n1'], ['n2', 'n3']]).then(() => set.heal()),
  ],
  [{ replsimFault: { cut: { from: 'n1', to: 'all' } } }, (set) => set.cut({ from: 'n1', to: 'all' })],
  [
    { replsimFault: { link: { from: 'all', to: 'n1', loss: 1 } } },
    (set) => set.link({ from: 'all', to: 'n1', loss: 1 }),
  ],
  [{ replsimFault: { clock: { on: 'n3', jump: '1h' } } }, (set) => set.clock({ on: 'n3', jump: '1h' })],
  [{ replsimFault: { clock: { on: 'n3', drift: 500_000 } } }, (set) => set.clock({ on: 'n3', drift: 500_000 })],
  [{ replsimFault: { disk: { on: 'n1', full: true } } }, (set) => set.disk({ on: 'n1', full: true })],
];

const seen = new Set<string>();

describe('the same by either', () => {
  test.for(rows)('%j', async ([command, act]) => {
    const before = await whereabouts(byApi);
    await act(byApi);
    const { ok, was, ...reply } = await admin(command);
    if (was !== undefined) {
      expect([was, byCommand.speed]).toEqual([0, 7]);
      byCommand.speed = 0;
    }
    expect(ok).toBe(1);
    if (reply.primary !== undefined) expect(reply.primary).toBe(byApi.primary);
    await Promise.all([byApi.advance('25s'), byCommand.advance('25s')]);
    const after = await whereabouts(byApi);
    expect(await whereabouts(byCommand)).toEqual(after);
    expect(after).not.toEqual(before);
    seen.add(JSON.stringify({ ...after, now: 0 }));
  });

  afterAll(() => {
    // Not all of it can have come to nothing.
    expect(seen.size).toBeGreaterThan(rows.length / 2);
  });
});

test.for<[command: object, act: (set: ReplicaSet) => Promise<unknown>, message: RegExp]>([
  [
    { replsimAdvance: 'soon' },
    (set) => set.advance('soon'),
    /dvance must be a duration such as "61s" or "1h30m", .*"soon"/,
  ],
  [{ replsimFault: { kill: 'n9' } }, (set) => set.kill('n9'), /^no member is called "n9": there are n1, n2, n3$/],
  [{ replsimFault: { start: 'n1' } }, (set) => set.start('n1'), /^n1 is already running; restart ends it first$/],
  [
    { replsimFault: { hold: { on: 'n1', part: 'all' } } },
    (set) => set.hold({ on: 'n1', part: 'all' as 'ttl' }),
    /hold\.part: expected one of fetch, apply, journal, heartbeats, ttl$/,
  ],
  [
    { replsimUntilTtlPass: 1, within: '1s' },
    (set) => set.untilTtlPass({ within: '1s' }),
    /^no TTL pass ended within 1s of virtual time: n1 was in none$/,
  ],
  [
    { replsimUntilPrimary: 1, within: '1s', other: 'n1' },
    (set) => set.untilPrimary({ within: '1s', other: 'n1' }),
    /^no primary other than n1 within 1s of virtual time\n {2}n1: PRIMARY in term 1, sees .*\n {2}n2: SECONDARY/,
  ],
])('what cannot be is said alike: %j', async ([command, act, message]) => {
  await expect(act(byApi)).rejects.toThrow(message);
  await expect(admin(command)).rejects.toThrow(message);
});

test('currentOp with $all shows the monitors of a client, its idle connections, and the threads of the member', async () => {
  const uri = `mongodb://${byCommand.members[0]!.host}/?directConnection=true&minPoolSize=2&appName=watcher`;
  const watcher = await MongoClient.connect(uri);
  try {
    const inprog = async (more: object): Promise<Record<string, unknown>[]> =>
      (await watcher.db('admin').command({ currentOp: 1, ...more })).inprog;
    let all = await inprog({ $all: true });
    const ofWatcher = () => all.filter(({ client: from, appName }) => from && appName === 'watcher');
    const idle = () => ofWatcher().filter(({ active }) => !active);
    const monitors = () => ofWatcher().filter(({ active, command }) => active && /"(hello|ismaster)"/i.test(JSON.stringify(command))); // biome-ignore format: one line
    // Until the pool is filled and the monitor waits for news.
    for (let i = 0; i < 5000 && (idle().length === 0 || monitors().length === 0); i++)
      all = await inprog({ $all: true });
    expect(idle().length).toBeGreaterThan(0);
    expect(monitors().length).toBeGreaterThan(0);
    const threads = all.filter(({ client: from }) => !from).map(({ desc }) => desc);
    expect(threads).toEqual(expect.arrayContaining(['TTLMonitor', 'Checkpointer', 'ReplCoord-0', 'NoopWriter']));
    expect((await inprog({})).every(({ active }) => active)).toBe(true);
  } finally {
    await watcher.close();
  }
});
