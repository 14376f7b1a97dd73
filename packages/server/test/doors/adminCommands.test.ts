import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';
import { body, MORE_TO_COME, opMsg } from '../wire/frames.ts';
import { RawClient } from './rawClient.ts';

let served: ServedSet;
let client: MongoClient;
let admin: Db;

beforeAll(async () => {
  served = await ServedSet.start({ members: 3, speed: 0, epochMs: Date.parse('2030-01-01') });
  client = new MongoClient(served.uri, { serverSelectionTimeoutMS: 60_000 });
  admin = client.db('admin');
  await streaming(client);
});

/** Until all members stream their news to the client: before that it may take a member that is dead for the primary. */
async function streaming(client: MongoClient): Promise<void> {
  const members = new Set<string>();
  const all = new Promise<void>((resolve) => {
    client.on('serverHeartbeatStarted', ({ awaited, connectionId }) => {
      if (awaited) members.add(connectionId);
      if (members.size === 3) resolve();
    });
  });
  await client.connect();
  await all;
}

afterAll(async () => {
  await client.close();
  await served.stop();
});

const run = (command: object) =>
  admin.command(command as Record<string, unknown>, { readPreference: 'primaryPreferred' });
const status = () => run({ replsimStatus: 1 });
const member = async (name: string) => (await status()).members.find((each: { name: string }) => each.name === name);

test('who wants no reply gets none', async () => {
  const raw = await RawClient.connect(served.set.hostOf('n1'));
  const before = (await status()).nowMicros;
  await raw.write(opMsg([body({ replsimAdvance: '5s', $db: 'admin' })], MORE_TO_COME));
  expect((await raw.ask({ replsimStatus: 1 })).nowMicros).toBeGreaterThanOrEqual(before + 5_000_000);
  raw.socket.destroy();
});

test('at speed 0 a command takes five seconds at most: what needs longer waits for a jump', async () => {
  await run({ replsimFault: { pause: 'n3' } });
  const raw = await RawClient.connect(served.set.hostOf(String(served.primary)));
  const before = (await status()).nowMicros;
  const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3, wtimeout: 10_000 }, $db: 'app' };
  let answered = false;
  const answer = raw.ask(insert).then((reply) => {
    answered = true;
    return reply;
  });
  // Asked over and over, each time the set has had a turn.
  let nowMicros = before;
  while (nowMicros < before + 4_900_000) ({ nowMicros } = await status());
  for (let turn = 0; turn < 20; turn++) ({ nowMicros } = await status());
  expect(nowMicros - before).toBeLessThan(5_100_000);
  expect(answered).toBe(false);
  await run({ replsimAdvance: '6s' });
  expect((await answer).writeConcernError).toMatchObject({ code: 64 });
  await run({ replsimFault: { resume: 'n3' } });
  raw.socket.destroy();
});

test('the clock is turned, by text and by milliseconds', async () => {
  const { nowMicros } = await status();
  expect((await run({ replsimAdvance: '61s' })).nowMicros).toBeGreaterThanOrEqual(nowMicros + 61_000_000);
  const { nowMicros: then } = await status();
  expect((await run({ replsimAdvance: 1500 })).nowMicros).toBe(then + 1_500_000);
});

test('documents expire in the next pass', async () => {
  const sessions = client.db('app').collection('sessions');
  await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
  await sessions.insertOne({ at: new Date('2020-01-01') });
  expect(await run({ replsimUntilTtlPass: 1 })).toMatchObject({ ok: 1, primary: served.primary });
  expect(await sessions.countDocuments()).toBe(0);
});

test('the set has another primary after a step-down', async () => {
  const before = served.primary;
  const { primary } = await run({ replsimStepDown: 1, secs: 60, secondaryCatchUpPeriodSecs: 10, force: false });
  expect(primary).not.toBe(before);
  expect(await run({ replsimUntilPrimary: 1, other: before, within: '30s' })).toMatchObject({ primary });
});

test('time flows at another speed, and stands still again', async () => {
  expect(await run({ replsimSpeed: 2.5 })).toMatchObject({ was: 0 });
  expect(served.pacer.speed).toBe(2.5);
  expect(await run({ replsimSpeed: 0 })).toMatchObject({ was: 2.5 });
});

test('the status says where the set is', async () => {
  expect(await status()).toMatchObject({
    set: 'rs0',
    seed: 1,
    primary: served.primary,
    members: ['n1', 'n2', 'n3'].map((name) => ({ name, host: served.set.hostOf(name), running: true, paused: false })),
  });
});

