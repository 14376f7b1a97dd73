import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskError, diskErrorOf } from '../../src/disk/damage.ts';
import { openDisk } from '../../src/disk/disk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = async () => {
  const disk = await openDisk({ directory: join(folder, 'n1'), owner: 'n1' });
  await disk.load();
  return disk;
};

async function written(): Promise<string> {
  const disk = await open();
  disk.appendJournal([{ kind: 1, payload: new Uint8Array(100) }]);
  await disk.close();
  return join(folder, 'n1');
}

test('a folder says in which format its data are', async () => {
  const directory = await written();
  expect(JSON.parse(readFileSync(join(directory, 'storage.json'), 'utf8'))).toEqual({ format: 1 });
  // As it was written before there was such a file.
  rmSync(join(directory, 'storage.json'));
  await (await open()).close();
  expect(JSON.parse(readFileSync(join(directory, 'storage.json'), 'utf8'))).toEqual({ format: 1 });
});

test.for([
  ['{"format":2}', 'storage.json says format 2, and this replsim knows format 1 alone'],
  ['{}', 'storage.json does not say in which format the data are'],
  ['null', 'storage.json does not say in which format the data are'],
  ['{', 'storage.json does not say in which format the data are'],
])('data in a format that nobody knows are not touched: %s', async ([text, detail]) => {
  const directory = await written();
  writeFileSync(join(directory, 'storage.json'), text!);
  const refused = await open().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DiskError);
  expect(refused).toMatchObject({
    reason: 'format',
    directory,
    message: `n1: ${directory} cannot be used (${detail}): use the replsim that wrote it, or choose another dbpath`,
  });
});

test.for(['MANIFEST-000002', 'CURRENT'])(
  'what LevelDB cannot make out is told with whose it is and where: %s',
  async (file) => {
    const directory = await written();
    writeFileSync(join(directory, file), 'no such thing');
    const refused = await open().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      name: 'DiskError',
      reason: 'damaged',
      message: expect.stringMatching(/^n1: \S+n1 is damaged \(.+\): put back a copy of that folder; or remove it/),
    });
  },
);

test('a folder that is none', async () => {
  writeFileSync(join(folder, 'n1'), '');
  await expect(open()).rejects.toMatchObject({ reason: 'failed', message: expect.stringContaining('EEXIST') });
});

test('a folder that somebody holds is sound', async () => {
  const disk = await open();
  await expect(open()).rejects.not.toBeInstanceOf(DiskError);
  await disk.close();
});

test('a write that fails is told, and the folder is let go of all the same', async () => {
  const disk = await open();
  mkdirSync(join(folder, 'n1', 'rollback', 'file'), { recursive: true });
  disk.writeFile('rollback/file', new Uint8Array(1));
  await expect(disk.close()).rejects.toMatchObject({ name: 'DiskError', message: expect.stringContaining('EISDIR') });
  rmSync(join(folder, 'n1', 'rollback'), { recursive: true });
  await (await open()).close();
});

test.for([
  ['ENOSPC: no space left on device, write', { code: 'ENOSPC' }],
  ['IO error: q/n1/000003.log: No space left on device', { code: 'LEVEL_IO_ERROR' }],
  ['EDQUOT: disk quota exceeded', { code: 'EDQUOT' }],
] as const)('a full disk, in the words of the system: %s', ([message, traits]) => {
  const error = new Error('database failed to open', { cause: Object.assign(new Error(message), traits) });
  expect(diskErrorOf(error, { directory: 'q/n1', owner: 'n1' })).toMatchObject({
    reason: 'full',
    message: `n1: q/n1 takes nothing more, as the disk is full (${message}): make room and start again: what was acknowledged as journalled is there`,
  });
});

