import { encodeDocument, VERSIONS } from '@replsim/protocol';
import { Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const index = (key: object, name: string, more: object = {}) => ({ key, name, ...more });
const collMod = (change: object, collection = 'c') => member.run({ collMod: collection, index: change });
const create = (...indexes: object[]) => member.ok({ createIndexes: 'c', indexes });
/** As a member of long ago may have left it. */
const stored = (expireAfterSeconds: unknown) =>
  member.writes.createIndex('app.c', encodeDocument({ v: 2, key: { t: 1 }, name: 't', expireAfterSeconds }));

describe('the order of the checks', () => {
  const bad = { name: 'nope', expireAfterSeconds: -1 };

  test('parser, build in progress, namespace, presence, value, lookup', () => {
    create(index({ t: 1 }, 't', { expireAfterSeconds: 60 }));
    member.indexBuilds.busy = true;
    expect(collMod({ ...bad, expireAfterSeconds: 'x' }).code).toBe(14);
    expect(collMod({}).code).toBe(12587);
    expect(collMod(bad).codeName).toBe('BackgroundOperationInProgressForNamespace');
    member.indexBuilds.busy = false;
    expect(collMod({ ...bad, name: undefined }, 'zzz').code).toBe(26);
    expect(collMod({ keyPattern: { t: 1 }, ...bad })).toMatchObject({
      code: 72,
      errmsg: expect.stringContaining('both'),
    });
    expect(collMod(bad)).toMatchObject({ code: 72, errmsg: expect.stringContaining('less than 0') });
    expect(collMod({ ...bad, expireAfterSeconds: 0 }).code).toBe(27);
  });

  test('a capped collection before 7.1, whatever else is wrong', () => {
    member.traits = VERSIONS['7.0'];
    member.ok({ create: 'c', capped: true, size: 1024 });
    expect(collMod(bad)).toMatchObject({ code: 72, errmsg: expect.stringContaining('capped') });
    member.traits = VERSIONS['8.0'];
    expect(collMod(bad).errmsg).toContain('less than 0');
  });

  test('a time-series collection points to its own option', () => {
    member.writes.createCollection(
      'app.c',
      encodeDocument({ timeseries: { timeField: 't', bucketMaxSpanSeconds: 3600 } }),
    );
    expect(collMod(bad)).toMatchObject({ code: 72, errmsg: expect.stringContaining('top-level') });
  });
});

test.for<[old: unknown, reply: object]>([
  [new Double(Number.NaN), { expireAfterSeconds_old: 0, expireAfterSeconds_new: 60 }],
  [new Double(1e12), { expireAfterSeconds_old: 0, expireAfterSeconds_new: 60 }],
  [-5, { expireAfterSeconds_old: 0, expireAfterSeconds_new: 60 }],
  [new Double(30.7), { expireAfterSeconds_old: 30, expireAfterSeconds_new: 60 }],
  ['30', { code: 72 }],
  [null, { code: 72 }],
])('an index that was left with %s', ([old, reply]) => {
  member.insert('c', { _id: 1 });
  stored(old);
  expect(collMod({ name: 't', expireAfterSeconds: 60 })).toMatchObject(reply);
});

test('a key pattern is found by its numbers, hidden indexes among the others', () => {
  create(index({ t: new Double(1) }, 't', { hidden: true }), index({ t: -1 }, 'down'), index({ h: 'hashed' }, 'h'));
  expect(collMod({ keyPattern: { t: Long.ONE }, expireAfterSeconds: 5 }).expireAfterSeconds_new).toBe(5);
  expect(collMod({ keyPattern: { t: 2 }, expireAfterSeconds: 5 }).code).toBe(27);
  expect(collMod({ keyPattern: { h: 'hashed' }, expireAfterSeconds: 5 }).expireAfterSeconds_new).toBe(5);
});

describe('hidden', () => {
  test('hiding what is hidden changes nothing, and is not told', () => {
    create(index({ t: 1 }, 't', { expireAfterSeconds: 60, hidden: true }));
    const { ok, $marker, ...reply } = collMod({ name: 't', hidden: true, expireAfterSeconds: 5 });
    expect(reply).toEqual({ expireAfterSeconds_old: 60, expireAfterSeconds_new: 5 });
    expect(member.writes.log.at(-1)?.[3]).toEqual({ expireAfterSeconds: 5 });
    expect(collMod({ name: 't', hidden: false })).toMatchObject({ hidden_old: true, hidden_new: false });
    expect(member.ok({ listIndexes: 'c' }).cursor.firstBatch[1]).not.toHaveProperty('hidden');
  });

  test('not of a system collection', () => {
    member.writes.createCollection('app.system.js', encodeDocument({}));
    member.writes.createIndex('app.system.js', encodeDocument({ v: 2, key: { a: 1 }, name: 'a' }));
    expect(collMod({ name: 'a', hidden: true }, 'system.js').code).toBe(2);
  });
});

test.for([{ keyPattern: null }, { name: null }, { keyPattern: { t: 1 }, hidden: null }])(
  'null is as if absent: %o',
  (said) => {
    create(index({ t: 1 }, 't'));
    expect(collMod({ ...said, ...(!('hidden' in said) && { hidden: true }) }).code).toBe(72);
  },
);

test('to try what cannot be tried changes nothing', () => {
  create(index({ t: 1 }, 't', { expireAfterSeconds: 60 }));
  const change = { name: 't', expireAfterSeconds: 5 };
  expect(member.run({ collMod: 'c', index: change, dryRun: true }).code).toBe(72);
  expect(collMod(change).expireAfterSeconds_old).toBe(60);
});

test('a negative fraction means 0, and the int32 is stored', () => {
  create(index({ t: 1 }, 't', { expireAfterSeconds: new Int32(60) }));
  expect(collMod({ name: 't', expireAfterSeconds: new Double(-0.5) }).expireAfterSeconds_new).toBe(0);
});
