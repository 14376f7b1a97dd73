import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '@replsim/cli';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import {
  DataGoneError,
  InvalidOptions,
  NoPrimaryError,
  NoTtlPassError,
  ReplicaSet,
  type ReplicaSetOptions,
  ScenarioFailed,
  SetStoppedError,
} from '../src/index.ts';

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function start(options?: ReplicaSetOptions): Promise<ReplicaSet> {
  const set = await ReplicaSet.start(options);
  opened.push({ close: () => set.stop() });
  return set;
}

async function connect(set: ReplicaSet): Promise<MongoClient> {
  const client = await new MongoClient(set.uri).connect();
  opened.push(client);
  return client;
}

test('a set is there, with a primary and a clock that shows the present', async () => {
  const before = Date.now();
  const set = await start();
  expect(set.primary).toBe('n1');
  expect(set.members.map(({ name, running }) => [name, running])).toEqual([
    ['n1', true],
    ['n2', true],
    ['n3', true],
  ]);
  expect(set.name).toBe('rs0');
  expect(set.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/\?replicaSet=rs0$/);
  expect(set.getUri('app')).toMatch(/\/app\?replicaSet=rs0$/);
  expect(set.now().getTime()).toBeGreaterThanOrEqual(before);
  await set.waitUntilRunning();
});

test('jumps go exactly as far as they say, one after the other', async () => {
  const set = await start({ members: 1, speed: 0, epoch: '2030-01-01' });
  const begun = set.now().getTime();
  const [first, second, third] = await Promise.all([set.advance('61s'), set.advance('1h30m'), set.advance(250)]);
  expect([first, second, third].map((each) => each.getTime() - begun)).toEqual([61_000, 5_461_000, 5_461_250]);
  expect(set.now()).toEqual(third);
});

test.for(['-1s', 'soon', -1, Number.NaN, {}])('a jump by %j is refused', async (duration) => {
  const set = await start({ members: 1 });
  await expect(set.advance(duration as string)).rejects.toThrow(/advance must be a duration/);
});

test.for<[options: ReplicaSetOptions, told: string[]]>([
  [{ maxLead: '1s', speed: 0.5 }, ['maxLead: it does nothing at speed 0.5, but from speed 1 on']],
  [{ maxLead: 0, speed: 0 }, ['maxLead: it does nothing at speed 0, but from speed 1 on']],
  [{ maxLead: '1s', speed: 1 }, []],
  [{ maxLead: '1s' }, []],
  [{ speed: 0 }, []],
])('whoever asks for a lead that bounds nothing is told: %j', async ([options, told]) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await start({ members: 1, ...options });
  const warnings = warned.mock.calls.map(([text]) => String(text).split(':').slice(0, 2).join(':'));
  warned.mockRestore();
  expect(warnings).toEqual(told);
});

test('after stop() nobody runs, nor is there a primary', async () => {
  const set = await start();
  await set.pause('n3');
  await set.stop();
  expect(set.members.map(({ running, paused }) => running || paused)).toEqual([false, false, false]);
  expect(set.primary).toBeUndefined();
});

// One that believes in a member still asks it in its `close()` to end its sessions, and waits for one in vain.
test.for<[what: string, end: (set: ReplicaSet) => Promise<unknown>]>([
  ['a kill and stop()', async (set) => [await set.kill('primary'), await set.stop()]],
  ['a shutdown and stop()', async (set) => [await set.shutdown('primary'), await set.stop()]],
  ['the kill of all', (set) => set.kill('all')],
  ['stop() alone', (set) => set.stop()],
])('after %s a client knows of no member any more', async ([, end]) => {
  const set = await start();
  const client = new MongoClient(set.uri);
  opened.push(client);
  const known = new Map<string, string>();
  client.on('serverDescriptionChanged', ({ address, newDescription }) => known.set(address, newDescription.type));
  await client.db('app').collection('items').insertOne({});
  await end(set);
  expect(known.size).toBeGreaterThan(0);
  expect([...known.values()].filter((type) => type !== 'Unknown')).toEqual([]);
});

