import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { ReplSetOptions } from '../src/api.ts';
import { ReplSet } from '../src/replSet.ts';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
const INSERT = encodeDocument({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 'majority' }, $db: 'app' });

/** An election, a write, a failover and the old primary's return; when each was over, and the trace if listened to. */
async function failover(options: Partial<ReplSetOptions>, listening: boolean) {
  const set = await ReplSet.create({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }], seed: 3, ...options });
  const trace: string[] = [];
  if (listening)
    set.onTrace((event) =>
      trace.push(JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? `${value}` : value))),
    );
  const times: number[] = [];
  const until = async (done: () => boolean) => {
    expect(await set.runUntil(done, set.nowMicros + 30_000_000)).toBe(true);
    times.push(set.nowMicros);
  };
  const primary = () => set.memberNames.find((name) => decodePromoted(set.ask(name, HELLO)).isWritablePrimary);

  await until(() => primary() !== undefined);
  const first = primary()!;
  const insert = set.send(first, INSERT);
  await until(() => insert.reply !== undefined);
  expect(decodePromoted(insert.reply!)).toMatchObject({ ok: 1, n: 1 });
  set.kill(first);
  await until(() => primary() !== undefined);
  await set.start(first);
  await set.advanceTo(set.nowMicros + 70_000_000);
  await set.close();
  return { times, trace };
}

test.for(['../x', '.', 'a/b', ''])('a member is not called %j: its folder would lie elsewhere', async (name) => {
  await expect(ReplSet.create({ members: [{ name }] })).rejects.toThrow(/a member's name is made of letters/);
});

test('a run is the same with disks in memory and in folders, listened to or not', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'replset-'));
  try {
    const inMemory = await failover({}, true);
    expect(inMemory.trace.length).toBeGreaterThan(50);
    expect(await failover({ dbpath: directory }, true)).toEqual(inMemory);
    expect((await failover({}, false)).times).toEqual(inMemory.times);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
