import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReplSetOptions } from '../src/api.ts';
import { ReplSet } from '../src/replSet.ts';

let dbpath: string;
const sets: ReplSet[] = [];

beforeEach(() => {
  dbpath = mkdtempSync(join(tmpdir(), 'replset-'));
});

afterEach(async () => {
  for (const set of sets.splice(0)) await set.close();
  rmSync(dbpath, { recursive: true });
});

/** All on the same data, with the same seed, and by a clock that begins where it always does. */
async function create(options: Partial<ReplSetOptions> = {}): Promise<ReplSet> {
  const set = await ReplSet.create({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }], dbpath, ...options });
  sets.push(set);
  return set;
}

const ask = (set: ReplSet, name: string, command: object) =>
  decodePromoted(set.ask(name, encodeDocument({ ...command, $db: 'admin' })));
const primaryOf = (set: ReplSet) => set.memberNames.find((name) => ask(set, name, { hello: 1 }).isWritablePrimary);

async function run(set: ReplSet, name: string, command: object) {
  const sent = set.send(name, encodeDocument({ ...command, $db: 'app' }));
  await set.runUntil(() => sent.reply !== undefined, set.nowMicros + 60_000_000);
  return decodePromoted(sent.reply!);
}

async function untilSecondaries(set: ReplSet): Promise<string> {
  const settled = () => set.memberNames.every((name) => ask(set, name, { hello: 1 }).lastWrite !== undefined);
  await set.runUntil(() => primaryOf(set) !== undefined && settled(), set.nowMicros + 120_000_000);
  return primaryOf(set)!;
}

const OLD = { v: 1, key: { _id: 1 }, name: '_id_' };

/** A set with one document and an index of version 1, whose processes are gone. */
async function written(): Promise<unknown> {
  const set = await create();
  const primary = await untilSecondaries(set);
  const inserted = await run(set, primary, { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3, j: true } });
  expect(inserted).toMatchObject({ ok: 1, n: 1 });
  expect(await run(set, primary, { create: 'old', idIndex: OLD, writeConcern: { w: 3, j: true } })).toMatchObject({
    ok: 1,
  });
  const { replicaSetId } = ask(set, primary, { replSetGetConfig: 1 }).config.settings;
  await set.close();
  return replicaSetId;
}

test.for([
  ['the member that initiated the set', ['n1'], {}],
  ['the member that initiated the set, and nobody is to initiate', ['n1'], { initiate: false }],
  ['another member', ['n2'], {}],
] as const)('%s has lost its disk: it copies the data of the others', async ([, lost, options]) => {
  const replicaSetId = await written();
  for (const name of lost) rmSync(join(dbpath, name), { recursive: true });
  const set = await create(options);
  const logs: string[] = [];
  set.onTrace((event) => void (event.type === 'initialSync' && logs.push(event.member)));
  const primary = await untilSecondaries(set);
  await set.runUntil(() => false, set.nowMicros + 30_000_000);
  for (const name of set.memberNames) {
    expect(ask(set, name, { replSetGetConfig: 1 }).config.settings.replicaSetId).toEqual(replicaSetId);
    expect(await run(set, name, { count: 'c', $readPreference: { mode: 'nearest' } })).toMatchObject({ n: 1 });
    const listed = await run(set, name, { listIndexes: 'old', $readPreference: { mode: 'nearest' } });
    expect(listed.cursor.firstBatch).toEqual([OLD]);
  }
  expect(new Set(logs)).toEqual(new Set(lost));
  expect(await run(set, primary, { insert: 'c', documents: [{ _id: 2 }], writeConcern: { w: 3 } })).toMatchObject({
    ok: 1,
    n: 1,
  });
});

test('how far a journal reaches is known before anything has happened, and still when the process is gone', async () => {
  await written();
  rmSync(join(dbpath, 'n3'), { recursive: true });
  const set = await create();
  const reached = set.durable('n1')!;
  expect(reached.ts.t).toBeGreaterThan(0);
  expect(set.durable('n2')).toEqual(reached);
  expect(set.durable('n3')).toEqual({ ts: { t: 0, i: 0 }, t: -1 });
  set.kill('n1');
  expect(set.durable('n1')).toEqual(reached);
});
