import { Binary, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

let member: LoneMember;
const at = (secs: number) => new Date(Date.UTC(2025, 0, 1) + secs * 1000);
const run = (command: Doc) => member.run(command, 'app');
const count = (collection: string) => run({ count: collection }).n;
const buckets = () => member.mongod.core.engine.collection('app.system.buckets.w')!;

beforeEach(() => {
  member = LoneMember.primary(0);
  run({ create: 'w', timeseries: { timeField: 't', metaField: 's' }, expireAfterSeconds: 3600 });
});

test('a retried insert is carried out once, measurement by measurement', () => {
  const session = { lsid: { id: new Binary(new Uint8Array(16), Binary.SUBTYPE_UUID) }, txnNumber: Long.ONE };
  const documents = [0, 1, 2].map((i) => ({ t: at(i), s: 1, v: i }));
  expect(run({ insert: 'w', documents, ...session })).toMatchObject({ ok: 1, n: 3 });
  expect(run({ insert: 'w', documents, ...session })).toMatchObject({ ok: 1, n: 3, retriedStmtIds: [0, 1, 2] });
  expect(count('w')).toBe(3);
  expect(count('system.buckets.w')).toBe(1);
});

describe('the bucket that is open', () => {
  test('is given up when another write has touched it', () => {
    run({ insert: 'w', documents: [{ t: at(0), s: 1 }] });
    run({ update: 'w', updates: [{ q: { s: 1 }, u: { $set: { s: 2 } }, multi: true }] });
    run({ insert: 'w', documents: [{ t: at(1), s: 1 }] });
    expect(count('system.buckets.w')).toBe(2);
    expect((run({ distinct: 'w', key: 's' }).values as number[]).sort()).toEqual([1, 2]);
  });

  test('is written again as long as nobody has', () => {
    for (let i = 0; i < 4; i++) run({ insert: 'w', documents: [{ t: at(i), s: 1 }] });
    expect(buckets().count).toBe(1);
  });
});

test('two clients that insert at one time share a bucket, and both are there', () => {
  const first = member.send({ insert: 'w', documents: [{ t: at(0), s: 1, v: 1 }] }, 'app');
  const second = member.send({ insert: 'w', documents: [{ t: at(1), s: 1, v: 2 }] }, 'app');
  expect(member.reply(first).n).toBe(1);
  expect(member.reply(second).n).toBe(1);
  expect(count('w')).toBe(2);
  expect(buckets().count).toBe(1);
});

test('what is dropped while an insert lets time pass is not made anew by it', () => {
  const drop = member.send({ drop: 'w' }, 'app');
  const insert = member.send({ insert: 'w', documents: [0, 1, 2].map((s) => ({ t: at(0), s })) }, 'app');
  expect(member.reply(drop).ok).toBe(1);
  expect(member.reply(insert)).toMatchObject({ ok: 0, code: 26 });
  expect(run({ listCollections: 1, filter: { name: /w/ }, nameOnly: true })).toMatchObject({
    cursor: { firstBatch: [{ name: 'system.views' }] },
  });
});
