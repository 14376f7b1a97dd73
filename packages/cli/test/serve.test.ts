import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvariantError } from '@replsim/protocol';
import { diskErrorOf } from '@replsim/replset';
import { ServedSet } from '@replsim/server';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';
import { serve, serveWith } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One direct client, closed afterwards. */
async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The address of one member. */
function direct(uri: string, index: number): string {
  const host = uri.replace('mongodb://', '').split('/')[0]!.split(',')[index];
  return `mongodb://${host}/?directConnection=true`;
}

test('what rs.conf() printed is served at ports of this machine, and its members keep their names', async () => {
  const file = join(folder, 'conf.js');
  writeFileSync(
    file,
    `shop [direct: primary] test> rs.conf()
{ _id: 'shop', version: 3, term: 2, members: [
  { _id: 0, host: 'store-a.example.org:27017', priority: 5, secondaryDelaySecs: Long('0') },
  { _id: 1, host: 'store-b.example.org:27017', tags: { use: 'reports' } } ], settings: { electionTimeoutMillis: 4000 } }
`,
  );
  const serving = await serve('--port', '0', '--speed', '0', '--replset-config', file);
  expect(serving.err()).toContain('store-a stands for store-a.example.org:27017');
  expect(serving.err()).toContain('not used: version 3 and term 2');
  await withClient(direct(serving.uri, 0), async (client) => {
    const { config } = await client.db('admin').command({ replSetGetConfig: 1 });
    expect(config).toMatchObject({ _id: 'shop', settings: { electionTimeoutMillis: 4000 } });
    expect(config.members).toMatchObject([{ priority: 5 }, { tags: { use: 'reports' } }]);
  });
  await serving.interrupt();
});

test.for([
  [['--members', '3'], 'so does --members'],
  [['--config', 'set.yaml'], 'so does --config'],
] as const)('--replset-config with %j is refused', async ([given, said]) => {
  const io = testIo();
  const config = join(folder, 'set.yaml');
  writeFileSync(config, 'replicaSet: { members: 3 }\n');
  const args = given.map((each) => (each === 'set.yaml' ? config : each));
  expect(await main(['serve', '--replset-config', 'conf.js', ...args], io)).toBe(2);
  expect(io.stderr).toContain(said);
});

test('it says where it is, then a line an event; Ctrl-C shuts the members down, and nothing is left', async () => {
  const serving = await serve('--port', '0', '--seed', '1');
  const [uri, members, loopback, faults, first] = serving.out().split('\n');
  expect(uri).toBe(serving.uri);
  expect(members).toMatch(/^n1 127\.0\.0\.1:\d+, n2 127\.0\.0\.1:\d+, n3 127\.0\.0\.1:\d+$/);
  expect(loopback).toBe('on loopback only, without access control; seed 1, speed 1');
  expect(faults).toContain(`mongosh "${uri}&readPreference=nearest"`);
  expect(first).toBe('    0.000s rs0: n1, n2, n3; mongod 8.0, seed 1');
  expect(serving.out()).toContain('ready: n1 is primary');
  expect(await serving.interrupt()).toBe(0);
  expect(serving.err()).toBe('shutting down\n');
  expect(serving.out().match(/has shut down/g)).toHaveLength(3);
  const gone = new MongoClient(direct(serving.uri, 0), { serverSelectionTimeoutMS: 1 });
  await expect(gone.connect()).rejects.toThrow();
  await gone.close();
});

// The README shows the lines; ports are whatever is free here.
test('with a key file it says how to make the first user, and offers nobody what would be refused', async () => {
  const key = join(folder, 'key');
  writeFileSync(key, 'c2VjcmV0', { mode: 0o600 });
  const served = await serve('--port', '0', '--keyFile', key);
  await vi.waitFor(() => expect(served.out()).toContain('createUser({ user: "root"'));
  const codeOf = (db: string, command: object) =>
    withClient(served.uri, (client) =>
      client
        .db(db)
        .command(command)
        .then(
          () => 0,
          ({ code }) => code as number,
        ),
    );
  const create = (user: string) => ({ createUser: user, pwd: 'secret', roles: ['root'] });
  // The localhost exception lets a client of this machine make the first user, and ask for the set; nothing else, and nobody after that.
  expect(await codeOf('admin', { replSetGetStatus: 1 })).toBe(0);
  expect(await codeOf('app', { find: 'c' })).toBe(13);
  expect(await codeOf('app', create('elsewhere'))).toBe(13);
  expect(await codeOf('admin', create('root'))).toBe(0);
  expect(await codeOf('admin', create('another'))).toBe(13);
  expect(await codeOf('admin', { replSetGetStatus: 1 })).toBe(13);
  await served.interrupt();
  expect(served.out()).toContain('on loopback only, with access control');
  expect(served.out()).toMatch(/^faults: log in as a user with a role such as hostManager, then db\.adminCommand/m);
});

