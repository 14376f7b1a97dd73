import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  DataGoneError,
  DbpathInUseError,
  DbpathMismatchError,
  lossText,
  PortTakenError,
  readSavedSet,
  ServedSet,
  type ServeOptions,
  SetStoppedError,
} from '../src/index.ts';

let dbpath: string;
const started: ServedSet[] = [];

beforeEach(() => {
  dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
});

afterEach(async () => {
  for (const served of started.splice(0)) await served.stop();
  rmSync(dbpath, { recursive: true });
});

async function start(options: ServeOptions = {}): Promise<ServedSet> {
  const known = existsSync(join(dbpath, 'replsim.json'));
  const served = await ServedSet.start({ dbpath, ...(!known && { members: 1 }), ...options });
  started.push(served);
  return served;
}

test('a set that cannot write down what it is lets go of its data and its ports', async () => {
  const before = await start();
  const [{ port }] = saved().members;
  await before.stop();
  rmSync(dbpath, { recursive: true });
  const obstacle = join(dbpath, 'replsim.json.new');
  mkdirSync(obstacle, { recursive: true });
  await expect(start({ port })).rejects.toThrow('EISDIR');
  rmdirSync(obstacle);
  // LevelDB would say that somebody holds the folder, and the system that the port is taken.
  expect((await start({ port })).uri).toBe(before.uri);
});

/** Without the checksum, as somebody would edit it. */
function saved() {
  const { checksum, ...rest } = JSON.parse(readFileSync(join(dbpath, 'replsim.json'), 'utf8'));
  expect(checksum).toMatch(/^[\da-f]{16}$/);
  return rest;
}

