import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { ReplSet } from '../src/replSet.ts';

type Doc = Record<string, unknown>;

const STARTED_MS = Date.UTC(2025, 0, 1);

const ask = (set: ReplSet, member: string, command: Doc, db = 'local'): Doc =>
  decodePromoted(set.ask(member, encodeDocument({ ...command, $db: db }))) as Doc;
const starts = (set: ReplSet, member: string): Doc[] =>
  (ask(set, member, { find: 'startup_log' }).cursor as { firstBatch: Doc[] }).firstBatch;

async function made(options: Parameters<typeof ReplSet.create>[0]): Promise<ReplSet> {
  const set = await ReplSet.create(options);
  onTestFinished(() => set.close());
  return set;
}

test('every member enters its start, for itself', async () => {
  const set = await made({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }] });
  await set.advanceTo(set.nowMicros + 30_000_000);
  for (const member of ['n1', 'n2', 'n3']) {
    const [start, ...more] = starts(set, member);
    expect(more).toEqual([]);
    expect(Object.keys(start!)).toEqual([
      '_id',
      'hostname',
      'startTime',
      'startTimeLocal',
      'cmdLine',
      'pid',
      'buildinfo',
    ]);
    expect(start).toMatchObject({
      _id: `${member}-${STARTED_MS}`,
      hostname: member,
      startTime: new Date(STARTED_MS),
      startTimeLocal: 'Wed Jan  1 00:00:00.000',
      cmdLine: ask(set, member, { getCmdLineOpts: 1 }, 'admin').parsed,
      buildinfo: { version: '8.0.15', bits: 64 },
    });
    expect(start!.pid).toEqual(ask(set, member, { serverStatus: 1 }, 'admin').pid);
  }
  const { cursor } = ask(set, 'n1', { listCollections: 1, filter: { name: 'startup_log' } }) as Doc;
  expect(cursor).toMatchObject({ firstBatch: [{ options: { capped: true, size: 10_485_760 } }] });
  const logged = ask(set, 'n1', { find: 'oplog.rs', filter: { ns: /^local/ } }).cursor as { firstBatch: Doc[] };
  expect(logged.firstBatch).toEqual([]);
});

test('under --dbpath the starts before are still there, and one at the same instant is not entered twice', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'starts-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const set = await made({ members: [{ name: 'n1' }], dbpath: directory });
  for (const stop of ['kill', 'shutdown', 'kill'] as const) {
    await set.advanceTo(set.nowMicros + 70_500_000);
    set[stop]('n1');
    await set.runUntil(() => !set.status('n1').running, set.nowMicros + 60_000_000);
    await set.start('n1');
  }
  const before = starts(set, 'n1');
  expect(before).toHaveLength(4);
  set.kill('n1');
  await set.start('n1');
  expect(starts(set, 'n1').length).toBeLessThanOrEqual(4);
});
