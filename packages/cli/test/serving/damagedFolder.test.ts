import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from '../../src/main.ts';
import { testIo } from '../io.ts';
import { serve } from '../serving.ts';

// What `serve --dbpath` makes of a folder that is damaged, or that it may not use: it starts with all that was acknowledged, or says which
// file is wrong and what to do.

const level: unknown = createRequire(createRequire(import.meta.url).resolve('level'))('classic-level');
const MEMBERS = ['n1', 'n2', 'n3'];
const WRITES = 40;

let root: string;
/** The folder of a set that was stopped: each member has a table, a log, and a manifest of several edits. */
let sound: string;
let dbpath: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'replsim-folder-'));
  sound = join(root, 'sound');
  for (let life = 0; life < 2; life++) {
    const serving = await serve('--dbpath', sound, '--quiet', ...(life === 0 ? ['--port', '0'] : []));
    await write(serving.uri, (life * WRITES) / 2, WRITES / 2);
    await serving.interrupt();
  }
});
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(() => {
  dbpath = join(root, 'data');
  cpSync(sound, dbpath, { recursive: true });
});
afterEach(() => rmSync(dbpath, { recursive: true }));

async function withClient<Result>(uri: string, use: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const write = (uri: string, first: number, count: number) =>
  withClient(uri, async (client) => {
    const documents = client.db('app').collection<{ _id: number; text: string }>('c', { writeConcern: { w: 3 } });
    for (let _id = first; _id < first + count; _id++) await documents.insertOne({ _id, text: 'x'.repeat(500) });
  });

const counted = (uri: string) => withClient(uri, (client) => client.db('app').collection('c').countDocuments());

/** Starts on the folder. @returns how many documents there are, or exit code and message */
async function outcome(): Promise<number | readonly [code: number, said: string]> {
  const ended: { refusal?: readonly [number, string] } = {};
  const serving = await serve('--dbpath', dbpath, '--quiet').catch((error: Error) => {
    const [, code, said = ''] = /^serve ended with (\d+): (.*)$/s.exec(error.message) ?? [];
    ended.refusal = [Number(code), said];
  });
  if (!serving) return ended.refusal!;
  try {
    return await counted(serving.uri);
  } finally {
    await serving.interrupt();
  }
}

/** The one file of that kind. */
function fileOf(folder: string, pattern: RegExp): string {
  return join(folder, readdirSync(folder).find((name) => pattern.test(name))!);
}

type Damage = (path: string) => void;
const cut: Damage = (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2));
const flip: Damage = (path) => {
  const bytes = readFileSync(path);
  // Not in the last record of a log: that may be damaged by a crash, and others follow the first.
  bytes[Math.floor(bytes.length / 8)]! ^= 1;
  writeFileSync(path, bytes);
};
const remove: Damage = (path) => rmSync(path);

describe.for([
  ['a table cut off', /\.ldb$/, cut],
  ['a table with a flipped bit', /\.ldb$/, flip],
  ['a table missing', /\.ldb$/, remove],
  ['the manifest cut off', /^MANIFEST/, cut],
  ['the manifest with a flipped bit', /^MANIFEST/, flip],
  ['the manifest missing', /^MANIFEST/, remove],
  ['CURRENT cut off', /^CURRENT$/, cut],
  ['CURRENT missing', /^CURRENT$/, remove],
  ['the log with a flipped bit', /^\d+\.log$/, flip],
  ['the log missing', /^\d+\.log$/, remove],
] as const)('%s', ([, pattern, damage]) => {
  const refusal = (member: string, file: string) => [
    4,
    expect.stringMatching(
      new RegExp(`^${member}: \\S+data/${member} is damaged \\([^)]*${file}[^)]*\\): put back a copy [^\\n]*\\n$`),
    ),
  ];
  const nameOf = (folder: string) => fileOf(folder, pattern).split('/').at(-1)!;

  test('of every member: the set refuses to start, and names the file, however often', async () => {
    const name = nameOf(join(dbpath, 'n1'));
    for (const member of MEMBERS) damage(fileOf(join(dbpath, member), pattern));
    for (let time = 0; time < 2; time++) expect(await outcome()).toEqual(refusal('n1', name));
  });

  test('of one member: what the message says to do brings everything back', async () => {
    const name = nameOf(join(dbpath, 'n2'));
    damage(fileOf(join(dbpath, 'n2'), pattern));
    expect(await outcome()).toEqual(refusal('n2', name));
    rmSync(join(dbpath, 'n2'), { recursive: true });
    expect(await outcome()).toBe(WRITES);
  });
});