describe('faults', () => {
  test('a process ends and starts, by each way', async () => {
    await run({ replsimFault: { kill: 'n1' } });
    expect(await member('n1')).toMatchObject({ running: false });
    await run({ replsimFault: { start: { member: 'n1', parameters: { ttlMonitorSleepSecs: 9 } } } });
    expect(await served.command('n1', { getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
      ttlMonitorSleepSecs: 9,
    });
    await run({ replsimFault: { shutdown: 'secondaries' } });
    expect((await status()).members.filter(({ running }: { running: boolean }) => running)).toHaveLength(1);
    await run({ replsimFault: { start: ['n1', 'n2', 'n3'].filter((name) => name !== served.primary) } });
    await run({ replsimUntilPrimary: 1 });
    await run({ replsimFault: { restart: 'all' } });
    expect((await run({ replsimUntilPrimary: 1 })).primary).toMatch(/^n/);
  });

  test('a process stands still', async () => {
    const primary = served.primary!;
    const other = ['n1', 'n2', 'n3'].find((name) => name !== primary)!;
    await run({ replsimFault: { pause: other } });
    expect(await member(other)).toMatchObject({ running: true, paused: true });
    await run({ replsimFault: { resume: other } });
    expect(await member(other)).toMatchObject({ paused: false });
  });

  test('a part of it does', async () => {
    const primary = await served.untilPrimary();
    const items = client.db('app').collection('items');
    await run({ replsimFault: { hold: { on: 'secondaries', part: 'fetch' } } });
    const held = await items.insertOne({ a: 1 }, { writeConcern: { w: 1 } });
    await run({ replsimAdvance: '2s' });
    const secondary = ['n1', 'n2', 'n3'].find((name) => name !== primary)!;
    const counted = {
      count: 'items',
      query: { _id: held.insertedId },
      $db: 'app',
      $readPreference: { mode: 'nearest' },
    };
    expect(await served.command(secondary, counted)).toMatchObject({ n: 0 });
    await run({ replsimFault: { release: 'secondaries' } });
    await run({ replsimAdvance: '2s' });
    expect(await served.command(secondary, counted)).toMatchObject({ n: 1 });
  });

  test('a partition elects on its larger side, and heals', async () => {
    const old = await served.untilPrimary();
    const others = ['n1', 'n2', 'n3'].filter((name) => name !== old);
    await run({ replsimFault: { partition: [[old], others] } });
    const { primary } = await run({ replsimUntilPrimary: 1, other: old });
    expect(others).toContain(primary);
    await run({ replsimFault: { heal: 'all' } });
  });

  test('links, one-way cuts, disks', async () => {
    await run({ replsimFault: { link: { from: 'all', to: 'all', latencyMs: [1, 2], loss: 0 } } });
    await run({ replsimFault: { cut: { from: 'n1', to: ['n2', 'n3'] }, heal: ['n1', 'n2', 'n3'] } });
    await run({ replsimFault: { disk: { on: 'secondaries', latencyMs: 5 } } });
    await run({ replsimFault: { disk: { on: 'all', latencyMs: 0 } } });
    await run({ replsimUntilPrimary: 1 });
  });

  test('a wall clock jumps, and back, and drifts', async () => {
    const wall = () => served.set.wallMs('n1') - served.set.epochMs - served.set.nowMicros / 1000;
    const before = wall();
    await run({ replsimFault: { clock: { on: 'n1', jump: '90s' } } });
    expect(wall() - before).toBeCloseTo(90_000, -1);
    await run({ replsimFault: { clock: { on: 'n1', jump: '-90s', drift: 1000 } } });
    expect(wall() - before).toBeCloseTo(0, -1);
    await run({ replsimAdvance: '100s' });
    expect(wall() - before).toBeCloseTo(100, -1);
    await run({ replsimFault: { clock: { on: 'n1', drift: 0 } } });
  });
});

describe('mistakes are answered, and the set goes on', () => {
  test.for<[command: object, code: number, message: RegExp]>([
    [{ replsimAdvance: 'soon' }, 2, /replsimAdvance must be a duration/],
    [{ replsimAdvance: -5 }, 2, /replsimAdvance must be a duration/],
    [{ replsimAdvance: '-5s' }, 2, /replsimAdvance must be a duration/],
    [{ replsimAdvance: {} }, 2, /replsimAdvance must be a duration/],
    [{ replsimSpeed: -1 }, 2, /replsimSpeed must be a number/],
    [{ replsimSpeed: 'fast' }, 2, /replsimSpeed must be a number/],
    [{ replsimSpeed: 1e308 }, 2, /replsimSpeed must be a number, 0 or more, and at most 10000, not 1e\+308/],
    [{ replsimUntilPrimary: 1, within: 'long' }, 2, /within must be a duration/],
    [{ replsimUntilTtlPass: 1, within: 'long' }, 2, /within must be a duration/],
    [{ replsimUntilTtlPass: 1, within: '1s' }, 8, /no TTL pass ended within 1s/],
    [{ replsimStepDown: 1, secs: 5, secondaryCatchUpPeriodSecs: 6 }, 2, /secs is 5, .* secondaryCatchUpPeriodSecs, 6/],
    [{ replsimStepDown: 1, secs: 'x' }, 14, /secs must be a number/],
    [{ replsimStepDown: 1, force: 'yes' }, 14, /force must be a boolean/],
    [{ replsimFault: 1 }, 2, /^replsimFault: replsimFault is a map; its keys are kill, shutdown, start, /],
    [{ replsimFault: {} }, 2, /has no fault: use one of kill, shutdown, start/],
    [
      { replsimFault: { kil: 'n1' } },
      2,
      /^replsimFault.kil: unknown key "kil" in replsimFault; did you mean "kill"\?$/,
    ],
    [
      { replsimFault: { kill: 7 } },
      2,
      /^replsimFault.kill: expected a member's name, primary, secondaries, all or any$/,
    ],
    [{ replsimFault: { pause: 'n1', kill: 7 } }, 2, /^replsimFault.kill: /],
    [{ replsimFault: { kill: [] } }, 2, /^replsimFault.kill: expected at least one member$/],
    [{ replsimFault: { kill: 'n9' } }, 74, /no member is called "n9": there are n1, n2, n3/],
    [{ replsimFault: { kill: 'nobody' } }, 74, /no member is called "nobody": .*; to do it to none, leave it out/],
    [{ replsimFault: { partition: [['n1'], ['n9']] } }, 74, /no member is called "n9"/],
    [{ replsimFault: { partition: [] } }, 2, /partition/],
    [{ replsimFault: { partition: [[]] } }, 2, /partition/],
    [{ replsimFault: { partition: [['n1'], []] } }, 2, /partition/],
    [
      { replsimFault: { partition: [['n1', 'n2'], 'n2'] } },
      2,
      /^replsimFault.partition.1: n2 is on two sides; name it on one of them$/,
    ],
    [{ replsimFault: { partition: ['all', 'secondaries'] } }, 2, /nobody is left for the side secondaries/],
    [{ replsimFault: { hold: { on: 'n1' } } }, 2, /^replsimFault.hold.part: expected one of fetch, apply, journal, /],
    [{ replsimFault: { hold: { on: 'n1', prt: 'ttl' } } }, 2, /hold.part: /],
    [{ replsimFault: { start: { member: 'n1', whipe: true } } }, 2, /start.whipe: .*; did you mean "wipe"\?$/],
    [
      { replsimFault: { link: { from: 'n1', to: 'n2', loss: 2 } } },
      2,
      /^replsimFault.link.loss: expected a probability from 0 to 1$/,
    ],
    [
      { replsimFault: { link: { from: 'n1', to: 'n2' } } },
      2,
      /^replsimFault.link: this link changes nothing; latencyMs, /,
    ],
    [{ replsimFault: { disk: { on: 'n1' } } }, 2, /^replsimFault.disk: this disk step has no effect; /],
    [{ replsimFault: { clock: { on: 'n1' } } }, 2, /^replsimFault.clock: a clock step has either /],
    [
      { replsimFault: { clock: { on: 'n1', jump: 'x' } } },
      2,
      /^replsimFault.clock.jump: expected a duration such as 250ms/,
    ],
    [{ replsimFault: { clock: { on: 'n1', drift: 0.5 } } }, 2, /drift/],
    [
      { replsimFault: { link: { from: 'n1', to: 'n2', latencyMs: [5, 1] } } },
      2,
      /link.latencyMs: the least latency comes first; did you mean \[1, 5\]\?$/,
    ],
    [{ replsimFault: { start: 'n1' } }, 8, /n1 is already running/],
  ])('%j', async ([command, code, message]) => {
    await expect(run(command)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await run({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('on another database than admin', async () => {
    await expect(client.db('app').command({ replsimStatus: 1 })).rejects.toMatchObject({ code: 13 });
  });
});
