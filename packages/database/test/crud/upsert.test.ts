import { Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

type Update = object | readonly object[];

/** One upsert through each command that can make one: the code of what goes wrong, or nothing. */
const WAYS: Record<string, (q: object, u: Update, more?: object) => number | undefined> = {
  update: (q, u, more) => member.run({ update: 'c', updates: [{ q, u, upsert: true }], ...more }).writeErrors?.[0].code,
  updateMany: (q, u, more) =>
    member.run({ update: 'c', updates: [{ q, u, upsert: true, multi: true }], ...more }).writeErrors?.[0].code,
  findAndModify: (query, u, more) => member.run({ findAndModify: 'c', query, update: u, upsert: true, ...more }).code,
  bulkWrite: (filter, updateMods, more) => {
    const ops = [{ update: 0, filter, updateMods, upsert: true }];
    return member.run({ bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }], ...more }, 'admin').cursor.firstBatch[0].code;
  },
};
const ways = Object.keys(WAYS);
const made = () => member.documents('app.c');
const always = { $expr: true };

describe.for(ways)('$expr in the filter of an upsert by %s', (way) => {
  const upsert = WAYS[way]!;
  test.for([
    always,
    { _id: 1, $expr: { $lt: ['$a', '$$NOW'] } },
    { $and: [{ _id: 1 }, always] },
    { $or: [{ _id: 1 }, always] },
    { $or: [always] },
    { $nor: [always] },
    { $and: [{ $or: [{ $nor: [{ $and: [always] }] }] }] },
  ])('%j', (filter) => {
    for (const u of way === 'updateMany' ? [{ $set: { b: 1 } }] : [{ $set: { b: 1 } }, { b: 1 }, [{ $set: { b: 1 } }]])
      expect(upsert(filter, u)).toBe(224);
    expect(made()).toEqual([]);
  });
});

test('the message says what is not allowed; without upsert it is', () => {
  const statement = { q: always, u: { $set: { a: 1 } } };
  expect(member.run({ update: 'c', updates: [{ ...statement, upsert: true }] }).writeErrors[0].errmsg).toBe(
    '$expr is not allowed in the query predicate for an upsert',
  );
  member.insert('c', { _id: 1 });
  expect(member.run({ update: 'c', updates: [statement] })).toMatchObject({ n: 1 });
  expect(member.run({ findAndModify: 'c', query: always, remove: true })).toMatchObject({ lastErrorObject: { n: 1 } });
});

// Upstream: jstests/core/write/update/upsert_fields.js.
describe.for(ways)('what the filter gives to the document that %s inserts', (way) => {
  const upsert = WAYS[way]!;
  const set = { $set: { z: 1 } };
  test.for([
    [{ x: { $in: [1] } }, { x: 1 }],
    [{ x: { $in: [1, 1] } }, { x: 1 }],
    [{ x: { $in: [1, 2] } }, {}],
    [{ x: { $all: [1] } }, { x: 1 }],
    [{ $and: [{ x: { $eq: 1 } }] }, { x: 1 }],
    [{ $or: [{ x: { $eq: 1 } }] }, { x: 1 }],
    [{ $or: [{ x: 1 }, { x: 2 }] }, {}],
    [{ x: { $eq: /a/ } }, { x: /a/ }],
    [{ x: /a/ }, {}],
    [{ x: { $elemMatch: { $eq: 1 } } }, {}],
    [{ x: { $not: { $eq: 1 } } }, {}],
    [{ $nor: [{ x: 1 }] }, {}],
    [{ x: { 'x.x': 1 } }, { x: { 'x.x': 1 } }],
    [{ 'x.x': 1, 'x.y': { $eq: 2 } }, { x: { x: 1, y: 2 } }],
    [{ 'x.$id': 1 }, { x: { $id: 1 } }],
    [{ '_id.y': 2, '_id.x': 1 }, { _id: { x: 1, y: 2 } }],
    [
      { b: 1, a: 2 },
      { a: 2, b: 1 },
    ],
  ] as [object, object][])('%j: %j', ([filter, expected]) => {
    expect(upsert(filter, set)).toBeUndefined();
    expect(made()).toMatchObject([{ ...expected, z: 1 }]);
    expect(Object.keys(made()[0]!).filter((name) => name !== '_id')).toEqual([
      ...Object.keys(expected).filter((name) => name !== '_id'),
      'z',
    ]);
  });

  test.for([
    [{ 'a.b': 1, a: 2 }, 54],
    [{ a: 2, 'a.b': 1 }, 54],
    [{ a: 1, 'a.b': 2 }, 54],
    [{ a: {}, 'a.b.c': 2 }, 54],
    [{ a: { b: 1 }, 'a.b': 1 }, 54],
    [{ $and: [{ a: 1 }, { a: 1 }] }, 54],
    [{ $and: [{ a: 1 }, { 'a.b': { $in: [1] } }] }, 54],
    [{ a: { $eq: 1, $in: [2] } }, 54],
    [{ a: { $all: [1, 2] } }, 54],
    [{ _id: 1, '_id.x': 1 }, 54],
  ] as [object, number][])('%j: refused with %i', ([filter, code]) => {
    expect(upsert(filter, set)).toBe(code);
    expect(made()).toEqual([]);
  });
});

