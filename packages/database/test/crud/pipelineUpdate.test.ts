import { decodeDocument } from '@replsim/protocol';
import { Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1, b: 10 }, { _id: 2, a: 2, b: 20 });
});

const update = (statement: object, more: object = {}) => member.run({ update: 'c', updates: [statement], ...more });

describe('update by pipeline', () => {
  test.for([
    ['$set', [{ $set: { sum: { $add: ['$a', '$b'] } } }], { _id: 1, a: 1, b: 10, sum: 11 }],
    ['$addFields, then what it made', [{ $addFields: { c: '$a' } }, { $set: { d: '$c' } }], { _id: 1, a: 1, b: 10, c: 1, d: 1 }],
    ['$unset', [{ $unset: 'b' }], { _id: 1, a: 1 }],
    ['$project', [{ $project: { a: 1 } }], { _id: 1, a: 1 }],
    ['$replaceRoot', [{ $replaceRoot: { newRoot: { x: '$b' } } }], { _id: 1, x: 10 }],
    ['$replaceWith', [{ $replaceWith: { x: { $literal: '$b' } } }], { _id: 1, x: '$b' }],
    ['nothing', [], { _id: 1, a: 1, b: 10 }],
  ] as [string, object[], object][])('%s', ([, u, after]) => {
    const changes = u.length > 0 ? 1 : 0;
    expect(update({ q: { _id: 1 }, u })).toMatchObject({ n: 1, nModified: changes, ok: 1 });
    expect(member.documents('app.c')[0]).toEqual(after);
    expect(member.writes.log).toHaveLength(changes);
  }); // biome-ignore format: a table

  test('of all that match, each by its own fields', () => {
    expect(update({ q: {}, u: [{ $set: { a: '$b' } }], multi: true })).toMatchObject({ n: 2, nModified: 2 });
    expect(member.documents('app.c').map(({ a }) => a)).toEqual([10, 20]);
  });

  test('what is computed is stored with the type that mongod gives it', () => {
    const computed = {
      half: { $divide: [4, 2] },
      text: { $toString: '$a' },
      long: { $toLong: '$b' },
      rest: { $mod: [7, 4] },
    };
    update({ q: { _id: 1 }, u: [{ $set: computed }] });
    const records = member.engine.collection('app.c')?.records();
    records?.next();
    expect(records && decodeDocument(records.document.bytes)).toMatchObject({
      half: new Double(2),
      text: '1',
      long: Long.fromNumber(10),
      rest: new Int32(3),
    });
  });

  test('constants of the statement, and of let, which they hide', () => {
    const u = [{ $set: { a: '$$x', b: '$$y' } }];
    update({ q: { _id: 1 }, u, c: { x: 'own' } }, { let: { x: 'let', y: 'let' } });
    expect(member.documents('app.c')[0]).toEqual({ _id: 1, a: 'own', b: 'let' });
  });

  test('$$NOW is the member’s wall clock', () => {
    update({ q: { _id: 1 }, u: [{ $set: { at: '$$NOW' } }] });
    expect(Math.abs(member.documents('app.c')[0]!.at.getTime() - member.now.wallMs)).toBeLessThan(2);
  });

  test('upsert: the fields of the query, then the stages', () => {
    const reply = update({ q: { _id: 9, k: 'v' }, u: [{ $set: { copy: '$k' } }], upsert: true });
    expect(reply).toMatchObject({ n: 1, nModified: 0, upserted: [{ index: 0, _id: 9 }] });
    expect(member.documents('app.c')[2]).toEqual({ _id: 9, k: 'v', copy: 'v' });
  });

  test('upsertSupplied: the constant `new` as it is', () => {
    const statement = { q: { _id: 9 }, u: [{ $set: { x: 1 } }], upsert: true, upsertSupplied: true };
    expect(update({ ...statement, c: { new: { _id: 9, y: 2 } } })).toMatchObject({ n: 1, ok: 1 });
    expect(member.documents('app.c')[2]).toEqual({ _id: 9, y: 2 });
    expect(update(statement).writeErrors).toMatchObject([{ code: 9 }]);
  });

  test.for([
    ['a stage of many documents', { u: [{ $match: {} }] }, 72],
    ['a stage that there is not', { u: [{ $nope: {} }] }, 40324],
    ['two stages in one', { u: [{ $set: { a: 1 }, $unset: 'b' }] }, 40323],
    ['another _id', { u: [{ $set: { _id: 7 } }] }, 66],
    ['arrayFilters', { u: [{ $set: { a: 1 } }], arrayFilters: [{ x: 1 }] }, 9],
    ['constants without a pipeline', { u: { $set: { a: 1 } }, c: { x: 1 } }, 51198],
  ] as const)('%s is refused', ([, statement, code]) => {
    expect(update({ q: { _id: 1 }, ...statement }).writeErrors).toMatchObject([{ index: 0, code }]);
    expect(member.writes.log).toEqual([]);
  });

  // Mistakes in how it is written are reported whether or not there is a document.
  test.for([
    [[{ $set: { a: { $nope: 1 } } }], 168],
    [[{ $unset: '' }], 40352],
    [[{ $unset: 5 }], 31002],
    [[{ $set: { a: 1, 'a.b': 2 } }], 40176],
    [[{ $project: {} }], 51272],
    [[{ $set: { 'a.': 1 } }], 40353],
    [[{ $addFields: 2 }], 40272],
    [[{ $set: { a: '$$nope' } }], 17276],
    [[{ $set: { a: '$$_x' } }], 9],
  ] as [object[], number][])('%j: %i, though nothing matches', ([u, code]) => {
    for (const q of [{ _id: 1 }, { _id: 7 }]) expect(update({ q, u }).writeErrors).toMatchObject([{ index: 0, code }]);
    expect(member.run({ findAndModify: 'c', query: { _id: 7 }, update: u })).toMatchObject({ ok: 0, code });
    expect(member.run({ update: 'none', updates: [{ q: {}, u }] }).writeErrors).toMatchObject([{ index: 0, code }]);
  });

  test('a constant has a name that a variable may have', () => {
    const u = [{ $set: { a: 1 } }];
    expect(update({ q: { _id: 7 }, u, c: { _x: 1 } }).writeErrors).toMatchObject([{ code: 9 }]);
    expect(update({ q: { _id: 7 }, u, c: { X: 1 } })).toMatchObject({ ok: 1, n: 0 });
  });

  test('in findAndModify and in bulkWrite', () => {
    const found = member.ok({ findAndModify: 'c', query: { _id: 1 }, update: [{ $set: { a: { $add: ['$a', '$$by'] } } }], new: true, let: { by: 5 } }); // biome-ignore format: one line
    expect(found.value).toEqual({ _id: 1, a: 6, b: 10 });
    const ops = [{ update: 0, filter: { _id: 2 }, updateMods: [{ $set: { a: '$$x' } }], constants: { x: 'c' } }];
    expect(member.ok({ bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }] }, 'admin').nModified).toBe(1);
    expect(member.documents('app.c')[1]).toEqual({ _id: 2, a: 'c', b: 20 });
  });
});