test('the README shows how it begins', async () => {
  const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');
  const [, shown] = /<!-- serve -->\n+```text\n([\s\S]*?)\n```/.exec(readme)!;
  const serving = await serve('--port', '0');
  const ports = [...serving.uri.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port!);
  await serving.interrupt();
  const said = ports.reduce((text, port, i) => text.replaceAll(`:${port}`, `:${27017 + i}`), serving.out());
  const [head, ...parts] = shown!.split('\n…\n');
  expect(said.startsWith(`${head}\n`)).toBe(true);
  expect(parts).toHaveLength(3);
  for (const part of parts) expect(said).toContain(`\n${part}\n`);
});

describe('at the end it says what clients were told of their writes', () => {
  const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } };

  /** n1 is cut off, acknowledges a write, and the others elect another. */
  async function loseOne(uri: string): Promise<void> {
    await withClient(direct(uri, 0), async (client) => {
      const admin = client.db('admin');
      await admin.command({ replsimFault: { partition: [['primary'], ['secondaries']] } });
      await client.db('app').command(insert);
      await admin.command({ replsimUntilPrimary: 1, other: 'n1' });
    });
  }

  test('nothing is lost', async () => {
    const serving = await serve('--port', '0', '--seed', '1', '--quiet');
    await withClient(direct(serving.uri, 0), (client) => client.db('app').command(insert));
    expect(await serving.interrupt()).toBe(0);
    expect(serving.out().trim().split('\n').at(-1)).toBe('acknowledged writes: 1, none of them lost');
  });

  test('a write is lost', async () => {
    const serving = await serve('--port', '0', '--seed', '1', '--quiet');
    await loseOne(serving.uri);
    expect(await serving.interrupt()).toBe(0);
    const [numbers, loss] = serving.out().trim().split('\n').slice(-2);
    expect(numbers).toBe('acknowledged writes: 1, 1 of them lost');
    expect(loss).toMatch(
      /^lost: 1 × insert app\.c, acknowledged by n1 with \{ w: 1 \} at \S+Z; n[23], elected in term 2 at \S+Z, did not have it; \{ w: "majority" \} would have kept it$/,
    );
  });

  test('with --json', async () => {
    const serving = await serve('--port', '0', '--seed', '1', '--json');
    await loseOne(serving.uri);
    await serving.interrupt();
    const lines = serving.out().trim().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      type: 'ledger',
      acknowledged: 1,
      lost: [{ ids: [1], member: 'n1' }],
    });
  });

  test.for(['--quiet', '--json'])(
    '--no-ledger: nothing, and no claim that nothing is lost, with %s',
    async (format) => {
      const serving = await serve('--port', '0', '--seed', '1', '--quiet', '--no-ledger', format);
      await withClient(direct(serving.uri, 0), async (client) => {
        await client.db('app').command(insert);
        await expect(client.db('admin').command({ replsimLedger: 1 })).rejects.toMatchObject({
          code: 20,
          message: expect.stringMatching(
            /the ledger .* is turned off .*--no-ledger.*; leave that option out and run again/,
          ),
        });
      });
      expect(await serving.interrupt()).toBe(0);
      expect(serving.out()).not.toMatch(/ledger|acknowledged writes/);
    },
  );

  test('a trace tells of each acknowledged write once', async () => {
    const trace = join(folder, 'acknowledged.jsonl');
    const serving = await serve('--port', '0', '--seed', '1', '--quiet', '--trace', trace);
    await withClient(direct(serving.uri, 0), async (client) => {
      const collection = client.db('app').collection<{ _id: number }>('c');
      await collection.insertOne({ _id: 1 });
      await collection.insertMany([{ _id: 2 }, { _id: 3 }, { _id: 4 }]);
      await collection.updateOne({ _id: 1 }, { $set: { n: 1 } });
      await collection.updateOne({ _id: 9 }, { $set: { n: 1 } });
    });
    await serving.interrupt();
    const events = readFileSync(trace, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = events.filter(({ type }) => type === 'clientWrote');
    expect(told.map(({ name, documents }) => [name, documents])).toEqual([
      ['insert', 1],
      ['insert', 3],
      ['update', 1],
    ]);
    expect(new Set(told.map(({ opTime }) => JSON.stringify(opTime))).size).toBe(told.length);
  });
});