test('a log of every member that ends too early, as no crash can leave it: acknowledged writes are missed', async () => {
  for (const member of MEMBERS) truncateSync(fileOf(join(dbpath, member), /^\d+\.log$/), 0);
  const refused = expect.stringMatching(
    /^acknowledged writes are missing under \S+data: a majority had data up to [^\n]*: put back the folders [^\n]*\n$/,
  );
  expect(await outcome()).toEqual([2, refused]);
  // The others have what one has lost.
  rmSync(dbpath, { recursive: true });
  cpSync(sound, dbpath, { recursive: true });
  truncateSync(fileOf(join(dbpath, 'n3'), /^\d+\.log$/), 0);
  expect(await outcome()).toBe(WRITES);
});

test.for([
  [
    'cut off',
    cut,
    /replsim\.json is not a file that replsim wrote \(.*\): put back a copy of it, or choose another dbpath\n$/,
  ],
  ['empty', (path: string) => truncateSync(path, 0), /replsim\.json is not a file that replsim wrote \(/],
  [
    'missing',
    remove,
    /replsim\.json is missing, though there are data of n1, n2, n3: put back a copy of it, write it anew/,
  ],
  [
    'with another port',
    (path: string) =>
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(/"port": (\d+)/, (_, n) => `"port": ${+n ^ 1}`),
      ),
    /replsim\.json is damaged \(its checksum is wrong\): put back a copy of it/,
  ],
] as const)('replsim.json %s', async ([, damage, message]) => {
  damage(join(dbpath, 'replsim.json'));
  for (let time = 0; time < 2; time++) expect(await outcome()).toEqual([2, expect.stringMatching(message)]);
});

test('replsim.json that somebody has written anew, as docs/serve.md shows', async () => {
  const file = join(dbpath, 'replsim.json');
  const { members } = JSON.parse(readFileSync(file, 'utf8'));
  const page = readFileSync(new URL('../../../../docs/serve.md', import.meta.url), 'utf8');
  const shown = JSON.parse(/```json\n(\{\n {2}"format".*?)```/s.exec(page)![1]!);
  for (const [i, { port }] of members.entries()) shown.members[i].port = port;
  writeFileSync(file, JSON.stringify(shown));
  expect(await outcome()).toBe(WRITES);
});

