import { VERSIONS } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
});

const collMod = (index: object, more: object = {}) =>
  member.run({ collMod: 'c', index: { name: 'a_1', ...index }, ...more });
const insert = (...documents: object[]) => member.run({ insert: 'c', documents });
const listed = () => member.ok({ listIndexes: 'c' }).cursor.firstBatch[1];

test('in two steps an index becomes unique, and by a third it is no more', () => {
  expect(collMod({ prepareUnique: true })).toMatchObject({ ok: 1, prepareUnique_old: false, prepareUnique_new: true });
  expect(listed()).toMatchObject({ prepareUnique: true });
  expect(listed()).not.toHaveProperty('unique');
  const reply = collMod({ unique: true });
  expect(reply).toMatchObject({ ok: 1, unique_new: true });
  expect(reply).not.toHaveProperty('prepareUnique_new');
  expect(listed()).toEqual({ v: 2, key: { a: 1 }, name: 'a_1', unique: true });
  expect(collMod({ forceNonUnique: true })).toMatchObject({ ok: 1, forceNonUnique_new: true });
  expect(listed()).toEqual({ v: 2, key: { a: 1 }, name: 'a_1' });
  expect(member.writes.log.slice(-3)).toEqual([
    ['collMod', 'app.c', 'a_1', { prepareUnique: true }],
    ['collMod', 'app.c', 'a_1', { unique: true }],
    ['collMod', 'app.c', 'a_1', { forceNonUnique: true }],
  ]);
});

test('an index that prepares refuses new duplicates and leaves old ones be', () => {
  insert({ _id: 1, a: 1 }, { _id: 2, a: 1 }, { _id: 3, a: [5, 6] });
  collMod({ prepareUnique: true });
  expect(insert({ _id: 4, a: 1 }).writeErrors[0]).toMatchObject({ code: 11000, keyPattern: { a: 1 } });
  const update = (_id: number, u: object) => member.run({ update: 'c', updates: [{ q: { _id }, u }] });
  expect(update(2, { $set: { b: 1 } })).toMatchObject({ ok: 1, nModified: 1 });
  expect(update(3, { $set: { a: [5, 7] } })).toMatchObject({ ok: 1, nModified: 1 });
  expect(update(3, { $set: { a: 1 } }).writeErrors[0].code).toBe(11000);
  collMod({ prepareUnique: false });
  expect(insert({ _id: 4, a: 1 })).toMatchObject({ ok: 1, n: 1 });
});

test('an index made to prepare takes the duplicates that are there', () => {
  insert({ _id: 1, b: 1 }, { _id: 2, b: 1 });
  member.ok({ createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b_1', prepareUnique: true }] });
  expect(insert({ _id: 3, b: 1 }).writeErrors[0].code).toBe(11000);
});

describe('documents that share keys', () => {
  test.for([false, true])('are named by their ids, group by group (dryRun %o)', (dryRun) => {
    insert({ _id: 2, a: 9 }, { _id: 1, a: 9 }, { _id: 'x', a: 3 }, { _id: 5, a: [3, 4] }, { _id: 6, a: 10 });
    collMod({ prepareUnique: true });
    expect(collMod({ unique: true }, { dryRun })).toMatchObject({
      code: 359,
      codeName: 'CannotConvertIndexToUnique',
      violations: [{ ids: ['x', 5] }, { ids: [2, 1] }],
    });
    expect(listed()).toMatchObject({ prepareUnique: true });
  });

  test('those that fit in 8 MB, and at least one', () => {
    const id = (megabytes: number, last: string) => 'x'.repeat(megabytes * 1024 * 1024) + last;
    for (const last of 'abcdefgh') insert({ _id: id(1, last), a: 1 });
    collMod({ prepareUnique: true });
    const { violations, errmsg } = collMod({ unique: true });
    expect(violations).toHaveLength(1);
    expect(violations[0].ids).toHaveLength(7);
    expect(errmsg).toContain('and more');
    member.ok({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    collMod({ prepareUnique: false });
    for (const last of 'ab') insert({ _id: id(9, last), a: 1 });
    collMod({ prepareUnique: true });
    expect(collMod({ unique: true }).violations).toMatchObject([{ ids: [id(9, 'a')] }]);
  });
});

test('a dry run changes nothing', () => {
  collMod({ prepareUnique: true });
  const logged = member.writes.log.length;
  const reply = collMod({ unique: true }, { dryRun: true });
  expect(reply).toMatchObject({ ok: 1 });
  expect(reply).not.toHaveProperty('unique_new');
  expect(member.writes.log).toHaveLength(logged);
});

test.for<[what: string, index: object, more: object, code: number]>([
  ['not prepared', { unique: true }, {}, 72],
  ['no bool', { unique: '100' }, {}, 14],
  ['unique: false', { unique: false }, {}, 2],
  ['forceNonUnique: false', { forceNonUnique: false }, {}, 2],
  ['both', { unique: true, forceNonUnique: true }, {}, 72],
  ['prepareUnique and hidden', { prepareUnique: true, hidden: true }, {}, 72],
  ['prepareUnique and of the collection', { prepareUnique: true }, { validationLevel: 'off' }, 72],
  ['a dry run of something else', { hidden: true }, { dryRun: true }, 72],
])('%s', ([, index, more, code]) => {
  const logged = member.writes.log.length;
  expect(collMod(index, more).code).toBe(code);
  expect(member.writes.log).toHaveLength(logged);
});

test('a dry run is of nothing besides, and needs the collection', () => {
  collMod({ prepareUnique: true });
  expect(collMod({ unique: true, hidden: true }, { dryRun: true }).code).toBe(72);
  expect(collMod({ unique: true }, { dryRun: true, validationLevel: 'off' }).code).toBe(72);
  expect(member.run({ collMod: 'c', dryRun: true }).code).toBe(72);
  expect(member.run({ collMod: 'zzz', index: { name: 'a_1', unique: true } }).code).toBe(26);
});

test('asking for what holds already is no change, and may be combined', () => {
  expect(collMod({ prepareUnique: false, hidden: true })).toMatchObject({ ok: 1, hidden_new: true });
  member.ok({ createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b_1', unique: true }] });
  const reply = member.ok({ collMod: 'c', index: { name: 'b_1', unique: true, prepareUnique: true } });
  expect(Object.keys(reply)).not.toContain('unique_new');
  expect(member.writes.log.at(-1)).toEqual(['collMod', 'app.c', 'b_1', {}]);
});

test('hidden and unique at once', () => {
  collMod({ prepareUnique: true });
  expect(collMod({ unique: true, hidden: true })).toMatchObject({ hidden_new: true, unique_new: true });
});

test('3.2 knows nothing of it', () => {
  member.traits = VERSIONS['3.2'];
  expect(member.run({ collMod: 'c', index: { keyPattern: { a: 1 }, prepareUnique: true } }).code).toBe(72);
});