test('with --json every line is an event, or where it is', async () => {
  const serving = await serve('--port', '0', '--json', '--members', '1', '--replSet', 'orders');
  await serving.interrupt();
  const lines = serving
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ type: 'serving', uri: serving.uri, setName: 'orders', members: [{ name: 'n1' }] });
  expect(lines.filter(({ type }) => type === 'ready')).toEqual([{ type: 'ready', primary: 'n1' }]);
  expect(lines.some(({ type }) => type === 'runStarted')).toBe(true);
});

test('with --quiet there is no line an event', async () => {
  const serving = await serve('--port', '0', '--quiet');
  expect(serving.out().trim().split('\n')).toHaveLength(6);
  await serving.interrupt();
});

test('--version, --setParameter and --speed reach the members', async () => {
  const serving = await serve(
    '--port',
    '0',
    '--version',
    '7.0',
    '--setParameter',
    'ttlMonitorSleepSecs=7',
    '--speed',
    '0',
  );
  await withClient(serving.uri, async (client) => {
    const admin = client.db('admin');
    expect(await admin.command({ buildInfo: 1 })).toMatchObject({ version: expect.stringMatching(/^7\.0\./) });
    expect(await admin.command({ getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({ ttlMonitorSleepSecs: 7 });
  });
  expect(serving.out()).toContain('speed 0');
  await serving.interrupt();
});

test('--no-initiate leaves it to rs.initiate(), --spares to rs.add()', async () => {
  const bare = await serve('--port', '0', '--no-initiate', '--members', '1');
  expect(bare.out()).toContain('ready: nobody has initiated the set');
  await withClient(direct(bare.uri, 0), async (client) => {
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isreplicaset: true });
    expect(await client.db('admin').command({ replSetInitiate: {} })).toMatchObject({ ok: 1 });
  });
  await bare.interrupt();
  const spare = await serve('--port', '0', '--spares', '1');
  expect(spare.out()).toMatch(/^n1 \S+, n2 \S+, n3 \S+, n4 \S+$/m);
  expect(spare.uri.split(',')).toHaveLength(3);
  await spare.interrupt();
});

test('--config takes the set of a scenario file, which the command line overrides', async () => {
  const file = join(folder, 'set.yaml');
  writeFileSync(
    file,
    `name: a set
seed: 9
version: "7.0"
parameters: { ttlMonitorSleepSecs: 5 }
replicaSet: { name: shop, members: [a, { name: b, priority: 0 }] }
steps: [{ advance: 1s }]
`,
  );
  for (const [args, seed] of [
    [[], 9],
    [['--seed', '3'], 3],
  ] as const) {
    const serving = await serve('--port', '0', '--speed', '0', '--config', file, ...args);
    expect(serving.out()).toMatch(new RegExp(`^ +0\\.000s shop: a, b; mongod 7\\.0, seed ${seed}$`, 'm'));
    expect(serving.out()).toContain('ready: a is primary');
    await withClient(serving.uri, async (client) => {
      const nowMicros = async () => (await client.db('admin').command({ replsimStatus: 1 })).nowMicros;
      const before = await nowMicros();
      await client
        .db('app')
        .collection('a')
        .insertOne({}, { writeConcern: { w: 'majority' } });
      // Links and disks are those of a scenario.
      expect((await nowMicros()) - before).toBeGreaterThan(5000);
    });
    await serving.interrupt();
  }
});

test('--config says that the users of a scenario file are not created', async () => {
  const file = join(folder, 'users.yaml');
  writeFileSync(
    file,
    `name: a set
replicaSet: { members: [a], keyFile: theSharedKey }
users: [{ user: alice, roles: [read] }]
steps: [{ advance: 1s }]
`,
  );
  const serving = await serve('--port', '0', '--config', file);
  expect(serving.err()).toContain(`without effect: "users" of ${file}: create them with createUser`);
  await serving.interrupt();
});

test('a bug of ours is told as one, also where it comes up during Ctrl-C', async () => {
  const open = vi.spyOn(ServedSet, 'open');
  const serving = await serve('--port', '0', '--quiet', '--seed', '4');
  const served = await (open.mock.results[0]!.value as Promise<ServedSet>);
  open.mockRestore();
  const act = served.act.bind(served);
  // The first thing that a clean stop does.
  vi.spyOn(served, 'act').mockImplementationOnce((action) => {
    served.pacer.input(() => {
      throw new InvariantError('two primaries');
    });
    return act(action);
  });
  expect(await serving.interrupt()).toBe(3);
  expect(serving.err()).toContain('this is a bug in replsim, with seed 4\n');
  expect(serving.err()).toContain('two primaries');
});

test('a set whose last member was killed waits for Ctrl-C, and its recording has an end', async () => {
  const recording = join(folder, 'killed.yaml');
  writeFileSync(recording, 'of another time');
  const serving = await serve(
    ...['--port', '0', '--members', '1', '--speed', '0', '--quiet', '--record', recording, '--force'],
  );
  const keepers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  await withClient(direct(serving.uri, 0), (client) => client.db('admin').command({ replsimFault: { kill: 'n1' } }));
  expect(serving.err()).toBe('no member is running any more, so the set is unreachable: Ctrl-C ends it\n');
  // Else the process would end here, in the middle of its recording.
  const before = keepers();
  expect(await serving.interrupt()).toBe(0);
  expect(keepers()).toBeLessThan(before);
  expect(readFileSync(recording, 'utf8')).toMatch(/kill: n1 \}\n {2}- \{ at: \S+ \}\n$/);
  expect(await main(['run', recording], testIo())).toBe(0);
});