test('new ReplicaSet(), which TypeScript refuses, says how a set is started', () => {
  const options = { members: 3 };
  expect(() => Reflect.construct(ReplicaSet, [options])).toThrow('use "await ReplicaSet.start(options)"');
});

test('a client that is refused for its handshake is warned of, once', async () => {
  const set = await start({ members: 1 });
  // As under jest, where the driver's `import('os')` fails.
  const os = {} as NonNullable<NonNullable<MongoClientOptions['runtimeAdapters']>['os']>;
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  for (let i = 0; i < 2; i++) {
    const client = new MongoClient(set.uri, { runtimeAdapters: { os } });
    const refused = new Promise((resolve) => client.once('serverHeartbeatFailed', resolve));
    client.connect().catch(() => {});
    await refused;
    await client.close();
  }
  const { calls } = warned.mock;
  warned.mockRestore();
  expect(calls).toEqual([[expect.stringContaining('experimental-vm-modules'), { code: 'REPLSIM_BAD_HANDSHAKE' }]]);
});

test('an application whose dates fall behind with a jump is warned of, and one that asks the set is not', async () => {
  const set = await start({ members: 1 });
  const client = await connect(set);
  const sessions = client.db('app').collection('sessions');
  await set.advance('61s');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await sessions.insertOne({ seen: set.now() });
  await sessions.insertOne({ lastSeen: new Date() });
  await sessions.updateMany({}, { $set: { lastSeen: new Date() } });
  const { calls } = warned.mock;
  warned.mockRestore();
  expect(calls).toEqual([
    [
      expect.stringMatching(/^app\.sessions, field lastSeen: .* behind the set's clock/),
      { code: 'REPLSIM_DATE_BEHIND' },
    ],
  ]);
});

test('at speed 0 time stands still', async () => {
  const set = await start({ members: 1, speed: 0 });
  const begun = set.now();
  const client = await connect(set);
  await client.db('admin').command({ ping: 1 });
  const after = set.now().getTime() - begun.getTime();
  // Commands take their own time, which is microseconds here.
  expect(after).toBeLessThan(100);
  set.speed = 1000;
  expect(set.speed).toBe(1000);
  for (const speed of [-1, Number.NaN, Number.POSITIVE_INFINITY, 10_001]) {
    expect(() => {
      set.speed = speed;
    }).toThrow(/speed must be a number, 0 or more, and at most 10000, not/);
  }
  expect(set.speed).toBe(1000);
});

test("a member's own clock is asked for by its name", async () => {
  const set = await start({ speed: 0, epoch: '2030-01-01' });
  expect(set.now('n2')).toEqual(set.now());
  await set.clock({ on: ['n1', 'n2'], jump: '30d' });
  expect(set.now('n2').getTime() - set.now().getTime()).toBe(30 * 86_400_000);
  expect(set.now('primary')).toEqual(set.now('n1'));
  expect(set.now('n3')).toEqual(set.now());
  const { localTime } = await set.command('n1', { hello: 1 });
  expect(set.now('n1').getTime() - (localTime as Date).getTime()).toBeLessThan(100);
  expect(() => set.now('n4')).toThrow('no member is called "n4"');
  set.speed = 10_000;
  const atEvent = set.now().getTime();
  let before = atEvent;
  while (before < atEvent + 1000) before = set.now().getTime();
  // It goes on between two events, as the set's does.
  const own = set.now('n1').getTime() - 30 * 86_400_000;
  expect(own).toBeGreaterThanOrEqual(before);
  expect(own).toBeLessThanOrEqual(set.now().getTime());
});

test('documents expire in the pass that is waited for', async () => {
  const set = await start({ speed: 0 });
  const sessions = (await connect(set)).db('app').collection('sessions');
  await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertMany([{ at: set.now() }, { at: new Date(set.now().getTime() + 3_600_000) }]);
  await set.untilTtlPass();
  expect(await sessions.countDocuments()).toBe(2);
  await set.advance('61s');
  await set.untilTtlPass();
  expect(await sessions.countDocuments()).toBe(1);
});

test('a pass that never comes is told so', async () => {
  const set = await start({ members: 1, parameters: { ttlMonitorEnabled: false } });
  await expect(set.untilTtlPass({ within: '5m' })).rejects.toThrow(NoTtlPassError);
  await expect(set.untilTtlPass({ within: '5m' })).rejects.toThrow(
    /within 5m of virtual time: ttlMonitorEnabled is off on n1/,
  );
});

test('a flat list parts each member from all others, and those that it does not name are together', async () => {
  const three = await start({ speed: 0 });
  await three.partition(['n1', 'n2']);
  await three.advance('1m');
  expect(three.primary).toBeUndefined();
  const five = await start({ members: 5, speed: 0 });
  await five.partition(['n1', 'n2']);
  expect(['n3', 'n4', 'n5']).toContain(await five.untilPrimary({ other: 'n1' }));
});

test('every fault, and the way back', async () => {
  const set = await start();
  expect(await set.stepDown()).not.toBe('n1');
  await set.kill('primary');
  const second = await set.untilPrimary();
  const down = set.members.find(({ running }) => !running)!.name;
  expect(second).not.toBe(down);
  await set.start(down);
  await set.partition([[second], set.members.map(({ name }) => name).filter((name) => name !== second)]);
  const third = await set.untilPrimary({ other: second });
  expect(third).not.toBe(second);
  await set.heal();
  await set.pause(third);
  expect(set.members.find(({ name }) => name === third)).toMatchObject({ running: true, paused: true });
  await set.resume(third);
  await set.shutdown(third);
  await set.restart({ member: 'secondaries', parameters: { ttlMonitorSleepSecs: 7 } });
  await set.start(third);
  const fourth = await set.untilPrimary();
  await set.link({ from: 'all', to: 'all', latencyMs: [5, 5] });
  await set.cut({ from: 'n1', to: 'n2' });
  await set.heal(['n1', 'n2']);
  await set.hold({ on: 'secondaries', part: 'fetch' });
  await set.release('secondaries');
  await set.disk({ on: 'all', latencyMs: 1 });
  const wallOf = async (member: string) => ((await set.command(member, { hello: 1 })).localTime as Date).getTime();
  const before = await wallOf(fourth);
  await set.clock({ on: fourth, jump: '1h' });
  expect((await wallOf(fourth)) - before).toBeGreaterThanOrEqual(3_600_000);
  expect(await set.command('any', { ping: 1 })).toMatchObject({ ok: 1 });
});

describe('what cannot be done is said', () => {
  const portTwice = (set: ReplicaSet) => start({ members: 1, port: Number(/:(\d+)/.exec(set.members[0]!.host)![1]) });

  test.for<[what: string, act: (set: ReplicaSet) => Promise<unknown>, error: RegExp]>([
    [
      'a word that is misspelt',
      (set) => set.kill('Primary'),
      /^no member is called "Primary": there are n1, n2; did you mean "primary"\?$/,
    ],
    [
      'a port that is taken',
      portTwice,
      /^port \d+ of 127\.0\.0\.1 is taken: choose another, or 0 for one that is free$/,
    ],
    ['an unknown member', (set) => set.kill('n7'), /no member is called "n7": there are n1, n2/],
    ['a part that there is not', (set) => set.hold({ on: 'n1', part: 'all' as 'ttl' }), /hold/],
    ['a start of what runs', (set) => set.start('n1'), /n1 is already running/],
    ['an unknown parameter', (set) => set.restart({ member: 'n2', parameters: { nonsense: 1 } }), /nonsense/],
    ['a command that fails', (set) => set.command('n1', { nonsense: 1 }), /no such command: 'nonsense'/],
    [
      'a command to one that is down',
      (set) => set.kill('n2').then(() => set.command('n2', { ping: 1 })),
      /connection refused/,
    ],
    ['a duration', (set) => set.untilPrimary({ within: 'long' }), /within must be a duration/],
  ])('%s', async ([, act, error]) => {
    const set = await start({ members: 2 });
    await expect(act(set)).rejects.toThrow(error);
    await expect(set.command('n1', { ping: 1 })).resolves.toMatchObject({ ok: 1 });
  });

  test('who is asked why there is no primary', async () => {
    const set = await start();
    await set.kill(['n2', 'n3']);
    await set.advance('30s');
    const waiting = set.untilPrimary({ within: '1m' });
    await expect(waiting).rejects.toThrow(NoPrimaryError);
    await expect(waiting).rejects.toThrow(
      /no primary within 1m of virtual time\n {2}n1: SECONDARY in term 1, cannot reach/,
    );
    await expect(waiting).rejects.toThrow(/n2: is not running/);
  });

  test('a primary that was not meant', async () => {
    const set = await start({ members: 1 });
    await expect(set.untilPrimary({ other: 'n1', within: '1m' })).rejects.toThrow(/no primary other than n1/);
  });

  test('a config that mongod would refuse when it is initiated', async () => {
    const settings = { getLastErrorModes: { far: { dc: 2 } } };
    await expect(start({ settings })).rejects.toThrow(
      /settings\.getLastErrorModes\.far\.dc: no member has the tag "dc"/,
    );
  });
});

test('a fault in the middle of a jump happens there', async () => {
  const set = await start();
  const jump = set.advance('20m');
  const killed = set.kill('n3');
  await killed;
  expect(set.members.map(({ running }) => running)).toEqual([true, true, false]);
  await jump;
  expect(set.primary).toBeDefined();
});

test('stopping twice, in the middle of a jump, and what comes after', async () => {
  const set = await start();
  await connect(set);
  const jump = set.advance('365d');
  const refused = expect(jump).rejects.toThrow(SetStoppedError);
  await Promise.all([set.stop(), set.stop()]);
  await refused;
  await expect(set.advance('1s')).rejects.toThrow(SetStoppedError);
  await expect(set.kill('n1')).rejects.toThrow(SetStoppedError);
  await expect(set.untilPrimary()).rejects.toThrow(SetStoppedError);
  await expect(set.command('n1', { ping: 1 })).rejects.toThrow(SetStoppedError);
});

test('a set is stopped where it goes out of scope', async () => {
  const set = await start({ members: 1 });
  await set[Symbol.asyncDispose]();
  await expect(set.advance(1)).rejects.toThrow(SetStoppedError);
});

// Of some V8 has no such line: they waited for their turn, or are deeper in the set than it keeps lines.
test.for<[what: string, ask: (set: ReplicaSet) => Promise<unknown>]>([
  ['a jump, begun after another', (set) => set.advance('1s')],
  ['a fault', (set) => set.kill('n4')],
  ['a wait', (set) => set.untilPrimary({ within: 0 })],
  ['a command', (set) => set.command('n1', { nonsense: 1 })],
])('an error leads to the line that asked: %s', async ([, ask]) => {
  const set = await ReplicaSet.start({ members: 1 });
  await set.stop();
  const { stackTraceLimit } = Error;
  for (const limit of [3, stackTraceLimit]) {
    Error.stackTraceLimit = limit;
    const { stack } = (await ask(set).catch((error: unknown) => error)) as Error;
    Error.stackTraceLimit = stackTraceLimit;
    const lines = stack!.split('\n').filter((line) => line.startsWith('    at '));
    expect(lines).toContainEqual(expect.stringMatching(/replicaSet\.test\.ts/));
    expect(lines).toEqual([...new Set(lines)]);
  }
});

describe('a scenario file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'replsim-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const head = 'name: a\nreplicaSet: {members: [a, b, c], name: orders}\nseed: 5\nepoch: 2031-05-06T07:08:09Z\n';

  test('its set is there, and its steps are done', async () => {
    const set = await start({
      speed: 0,
      scenario: file(
        'good.yaml',
        `${head}steps:
  - eventually: {within: 30s, primary: any}
  - insert: {into: app.items, documents: [{_id: 1}, {_id: 2}], writeConcern: {w: 3}}
  - kill: primary
  - eventually: {within: 60s, primary: any}
  - advance: 1h
  - expect: {on: primary, count: app.items, is: 2}
`,
      ),
    });
    expect([set.seed, set.name]).toEqual([5, 'orders']);
    expect(set.now().getTime()).toBeGreaterThan(Date.parse('2031-05-06T08:08:09Z'));
    expect(set.members.map(({ running }) => running).sort()).toEqual([false, true, true]);
    const client = await connect(set);
    expect(await client.db('app').collection('items').countDocuments()).toBe(2);
    await client.db('app').collection('items').insertOne({ at: set.now() });
  });

  test('a step that fails is shown with its line', async () => {
    const scenario = file('failing.yaml', `${head}steps:\n  - advance: 20s\n  - expect: {primary: none}\n`);
    const starting = start({ scenario });
    await expect(starting).rejects.toThrow(ScenarioFailed);
    await expect(starting).rejects.toThrow(/failing\.yaml, step 2, line 7: expect/);
  });

  test('what the file says is not said twice', async () => {
    const scenario = file('twice.yaml', `${head}steps:\n  - advance: 20s\n`);
    await expect(start({ scenario, members: 3 })).rejects.toThrow(/members: the scenario file says that/);
    const set = await start({ scenario, name: 'other', epoch: '2032-01-01', parameters: { ttlMonitorSleepSecs: 9 } });
    expect(set.name).toBe('other');
    expect(set.now().getUTCFullYear()).toBe(2032);
    expect(await set.command('b', { getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
      ttlMonitorSleepSecs: 9,
    });
  });

  test('a file that is not there, and one with mistakes', async () => {
    await expect(start({ scenario: join(dir, 'none.yaml') })).rejects.toThrow(InvalidOptions);
    await expect(start({ scenario: file('bad.yaml', `${head}stepz: []\n`) })).rejects.toThrow(/bad\.yaml:5:1/);
  });
});

test('what is lost of a folder of data is warned of, and all of it is not given up silently', async () => {
  const dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
  const warnings: (Error & { code?: string })[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  try {
    await (await start({ dbpath })).stop();
    rmSync(join(dbpath, 'n1'), { recursive: true });
    await (await start({ dbpath })).stop();
    expect(warnings).toMatchObject([
      { code: 'REPLSIM_DATA_LOST', message: expect.stringMatching(/^n1 starts on less/) },
    ]);
    for (const name of ['n1', 'n2', 'n3']) rmSync(join(dbpath, name), { recursive: true });
    await expect(start({ dbpath })).rejects.toThrow(DataGoneError);
    await (await start({ dbpath, acceptEmpty: true })).stop();
  } finally {
    process.off('warning', onWarning);
    rmSync(dbpath, { recursive: true, force: true });
  }
});

test('a folder of data outlives the set, until it is cleaned up', async () => {
  const dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
  try {
    const first = await start({ dbPath: dbpath, members: 1 });
    await (await connect(first)).db('app').collection<{ _id: number }>('items').insertOne({ _id: 1 });
    const { uri } = first;
    await opened.splice(0).at(-1)!.close();
    await first.stop();
    const again = await start({ dbpath });
    expect(again.uri).toBe(uri);
    expect(again.members).toHaveLength(1);
    const items = (await connect(again)).db('app').collection('items');
    expect(await items.countDocuments()).toBe(1);
    await opened.splice(0).at(-1)!.close();
    await again.stop({ force: true });
    expect(() => rmSync(dbpath, { recursive: true })).toThrow(/ENOENT/);
  } finally {
    rmSync(dbpath, { recursive: true, force: true });
  }
});

describe('a recording', () => {
  const dir = mkdtempSync(join(tmpdir(), 'replsim-'));
  const run = (file: string) => main(['run', file], { out: () => {}, err: () => {}, colours: false, progress: false });

  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('is written over an earlier one, and over nothing else', async () => {
    const record = join(dir, 'again.yaml');
    for (const seed of [1, 2]) {
      await (await start({ members: 1, record, seed })).stop();
      expect(readFileSync(record, 'utf8')).toMatch(new RegExp(`^seed: ${seed}$`, 'm'));
    }
    const notes = join(dir, 'notes.yaml');
    writeFileSync(notes, 'name: mine\n');
    await expect(start({ members: 1, record: notes })).rejects.toThrow(
      /^ReplicaSet\.start: record: .*notes\.yaml already exists and is not a recording: choose another name/,
    );
    expect(readFileSync(notes, 'utf8')).toBe('name: mine\n');
  });

  test('is of one set: another is refused until that one has stopped', async () => {
    const record = join(dir, 'one.yaml');
    const first = await start({ members: 1, record });
    const second = () => start({ members: 1, record });
    const refusal = new RegExp(`record: process ${process.pid} still records a set to .*one\\.yaml: stop it`);
    await expect(second()).rejects.toThrow(refusal);
    await first.command('n1', { ping: 1 });
    await expect(second()).rejects.toThrow(refusal);
    await first.stop();
    await (await second()).stop();
    // Of one that was killed no end is there, and nobody who would write it.
    const text = readFileSync(record, 'utf8');
    writeFileSync(record, text.replace(/Process \d+/, 'Process 999999999').replace(/.*\n$/, ''));
    await second();
    expect(await run(record)).toBe(0);
  });

  test('makes the same run again', async () => {
    const record = join(dir, 'recorded.yaml');
    const set = await start({ record, seed: 9 });
    const items = (await connect(set)).db('app').collection<{ _id: number; at: Date }>('items');
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await items.insertMany([1, 2, 3].map((_id) => ({ _id, at: set.now() })));
    await set.kill('primary');
    const primary = await set.untilPrimary();
    await items.insertOne({ _id: 4, at: new Date(set.now().getTime() + 3_600_000) });
    await set.advance('61s');
    await set.untilTtlPass();
    expect(await items.countDocuments()).toBe(1);
    for (const each of opened.splice(0).reverse()) await each.close();
    const recorded = readFileSync(record, 'utf8');
    expect(recorded).toContain('Recorded in a test, seed 9');
    const expecting = (left: number) => {
      const file = join(dir, `expecting-${left}.yaml`);
      writeFileSync(
        file,
        `${recorded}  - expect: {primary: ${primary}}\n  - expect: {on: primary, count: app.items, is: ${left}}\n`,
      );
      return file;
    };
    expect(await run(expecting(1))).toBe(0);
    expect(await run(expecting(4))).toBe(1);
  });

  test('is there when the set does not start', async () => {
    const record = join(dir, 'failed.yaml');
    await expect(start({ record, settings: { electionTimeoutMillis: 600_000 } })).rejects.toThrow(NoPrimaryError);
    expect(await run(record)).toBe(0);
  });

  test('cannot be made of everything', async () => {
    const scenario = join(dir, 'set.yaml');
    writeFileSync(scenario, 'name: a set\nreplicaSet: { members: 1 }\nsteps: [{ advance: 20s }]\n');
    await expect(start({ record: join(dir, 'r.yaml'), scenario })).rejects.toThrow(
      /record: the steps of a scenario cannot be recorded; /,
    );
    await expect(start({ record: join(dir, 'r.yaml'), dbpath: dir })).rejects.toThrow(
      /record: a recording begins from nothing/,
    );
    await expect(start({ record: join(dir, 'none/r.yaml') })).rejects.toThrow(
      /record: cannot write .*: there is no folder .*none; create it first/,
    );
  });
});

test('onProcess hears of each process that ends, and how, and that starts; stop() shuts down the rest', async () => {
  const set = await ReplicaSet.start({ members: ['n1', 'n2', 'n3'], speed: 0 });
  const heard: string[] = [];
  set.onProcess((name, how) => heard.push(`${name} ${how ?? 'started'}`));
  expect(() => set.onProcess('n1' as never)).toThrow('onProcess takes a function');
  await set.kill('n2');
  await set.start('n2');
  await set.shutdown('n3');
  await set.stop();
  expect(heard).toEqual(['n2 killed', 'n2 started', 'n3 shutdown', 'n1 shutdown', 'n2 shutdown']);
});