test('a set whose config lets nobody be elected is no bug: exit code 2', async () => {
  const file = join(dbpath, 'replsim.json');
  const { checksum: _, members, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  const moved = members.map((member: { port: number }) => ({ ...member, port: 0 }));
  writeFileSync(file, JSON.stringify({ ...rest, members: moved }));
  expect(await outcome()).toEqual([
    2,
    expect.stringMatching(/^no primary within 2m of virtual time\n {2}n1: Our replica set/),
  ]);
});

test('a second server on the folder is refused, and the first goes on', async () => {
  const first = await serve('--dbpath', dbpath, '--quiet');
  for (const more of [[], ['--port', '0']]) {
    const io = testIo();
    expect(await main(['serve', '--dbpath', dbpath, '--quiet', ...more], io)).toBe(2);
    expect(io.stderr).toMatch(/^[^\n]* holds \S+data: stop it first, or choose another dbpath\n$/);
  }
  expect(await counted(first.uri)).toBe(WRITES);
  await first.interrupt();
});

describe('a folder that may only be read', () => {
  const asOwner = process.geteuid!();

  /** Root may write anywhere, so it becomes nobody. */
  async function readOnly<Result>(use: () => Promise<Result>): Promise<Result> {
    const paths = [
      root,
      dbpath,
      ...readdirSync(dbpath, { recursive: true, encoding: 'utf8' }).map((name) => join(dbpath, name)),
    ];
    const modes = (mode: number) => {
      for (const path of paths) chmodSync(path, mode);
    };
    modes(0o555);
    if (asOwner === 0) process.seteuid!(65_534);
    try {
      return await use();
    } finally {
      process.seteuid!(asOwner);
      modes(0o755);
    }
  }

  test('is named with what to do, and is as it was', async () => {
    for (let time = 0; time < 2; time++) {
      const said = await readOnly(async () => {
        expect(() => writeFileSync(join(dbpath, 'n1', 'CURRENT'), '')).toThrow(/EACCES/);
        return outcome();
      });
      expect(said).toEqual([
        4,
        expect.stringMatching(
          /^n1: \S+data\/n1 cannot be used \([^\n]*ermission denied[^\n]*\): see to it that the folder can be read and written\n$/,
        ),
      ]);
    }
    expect(await outcome()).toBe(WRITES);
  });
});

test('LevelDB’s own repair brings back what docs/serve.md says', async () => {
  const { ClassicLevel } = level as { readonly ClassicLevel: { repair(folder: string): Promise<void> } };
  for (const [member, pattern] of [
    ['n1', /^MANIFEST/],
    ['n2', /^CURRENT$/],
    ['n3', /^MANIFEST/],
  ] as const) {
    remove(fileOf(join(dbpath, member), pattern));
    await ClassicLevel.repair(join(dbpath, member));
  }
  expect(await outcome()).toBe(WRITES);
});

describe('a disk that is full', () => {
  const { ClassicLevel } = level as {
    readonly ClassicLevel: { readonly prototype: { batch: (...given: unknown[]) => Promise<void> } };
  };
  const MOST = 2000;

  /** Only root may make a small disk, and not everywhere; the test below needs none. */
  function smallDisk(at: string): boolean {
    mkdirSync(at);
    return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'none', at]).status === 0;
  }

  test('a real one, where this user can make one: what was acknowledged is there when there is room again', async ({
    skip,
  }) => {
    const at = join(root, 'small');
    if (!smallDisk(at)) return skip('only root can mount a small disk: the test of an injected error stands for it');
    try {
      const serving = await serve('--port', '0', '--dbpath', join(at, 'data'), '--quiet');
      let acknowledged = 0;
      await withClient(serving.uri, async (client) => {
        const documents = client.db('app').collection<{ _id: number; text: string }>('c');
        const options = { writeConcern: { w: 'majority' } } as const;
        for (; acknowledged < MOST; acknowledged++)
          await documents.insertOne({ _id: acknowledged, text: 'x'.repeat(1000) }, options);
      }).catch(() => {});
      expect(await serving.ended).toBe(4);
      for (let time = 0; time < 2; time++) {
        const io = testIo();
        expect(await main(['serve', '--dbpath', join(at, 'data'), '--quiet'], io)).toBe(4);
        expect(io.stderr).toMatch(
          /^(n\d: )?\S+ takes nothing more, as the disk is full \([^\n]*\): make room [^\n]*\n$/,
        );
      }
      spawnSync('mount', ['-o', 'remount,size=64m', at]);
      const again = await serve('--dbpath', join(at, 'data'), '--quiet');
      const found = await counted(again.uri);
      await again.interrupt();
      expect(found).toBeGreaterThanOrEqual(acknowledged);
      expect(acknowledged).toBeGreaterThan(0);
    } finally {
      spawnSync('umount', ['-l', at]);
    }
  });

  test('ends the set with exit code 4, and everything acknowledged is there when there is room again', async () => {
    const serving = await serve('--dbpath', dbpath, '--quiet');
    // In LevelDB's words, whatever user runs this.
    const batch = vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(async function (this: unknown) {
      const { location } = this as { readonly location: string };
      const cause = Object.assign(new Error(`IO error: ${location}/000009.log: No space left on device`), {
        code: 'LEVEL_IO_ERROR',
      });
      throw Object.assign(new Error('Batch failed'), { cause });
    });
    const unacknowledged = await withClient(serving.uri, (client) =>
      client
        .db('app')
        .collection<{ _id: number }>('c')
        .insertOne({ _id: WRITES }, { writeConcern: { w: 'majority' } })
        .catch((error: Error) => error),
    );
    expect(unacknowledged).toBeInstanceOf(Error);
    expect(await serving.ended).toBe(4);
    expect(serving.err()).toMatch(
      /^n\d: \S+data\/n\d takes nothing more, as the disk is full \([^\n]*\): make room and start again: what was acknowledged as journalled is there\n$/,
    );
    batch.mockRestore();
    expect(await outcome()).toBe(WRITES);
  });
});
