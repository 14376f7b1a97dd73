import { beforeEach, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

// Hashed and wildcard indexes hold no keys: a query that they would serve scans the collection, and is not refused for it.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1, b: { c: 1 }, t: 1 }, { _id: 2, a: 2, b: { c: 2 }, t: 2 });
  const keys = [{ a: 'hashed' }, { 'b.$**': 1 }, { t: 1, x: 'hashed' }];
  const named = keys.map((key) => ({ key, name: Object.entries(key).flat().join('_') }));
  member.ok({ createIndexes: 'c', indexes: named });
});

const first = { _id: 1, a: 1, b: { c: 1 }, t: 1 };

test.for<[hint: unknown, filter: Doc]>([
  ['a_hashed', { a: 1 }],
  [{ a: 'hashed' }, { a: 1 }],
  ['b.$**_1', { 'b.c': 1 }],
  [{ 'b.$**': 1 }, { 'b.c': 1 }],
  [{ t: 1, x: 'hashed' }, { t: 1 }],
])('hint %j', ([hint, filter]) => {
  expect(member.ok({ find: 'c', filter, hint }).cursor.firstBatch).toEqual([first]);
  expect(member.ok({ count: 'c', query: filter, hint })).toMatchObject({ n: 1 });
  expect(member.ok({ aggregate: 'c', pipeline: [{ $match: filter }], hint, cursor: {} }).cursor.firstBatch).toEqual([
    first,
  ]);
  const update = { q: filter, u: { $set: { z: 1 } }, hint };
  expect(member.ok({ update: 'c', updates: [update] })).toMatchObject({ n: 1, nModified: 1 });
  expect(member.ok({ delete: 'c', deletes: [{ q: filter, limit: 1, hint }] })).toMatchObject({ n: 1 });
});

test('a hidden one, and one that is not there, are no hint', () => {
  member.ok({ collMod: 'c', index: { name: 'a_hashed', hidden: true } });
  for (const hint of ['a_hashed', 'b_hashed', { b: 'hashed' }])
    expect(member.run({ find: 'c', hint })).toMatchObject({ ok: 0, code: 2 });
});

test.for<[served: boolean, filter: Doc]>([
  [true, { a: 1 }],
  [true, { a: { $in: [1, 2] } }],
  [true, { 'b.c': { $gt: 0 } }],
  [true, { t: { $lt: 2 } }],
  [true, { a: 1, z: null }],
  [false, { a: { $gt: 0 } }],
  [false, { a: { $not: { $eq: 2 } } }],
  [false, { z: 1 }],
  [false, { bc: 1 }],
])('under notablescan it is %s that a query may ask %j', ([served, filter]) => {
  member.ok({ setParameter: 1, notablescan: true }, 'admin');
  const reply = member.run({ find: 'c', filter });
  if (served) expect(reply).toMatchObject({ ok: 1 });
  else expect(reply).toMatchObject({ ok: 0, code: 291 });
});