describe.for(ways.filter((way) => way !== 'updateMany'))('a whole document that %s inserts', (way) => {
  const upsert = WAYS[way]!;
  test.for([
    [{ a: 1, 'a.b': 2 }, undefined],
    [{ a: { $all: [1, 2] } }, undefined],
    [{ '_id.x': 1 }, 111],
    [{ '_id.x': 1, '_id.y': 2 }, 111],
    [{ _id: 1, '_id.x': 1 }, 111],
    [{ _id: { $all: [1, 2] } }, 54],
    [{ $and: [{ _id: 1 }, { _id: 2 }] }, 54],
  ] as [object, number | undefined][])('only the _id of its filter counts: %j, %s', ([filter, code]) => {
    expect(upsert(filter, { z: 1 })).toBe(code);
    expect(made()).toHaveLength(code === undefined ? 1 : 0);
  });
});

describe.for(ways)('names that begin with a dollar, by %s', (way) => {
  const upsert = WAYS[way]!;
  const forms: Update[] = [
    { $set: { $myKey: 1 } },
    { $setOnInsert: { $myKey: 1 } },
    { $inc: { $myKey: 1 } },
    { $max: { $myKey: 1 } },
    { $set: { '$myKey.a': 1 } },
    { $push: { $myKey: 1 } },
    { $set: { old: 1 }, $rename: { a: '$myKey' } },
    { a: 2, $myKey: 1 },
    [{ $replaceWith: { $setField: { field: { $literal: '$myKey' }, input: '$$ROOT', value: 1 } } }],
  ];
  const offered = way === 'updateMany' ? forms.filter((u) => !('a' in u)) : forms;

  test.for(offered)('an insert may have them: %j', (u) => {
    expect(upsert({ _id: 1, a: 1 }, u)).toBeUndefined();
    expect(made()[0]).toHaveProperty('$myKey');
  });

  test.for(offered)('an update may not, but for a pipeline: %j', (u) => {
    member.insert('c', { _id: 1, a: 1 });
    const insertsOnly = '$setOnInsert' in u;
    expect(upsert({ _id: 1 }, u)).toBe(Array.isArray(u) || insertsOnly ? undefined : 52);
    expect('$myKey' in made()[0]!).toBe(Array.isArray(u));
  });

  test.for([
    [{ $set: { '$myKey.b': 2 } }, undefined],
    [{ $set: { $myKey: { a: 1 } } }, undefined],
    [{ $set: { $myKey: 5 } }, 52],
    [{ $unset: { $myKey: 1 } }, undefined],
    [{ $rename: { $myKey: 'b' } }, undefined],
    [{ $set: { 'a.$x': 1 } }, undefined],
    [{ $set: { $ref: 'c' } }, 55],
    [{ $set: { $id: 1 } }, 55],
    [{ $set: { $db: 'd' } }, 55],
  ] as [object, number | undefined][])('one that is there: %j, %s', ([u, code]) => {
    member.insert('c', { _id: 1, $myKey: { a: 1 } });
    expect(upsert({ _id: 1 }, u)).toBe(code);
  });
});

// Upstream: jstests/core/write/empty_ts/empty_ts.js and bypass_empty_ts_replacement.js.
describe.for(ways)('null timestamps, by %s', (way) => {
  const upsert = WAYS[way]!;
  const zero = new Timestamp({ t: 0, i: 0 });
  const forms: [string, Update, boolean][] = [
    ['a whole document', { a: zero, deep: { a: zero }, list: [zero] }, true],
    ['operators', { $set: { a: zero } }, false],
    ['a pipeline', [{ $set: { a: zero } }], false],
    ['a pipeline that replaces', [{ $replaceWith: { a: zero } }], false],
  ];
  const offered = way === 'updateMany' ? forms.slice(1) : forms;
  test.for(offered)('%s', ([, u, fills]) => {
    member.insert('c', { _id: 1, a: 1 });
    for (const _id of [1, 2]) {
      upsert({ _id }, u);
      const document = made().find((each) => each._id === _id)!;
      expect([_id, document.a.t > 0]).toEqual([_id, fills]);
      if (document.deep) expect([document.deep.a.t, document.list[0].t]).toEqual([0, 0]);
    }
    upsert({ _id: 3 }, u, { bypassEmptyTsReplacement: true });
    expect(made().find(({ _id }) => _id === 3)!.a.t).toBe(0);
  });

  test('not in an _id', () => {
    if (way === 'updateMany') return;
    for (let i = 0; i < 2; i++) {
      upsert({ _id: zero }, { _id: zero, a: zero, b: zero });
      expect(made()).toHaveLength(1);
      expect(made()[0]!._id.t).toBe(0);
      expect(made()[0]!.a.t).toBeGreaterThan(0);
      expect(made()[0]!.b.greaterThan(made()[0]!.a)).toBe(true);
    }
  });
});

test('bypassEmptyTsReplacement of an insert', () => {
  member.ok({ insert: 'c', documents: [{ _id: 1, a: new Timestamp({ t: 0, i: 0 }) }], bypassEmptyTsReplacement: true });
  expect(made()[0]!.a.t).toBe(0);
  expect(member.run({ insert: 'c', documents: [{}], bypassEmptyTsReplacement: 'x' }).code).toBe(14);
});