test('--exit-with-parent ends the set when the process that started it is gone', async () => {
  let gone: (() => void) | undefined;
  const onParentGone = (stop: () => void) => {
    gone = stop;
  };
  const alone = await serveWith({ onParentGone }, ['--port', '0', '--quiet']);
  expect(gone).toBeUndefined();
  await alone.interrupt();
  const serving = await serveWith({ onParentGone }, ['--port', '0', '--quiet', '--exit-with-parent']);
  gone!();
  expect(await serving.ended).toBe(0);
  expect(serving.err()).toBe('');
});

test('--dbpath keeps what was written, for the next time', async () => {
  const dbpath = join(folder, 'data');
  const first = await serve('--port', '0', '--dbpath', dbpath, '--quiet');
  await withClient(first.uri, (client) => client.db('app').collection('c').insertOne({ x: 1 }));
  await first.interrupt();
  const second = await serve('--dbpath', dbpath, '--quiet');
  expect(second.uri).toBe(first.uri);
  expect(await withClient(second.uri, (client) => client.db('app').collection('c').countDocuments())).toBe(1);
  await second.interrupt();
});

describe('a folder of data that is not as it was', () => {
  /** A set that was stopped. */
  async function stopped(): Promise<string> {
    const dbpath = mkdtempSync(join(folder, 'lost-'));
    const first = await serve('--port', '0', '--dbpath', dbpath, '--quiet');
    await withClient(first.uri, (client) =>
      client
        .db('app')
        .collection('c')
        .insertOne({ x: 1 }, { writeConcern: { w: 3 } }),
    );
    await first.interrupt();
    return dbpath;
  }
  const counted = (uri: string) => withClient(uri, (client) => client.db('app').collection('c').countDocuments());

  test('of the member that initiated the set: it copies the data of the others, and is named', async () => {
    const dbpath = await stopped();
    rmSync(join(dbpath, 'n1'), { recursive: true });
    const second = await serve('--dbpath', dbpath, '--quiet');
    expect(second.err()).toMatch(
      /^n1 starts on less than it had: its data reached up to \S+Z \([^)]*\), and nothing is left\n$/,
    );
    expect(await counted(second.uri)).toBe(1);
    await second.interrupt();
    const third = await serve('--dbpath', dbpath, '--quiet', '--no-initiate');
    expect(third.err()).toBe('');
    await third.interrupt();
  });

  test('of all: that is refused, until it is said to be meant', async () => {
    const dbpath = await stopped();
    for (const name of ['n1', 'n2', 'n3']) rmSync(join(dbpath, name), { recursive: true });
    for (let time = 0; time < 2; time++) {
      const io = testIo();
      expect(await main(['serve', '--dbpath', dbpath], io)).toBe(2);
      expect(io.stderr).toMatch(
        /^no member has data any more under [^\n]*n1 up to [^\n]*n3 up to [^\n]*--accept-empty[^\n]*\n$/,
      );
    }
    const anew = await serve('--dbpath', dbpath, '--quiet', '--accept-empty');
    expect(await counted(anew.uri)).toBe(0);
    await anew.interrupt();
  });

  test('a set that never had any is not missing them', async () => {
    const dbpath = mkdtempSync(join(folder, 'bare-'));
    const first = await serve('--port', '0', '--dbpath', dbpath, '--quiet', '--no-initiate');
    await first.interrupt();
    for (const name of ['n1', 'n2', 'n3']) rmSync(join(dbpath, name), { recursive: true });
    const second = await serve('--dbpath', dbpath, '--quiet');
    expect(second.err()).toBe('');
    await second.interrupt();
  });

  test('damaged, or in another format: told with member, folder and what to do, with exit code 4', async () => {
    const dbpath = await stopped();
    const onData = async () => {
      const io = testIo();
      return [await main(['serve', '--dbpath', dbpath], io), io.stderr];
    };
    writeFileSync(join(dbpath, 'n2', 'storage.json'), '{"format":2}');
    expect(await onData()).toEqual([
      4,
      expect.stringMatching(/^n2: \S+n2 cannot be used \(storage.json says format 2[^\n]*\n$/),
    ]);
    rmSync(join(dbpath, 'n2', 'storage.json'));
    writeFileSync(join(dbpath, 'n2', 'CURRENT'), 'nonsense\n');
    expect(await onData()).toEqual([4, expect.stringMatching(/^n2: \S+n2 is damaged [^\n]*remove it[^\n]*\n$/)]);
    rmSync(join(dbpath, 'n2'), { recursive: true });
    const mended = await serve('--dbpath', dbpath, '--quiet');
    expect(await counted(mended.uri)).toBe(1);
    await mended.interrupt();
  });

  test('a disk that is full is told so, with exit code 4, and not as a bug', async () => {
    const dbpath = mkdtempSync(join(folder, 'full-'));
    const open = vi.spyOn(ServedSet, 'open');
    const serving = await serve('--port', '0', '--dbpath', dbpath, '--quiet');
    const served = await (open.mock.results[0]!.value as Promise<ServedSet>);
    open.mockRestore();
    const noRoom = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    served.pacer.onAhead(() => {
      throw diskErrorOf(noRoom, { directory: dbpath, owner: 'n2' });
    });
    expect(await serving.interrupt()).toBe(4);
    expect(serving.err()).toMatch(/^n2: \S+ takes nothing more, as the disk is full [^\n]*\n$/);
  });
});