async function items<Result>(served: ServedSet, use: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = new MongoClient(served.uri);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

test('a set that is started again has its ports, its data, and a clock that goes on', async () => {
  const first = await start({ members: 3, setName: 'orders' });
  await items(first, (client) =>
    client
      .db('app')
      .collection('items')
      .insertOne({ name: 'lamp' }, { writeConcern: { w: 'majority' } }),
  );
  await first.advance(600_000_000);
  const { uri, wallMs } = first;
  await first.stop();

  // Nothing but the folder is named: the members, their ports and the set's name are as they were.
  const again = await start();
  expect(again.uri).toBe(uri);
  expect(again.set.memberNames).toEqual(['n1', 'n2', 'n3']);
  expect(again.wallMs).toBeGreaterThanOrEqual(wallMs);
  expect(await items(again, (client) => client.db('app').collection('items').countDocuments())).toBe(1);
});

test('what the folder remembers of the clock is ahead of it at every moment, and exact after a stop', async () => {
  const served = await start({ speed: 0 });
  expect(saved().wallMs).toBeGreaterThanOrEqual(served.wallMs);
  let behind = 0;
  const look = () => {
    if (saved().wallMs < served.set.epochMs + served.set.nowMicros / 1000) behind++;
    return false;
  };
  await served.pacer.reach(look, 300_000_000);
  expect(behind).toBe(0);
  expect(saved().pid).toBe(process.pid);
  await served.stop();
  expect(saved().wallMs - served.wallMs).toBeLessThanOrEqual(1);
  expect(saved().pid).toBeUndefined();
});

describe('what the folder remembers of how much the members had', () => {
  test('is there as soon as they have something', async () => {
    const served = await start({ speed: 0 });
    // At speed 0 little but the start itself has happened: no minute has gone by.
    await served.command('n1', { ping: 1 });
    expect(saved().members).toEqual([{ name: 'n1', port: expect.any(Number), durable: expect.anything() }]);
  });

  test('is as it was at the end, of members that were killed too', async () => {
    const served = await start({ members: 3, speed: 0 });
    await served.act({ type: 'kill', member: 'n3' });
    const reached = served.set.durable('n3');
    expect(reached!.t).toBe(1);
    await served.advance(120_000_000);
    await served.stop();
    expect(saved().members[2]).toMatchObject({ name: 'n3', durable: reached });
    expect(saved().members[0].durable.ts.t).toBeGreaterThan(reached!.ts.t);
  });

  test('tells who starts on less', async () => {
    await (await start()).stop();
    const { members, ...rest } = saved();
    const had = { ts: { t: members[0].durable.ts.t + 10, i: 1 }, t: 1 };
    writeFileSync(
      join(dbpath, 'replsim.json'),
      JSON.stringify({ ...rest, members: [{ ...members[0], durable: had }] }),
    );
    // Nobody else has what it had.
    await expect(start()).rejects.toThrow(
      /^acknowledged writes are missing under .*: a majority had data up to .*, and now none of n1 reaches further than .*--accept-empty/,
    );
    const again = await start({ acceptEmpty: true });
    expect(again.losses).toEqual([{ member: 'n1', had, has: members[0].durable }]);
    expect(lossText(again.losses[0]!)).toMatch(
      /^n1 starts on less than it had: its data reached up to .* now they reach/,
    );
    await again.stop();
    expect((await start()).losses).toEqual([]);
  });
});

describe('options that contradict the data', () => {
  test.for<[what: string, options: ServeOptions, error: RegExp]>([
    ['another name', { setName: 'rs1' }, /the set is called rs0, not rs1/],
    ['another number of members', { members: 3 }, /its members are n1, not n1, n2, n3/],
    ['other members', { members: [{ name: 'a' }] }, /its members are n1, not a/],
    ['another port', { port: 1 }, /the port of n1 is \d+, not 1/],
    ['another address', { ip: '::1' }, /its members listen on 127\.0\.0\.1, not ::1/],
  ])('%s', async ([, options, error]) => {
    await (await start()).stop();
    const starting = start(options);
    await expect(starting).rejects.toThrow(error);
    await expect(starting).rejects.toBeInstanceOf(DbpathMismatchError);
  });

  test('what agrees with them may be said again', async () => {
    const first = await start();
    await first.stop();
    const [{ port }] = saved().members;
    const again = await start({ setName: 'rs0', members: 1, port, ip: '127.0.0.1' });
    expect(again.uri).toBe(first.uri);
  });

  test('localhost is 127.0.0.1, in options as in data', async () => {
    const first = await start({ ip: 'localhost' });
    await first.stop();
    expect(saved().ip).toBe('127.0.0.1');
    await (await start({ ip: '127.0.0.1' })).stop();
    await (await start({ ip: 'localhost' })).stop();
    // As earlier versions wrote it.
    writeFileSync(join(dbpath, 'replsim.json'), JSON.stringify({ ...saved(), ip: 'localhost' }));
    expect((await start({ ip: '127.0.0.1' })).uri).toBe(first.uri);
  });

  test('spares may join later', async () => {
    const first = await start();
    await first.stop();
    const again = await start({ spares: 1 });
    expect(again.uri).toBe(first.uri);
    expect(again.set.memberNames).toEqual(['n1', 'n2']);
  });

  const member = { name: 'n1', port: 0 };
  const set = { format: 1, setName: 'rs0', ip: '127.0.0.1', members: [member], wallMs: 0 };
  test.for([
    [
      '{',
      /replsim\.json is not a file that replsim wrote \(.*JSON.*\): put back a copy of it, or choose another dbpath$/,
    ],
    ['[]', /replsim\.json is not a file that replsim wrote \([^\n]*$/],
    [
      JSON.stringify({ ...set, format: 2 }),
      /in format 2, and this replsim reads only format 1: use the one that wrote it/,
    ],
    [JSON.stringify({ ...set, members: [] }), /not a file that replsim wrote \(members: [^\n]*$/],
    [JSON.stringify({ ...set, members: [member, member] }), /members: two members have the same name or port/],
    [JSON.stringify({ ...set, members: [{ ...member, port: -1 }] }), /members\.0\.port: /],
    [JSON.stringify({ ...set, wallMs: 9e15 }), /wallMs: /],
    [JSON.stringify({ ...set, checksum: '0' }), /replsim\.json is damaged \(its checksum is wrong\): put back a copy/],
    // Else files would be written outside of the folder.
    ...['../x', '..', '/tmp/x', 'a/b', ''].map(
      (name) =>
        [
          JSON.stringify({ ...set, members: [{ ...member, name }] }),
          /members\.0\.name: a member's name is made of letters, digits/,
        ] as const,
    ),
  ] as const)('a file that is none of ours: %s', async ([text, message]) => {
    writeFileSync(join(dbpath, 'replsim.json'), text);
    const starting = start();
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toBeInstanceOf(DbpathMismatchError);
    expect(readdirSync(dbpath)).toEqual(['replsim.json']);
  });
});

describe('one flipped bit of the file', () => {
  test('is reported with its name, or changes nothing', async () => {
    await (await start()).stop();
    const file = join(dbpath, 'replsim.json');
    const sound = readFileSync(file);
    const before = readSavedSet(dbpath);
    for (let at = 0; at < sound.length; at++) {
      writeFileSync(
        file,
        sound.map((byte, i) => (i === at ? byte ^ 1 : byte)),
      );
      let read: object | undefined;
      try {
        read = readSavedSet(dbpath);
      } catch (error) {
        expect((error as Error).message).toContain(file);
        continue;
      }
      // The word "checksum" itself.
      expect({ ...before, ...read }).toEqual(before);
    }
  });
});

test('a folder with data whose set nobody remembers', async () => {
  await (await start()).stop();
  rmSync(join(dbpath, 'replsim.json'));
  for (const options of [{}, { acceptEmpty: true }, { initiate: false }])
    await expect(start(options)).rejects.toThrow(
      /replsim\.json is missing, though there are data of n1: put back a copy of it, write it anew \(docs\/serve\.md, "If a set refuses to start"\)/,
    );
});

test('a majority that has lost its newest writes is missed, one member is not', async () => {
  await (await start({ members: 3, speed: 0 })).stop();
  const { members, ...rest } = saved();
  const { ts, t } = members[0].durable;
  const later = (member: object) => ({ ...member, durable: { ts: { t: ts.t + 10, i: 1 }, t } });
  const put = (...these: object[]) =>
    writeFileSync(join(dbpath, 'replsim.json'), JSON.stringify({ ...rest, members: these }));
  put(later(members[0]), later(members[1]), members[2]);
  await expect(start()).rejects.toThrow(DataGoneError);
  put(later(members[0]), members[1], members[2]);
  expect((await start()).losses.map(({ member }) => member)).toEqual(['n1']);
});

test('data that somebody holds are not taken', async () => {
  await start();
  await expect(start()).rejects.toThrow(DbpathInUseError);
  await expect(start()).rejects.toThrow(/another set of this process holds/);
});

test('data whose set is moved to other ports are still held by their lock', async () => {
  await start();
  writeFileSync(join(dbpath, 'replsim.json'), JSON.stringify({ ...saved(), members: [{ name: 'n1', port: 0 }] }));
  await expect(start()).rejects.toThrow(DbpathInUseError);
});

test('a port that a stranger has taken meanwhile is named', async () => {
  const served = await start();
  await served.stop();
  const [{ port }] = saved().members;
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  try {
    await expect(start()).rejects.toThrow(PortTakenError);
  } finally {
    stranger.close();
  }
});

test('a clock outside that was put back does not put the data back', async () => {
  const first = await start({ epochMs: Date.parse('2030-01-01') });
  const { wallMs } = first;
  await first.stop();
  expect((await start({ epochMs: Date.parse('2026-01-01') })).wallMs).toBeGreaterThanOrEqual(wallMs);
});

test('time that has been shown but in which nothing was due is not shown twice', async () => {
  const first = await start({ epochMs: Date.parse('2030-01-01') });
  // The set itself has not moved meanwhile: it does when an event is due or a client asks.
  while (first.pacer.nowMicros - first.set.nowMicros < 5_000);
  const { wallMs } = first;
  await first.stop();
  expect(first.wallMs).toBeGreaterThanOrEqual(wallMs);
  expect(saved().wallMs).toBeGreaterThanOrEqual(wallMs);
});

test('whoever waits for a set that is stopped is told so', async () => {
  const served = await start({ speed: 0 });
  const waiting = [served.advance(1e15), served.untilTtlPass(1e15)];
  const told = Promise.all(waiting.map((each) => expect(each).rejects.toThrow(SetStoppedError)));
  await served.stop();
  await told;
  await expect(served.act({ type: 'kill', member: 'n1' })).rejects.toThrow(SetStoppedError);
  await expect(served.advance(1)).rejects.toThrow(SetStoppedError);
});

describe('what one member alone has in its journal outlasts the end of all of them', () => {
  test.for([1, 2, 3, 4].flatMap((seed) => [0, 1].map((spares) => [seed, spares] as const)))(
    'seed %i, spares: %i',
    async ([seed, spares]) => {
      // With chaining the others could fetch the write before any election.
      const first = await start({ members: 3, spares, seed, speed: 0, settings: { chainingAllowed: false } });
      const newest = first.primary!;
      const insert = (_id: number, writeConcern: object) =>
        first.command(newest, { insert: 'items', documents: [{ _id }], writeConcern, $db: 'app' });
      expect(await insert(1, { w: 3, j: true })).toMatchObject({ ok: 1, n: 1 });
      // Each has a checkpoint to begin with.
      await first.advance(130_000_000);
      for (const name of ['n1', 'n2', 'n3']) await first.act({ type: 'hold', member: name, part: 'fetch' });
      expect(await insert(2, { w: 1, j: true })).toMatchObject({ ok: 1, n: 1 });
      // No clean shutdown.
      await first.stop();

      const again = await start({ seed: seed + 10, speed: 0 });
      expect(again.primary).toBe(newest);
      // None had to wait for its election timeout.
      expect(again.set.nowMicros).toBeLessThan(9_000_000);
      expect(await again.command(newest, { count: 'items', $db: 'app' })).toMatchObject({ n: 2 });
    },
  );
});