describe('LevelDB’s log', () => {
  const SEGMENTS = 12;

  /** Long enough for several blocks. */
  async function log(): Promise<{ readonly path: string; readonly sound: Buffer }> {
    const disk = await open();
    for (let n = 1; n <= SEGMENTS; n++) disk.appendJournal([{ kind: n, payload: new Uint8Array(10_000).fill(n) }]);
    await disk.close();
    const path = join(folder, 'n1', '000003.log');
    return { path, sound: readFileSync(path) };
  }

  const read = async () => {
    const disk = await openDisk({ directory: join(folder, 'n1'), owner: 'n1' });
    try {
      return (await disk.load()).journal.length;
    } finally {
      await disk.close();
    }
  };

  test('one flipped bit is reported with its place, unless only the last write is damaged', async () => {
    const { path, sound } = await log();
    const lastBegins = sound.length - 10_000 - 200;
    // Checksum, length, type and payload of the first record, and places in every block.
    for (const at of [0, 4, 5, 6, 7, 5000, 32_760, 32_775, 70_000, lastBegins - 1]) {
      writeFileSync(
        path,
        sound.map((byte, i) => (i === at ? byte ^ 1 : byte)),
      );
      await expect(read(), `byte ${at}`).rejects.toMatchObject({
        name: 'DiskError',
        reason: 'damaged',
        message: expect.stringMatching(
          /^n1: \S+n1 is damaged \(000003\.log is not what was written at byte \d+ of \d+, /,
        ),
      });
      // Nothing was touched.
      writeFileSync(path, sound);
    }
    expect(await read()).toBe(SEGMENTS);
  });

  test('one that a crash has cut anywhere is opened, with all that was written before', async () => {
    const { path, sound } = await log();
    for (const length of [sound.length - 1, sound.length - 9000, 66_000, 32_768, 32_770, 3, 0]) {
      rmSync(join(folder, 'n1'), { recursive: true });
      await log();
      writeFileSync(path, sound.subarray(0, length));
      expect(await read(), `cut to ${length}`).toBe(
        Math.max(0, Math.floor((length - 100) / (sound.length / SEGMENTS))),
      );
    }
  });
});

describe('LevelDB’s other files', () => {
  const SEGMENTS = 40;
  const DAMAGED = /^n1: \S+n1 is damaged \((CURRENT|MANIFEST-\d+|\d+\.(log|ldb)) [^)]*\): put back a copy/;

  /** A folder with a table, a log, and a manifest of several edits. */
  async function filled(): Promise<string> {
    const directory = join(folder, 'n1');
    for (let life = 0; life < 2; life++) {
      const disk = await open();
      for (let n = 1; n <= SEGMENTS / 2; n++) disk.appendJournal([{ kind: n, payload: new Uint8Array(1000).fill(n) }]);
      await disk.close();
    }
    return directory;
  }

  /** What is left of the folder after some damage: all of it, or a refusal that names a file. */
  async function outcome(directory: string, damage: (copy: string) => void): Promise<string> {
    const copy = join(folder, 'copy', 'n1');
    rmSync(join(folder, 'copy'), { recursive: true, force: true });
    cpSync(directory, copy, { recursive: true });
    damage(copy);
    const disk = await openDisk({ directory: copy, owner: 'n1' }).catch((error: Error) => error);
    if (disk instanceof Error) return disk.message;
    try {
      return `${(await disk.load()).journal.length} segments`;
    } finally {
      await disk.close();
    }
  }

  const fileLike = (directory: string, pattern: RegExp) => readdirSync(directory).find((name) => pattern.test(name))!;

  test.for([
    ['CURRENT', /^CURRENT$/],
    ['the manifest', /^MANIFEST/],
    ['a table', /\.ldb$/],
  ] as const)(
    'one flipped bit in %s, or an end cut off, is reported with the name of the file, or harmless',
    async ([, pattern]) => {
      const directory = await filled();
      const name = fileLike(directory, pattern);
      const sound = readFileSync(join(directory, name));
      let refusals = 0;
      for (let turn = 0; turn < 20; turn++) {
        const at = Math.floor((turn * (sound.length - 1)) / 19);
        const flipped = sound.map((byte, i) => (i === at ? byte ^ 4 : byte));
        for (const left of [flipped, sound.subarray(0, at)]) {
          const said = await outcome(directory, (copy) => writeFileSync(join(copy, name), left));
          if (said === `${SEGMENTS} segments`) continue;
          expect(said, `${name} at ${at}`).toMatch(DAMAGED);
          refusals += 1;
        }
      }
      expect(refusals).toBeGreaterThan(30);
    },
  );

  test.for([
    ['CURRENT', /^CURRENT$/],
    ['the manifest', /^MANIFEST/],
    ['a table', /\.ldb$/],
    ['the log', /\.log$/],
  ] as const)('%s is missing: the refusal names it, and nothing is deleted', async ([, pattern]) => {
    const directory = await filled();
    const name = fileLike(directory, pattern);
    const left = readdirSync(directory).filter((each) => each !== name && !each.startsWith('LO'));
    for (let time = 0; time < 2; time++) {
      const said = await outcome(directory, (copy) => rmSync(join(copy, name)));
      expect(said).toMatch(DAMAGED);
      expect(said).toContain(`${name} is missing`.replace(/^.*: /, ''));
      expect(readdirSync(join(folder, 'copy', 'n1'))).toEqual(expect.arrayContaining(left));
    }
  });

  test('a process that was killed while it made the database has left nothing to miss', async () => {
    const directory = join(folder, 'n1');
    mkdirSync(directory);
    writeFileSync(join(directory, 'MANIFEST-000001'), '');
    await (await open()).close();
  });

  test('somebody who holds a folder is reported before damage', async () => {
    await filled();
    const disk = await open();
    rmSync(join(folder, 'n1', fileLike(join(folder, 'n1'), /\.ldb$/)));
    await expect(open()).rejects.toMatchObject({ cause: { code: 'LEVEL_LOCKED' } });
    await disk.close();
  });
});