test('a lead that bounds nothing is told of', async () => {
  const serving = await serve('--port', '0', '--members', '1', '--speed', '0', '--max-lead', '5s', '--quiet');
  expect(serving.err()).toMatch(/^--max-lead: it does nothing at speed 0, but from speed 1 on: [^\n]*\n$/);
  expect(await serving.interrupt()).toBe(0);
});

test('a client that is refused for its handshake is told of', async () => {
  const serving = await serve('--port', '0', '--members', '1', '--quiet');
  // Of which the driver learns nothing to say.
  const os = {} as NonNullable<NonNullable<MongoClientOptions['runtimeAdapters']>['os']>;
  const client = new MongoClient(serving.uri, { runtimeAdapters: { os } });
  client.connect().catch(() => {});
  await vi.waitFor(() => expect(serving.err()).toMatch(/^a client's handshake is rejected, as by any mongod, .*\n$/));
  await client.close();
  expect(await serving.interrupt()).toBe(0);
});

test('at speed 0 a client that waits in vain is told of', async () => {
  const serving = await serve('--port', '0', '--speed', '0', '--quiet');
  const client = new MongoClient(serving.uri);
  await client.db('admin').command({ replsimFault: { kill: 'primary' } });
  const written = client.db('app').collection('c').insertOne({});
  written.catch(() => {});
  await vi.waitFor(
    () =>
      expect(serving.err()).toMatch(
        /^virtual time .* there is none: .*\{ replsimUntilPrimary: 1 \} with readPreference nearest \(REPLSIM_TIME_STANDS_STILL\)\n$/,
      ),
    {
      timeout: 60_000,
    },
  );
  await client.db('admin').command({ replsimUntilPrimary: 1 }, { readPreference: 'nearest' });
  await written;
  await client.close();
  expect(await serving.interrupt()).toBe(0);
});

describe('what cannot be served is said in a line, with exit code 2', () => {
  test('a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as { port: number };
    const io = testIo();
    expect(await main(['serve', '--port', String(port)], io)).toBe(2);
    expect(io.stderr).toBe(
      `port ${port} of 127.0.0.1 is taken: choose another with --port, or 0 for one that is free\n`,
    );
    server.close();
  });

  test.for([
    [['--bind', '0.0.0.0'], 'add --i-know-it-is-open'],
    [['--bind', '192.168.0.1'], 'Turn on access control and TLS'],
    [['--members', '0'], 'It must be 1 or more'],
    [['--members', '51'], 'members must be a whole number from 1 to 50'],
    [['--port', '70000'], 'A port is at most 65535'],
    [['--speed', '-1'], 'a number, 0 or more'],
    [['--speed', ''], 'a number, 0 or more'],
    [['--max-lead', 'much'], 'It must be a duration, such as 250ms.'],
    [['--version', '5.0'], 'Allowed choices are 8.0, 8.2, 7.0, 6.0, 4.4, 3.2'],
    [['--setParameter', 'ttlMonitorSleepSecs'], 'NAME=VALUE'],
    [['--port', '0', '--setParameter', 'noSuchThing=1'], 'noSuchThing'],
    [['--port', '0', '--setParameter', 'ttlMonitorSleepSecs=-1'], 'ttlMonitorSleepSecs'],
    [['--config', '/no/such/file.yaml'], '/no/such/file.yaml'],
    [['--port', '0', '--record', '/no/such/folder/run.yaml'], 'cannot write'],
    [['--port', '0', '--trace', '/no/such/folder/run.ndjson'], 'cannot write'],
    ...(['--record', '--trace'] as const).map(
      (option) =>
        [['--port', '0', option, fileURLToPath(import.meta.url)], 'already exists: choose another name'] as const,
    ),
    [['--nonsense'], "unknown option '--nonsense'"],
  ] as const)('%j', async ([args, message]) => {
    const io = testIo();
    expect(await main(['serve', ...args], io)).toBe(2);
    expect(io.stderr).toContain(message);
  });

  test('data that somebody holds, or another set’s', async () => {
    const dbpath = join(folder, 'held');
    const onData = async (...more: readonly string[]) => {
      const io = testIo();
      return [await main(['serve', '--port', '0', '--dbpath', dbpath, ...more], io), io.stderr];
    };
    const holder = await serve('--port', '0', '--members', '1', '--dbpath', dbpath, '--quiet');
    expect(await onData()).toEqual([2, expect.stringMatching(/^[^\n]* holds [^\n]*\n$/)]);
    await holder.interrupt();
    expect(await onData('--replSet', 'other')).toEqual([
      2,
      expect.stringMatching(/^[^\n]*is called rs0, not other[^\n]*\n$/),
    ]);
  });

  test('--record on data from an earlier time', async () => {
    const dbpath = mkdtempSync(join(folder, 'old-'));
    writeFileSync(join(dbpath, 'something'), '');
    const io = testIo();
    expect(await main(['serve', '--port', '0', '--dbpath', dbpath, '--record', join(folder, 'r.yaml')], io)).toBe(2);
    expect(io.stderr).toContain('a recording begins from nothing');
  });
});
