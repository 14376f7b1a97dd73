import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
