import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '@replsim/cli';
import { MongoClient } from 'mongodb';
import { InvariantBroken, ReplicaSet, type ReplicaSetOptions } from 'replsim';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { testIo } from '../../packages/cli/test/io.ts';
import { serve } from '../../packages/cli/test/serving.ts';
import { breakNextSet } from './early.ts';
import { insert } from './helpers/insert.ts';

// Whoever serves a set learns that it has broken an invariant, by every door.

const folder = mkdtempSync(join(tmpdir(), 'replsim-invariants-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BROKEN = {
  name: 'acknowledgedMajorityIsCommitted',
  detail: expect.stringMatching(/^n\d acknowledged .* as written by a majority, though it/),
  atMicros: expect.any(Number),
};
const LINE = /invariant acknowledgedMajorityIsCommitted broken at \d+\.\d{6}s: n\d acknowledged .*/;

/** As clients in other languages ask for it. */
async function statusOf({ members: [first] }: ReplicaSet): Promise<Record<string, unknown>> {
  const client = new MongoClient(`mongodb://${first!.host}/?directConnection=true`);
  try {
    return await client.db('admin').command({ replsimStatus: 1 });
  } finally {
    await client.close();
  }
}

describe('a set in a test', () => {
  async function broken(options: ReplicaSetOptions): Promise<ReplicaSet> {
    breakNextSet();
    const set = await ReplicaSet.start({ invariants: true, ...options });
    await insert(set.uri);
    return set;
  }

  test('tells as it happens, and its stop fails', async () => {
    const set = await broken({ seed: 3 });
    expect(set.brokenInvariants[0]).toEqual(BROKEN);
    expect((await statusOf(set)).brokenInvariants).toEqual([BROKEN]);
    const error = await set.stop().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InvariantBroken);
    expect(error).toMatchObject({ seed: 3, broken: [...set.brokenInvariants] });
    expect(error.message).toMatch(LINE);
    expect(error.message).toContain('(virtual time; seed 3)');
    expect(error.message).toContain(
      "to see it again, record the run with record: 'FILE': replsim run FILE makes it again",
    );
  });

  test('says where its run is recorded', async () => {
    const record = join(folder, 'broken.yaml');
    const set = await broken({ record });
    await expect(set.stop()).rejects.toThrow(`replsim run ${record} makes the same run again`);
    // The members of the repeated run are honest: its recording is whole, and holds.
    expect(existsSync(record)).toBe(true);
    expect(readFileSync(record, 'utf8')).toContain('insert');
    const io = testIo();
    expect(await main(['run', record], io), io.stdout).toBe(0);
  });

  test('is left alone with invariants: false', async () => {
    const set = await broken({ invariants: false });
    expect(set.brokenInvariants).toEqual([]);
    await set.stop();
  });

  // A library's own tests may run where CI is set, or not.
  test.for<[ci: string, option: boolean | undefined, watched: boolean]>([
    ['true', undefined, true],
    ['1', undefined, true],
    ['', undefined, false],
    ['false', undefined, false],
    ['true', false, false],
    ['', true, true],
  ])('with CI=%j and invariants: %j', async ([ci, invariants, watched]) => {
    vi.stubEnv('CI', ci);
    try {
      const set = await ReplicaSet.start({
        members: 1,
        initiate: false,
        ...(invariants !== undefined && { invariants }),
      });
      expect('brokenInvariants' in (await statusOf(set))).toBe(watched);
      await set.stop();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('and an honest one holds', async () => {
    const set = await ReplicaSet.start({ invariants: true });
    await insert(set.uri);
    expect(set.brokenInvariants).toEqual([]);
    await set.stop();
  });
});

describe('replsim serve', () => {
  test('says so at once and at the end, and exits with 1', async () => {
    breakNextSet();
    const serving = await serve('--port', '0', '--seed', '4', '--invariants');
    await insert(serving.uri);
    expect(serving.err()).toMatch(LINE);
    // In the transcript, behind the event that shows it.
    expect(serving.out()).toMatch(/INVARIANT|invariant/);
    const soFar = serving.err().length;
    expect(await serving.interrupt()).toBe(1);
    const atTheEnd = serving.err().slice(soFar);
    expect(atTheEnd).toMatch(LINE);
    expect(atTheEnd).toContain('record the run with --record FILE');
  });

  test('lets it be with --no-invariants', async () => {
    breakNextSet();
    const serving = await serve('--port', '0', '--quiet', '--no-invariants');
    await insert(serving.uri);
    expect(await serving.interrupt()).toBe(0);
    expect(serving.err()).toBe('');
  });
});

test('the helpers for vitest fail the file', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const config = fileURLToPath(new URL('vitest.helpers.config.ts', import.meta.url));
  const said = await new Promise<string>((resolve) => {
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config];
    // It exits with 1, which is what is asked for.
    execFile(process.execPath, vitest, { cwd: root, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}exit code ${error?.code}`),
    );
  });
  expect(said).toContain('exit code 1');
  expect(said).toMatch(/Test Files {2}2 failed \| 1 passed \(3\)/);
  expect(said.match(new RegExp(`InvariantBroken: ${LINE.source}`, 'g'))?.length).toBeGreaterThanOrEqual(3);
});
