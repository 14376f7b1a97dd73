import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

/** A value of a type that the option does not take. */
const wrong = { document: 'x', bool: 'x', number: 'x', string: 1, array: 1, hint: 5 } as const;
type Kind = keyof typeof wrong;
/** A hint has a parser of its own. */
const codeOf = (kind: Kind) => (kind === 'hint' ? 9 : 14);
type Table = Readonly<Record<string, { base: object; db?: string; options: Readonly<Record<string, Kind>> }>>;

const commands: Table = {
  find: {
    base: { find: 'c' },
    options: {
      filter: 'document', sort: 'document', projection: 'document', min: 'document', max: 'document', collation: 'document',
      let: 'document', readConcern: 'document', skip: 'number', limit: 'number', batchSize: 'number', maxTimeMS: 'number',
      singleBatch: 'bool', returnKey: 'bool', showRecordId: 'bool', allowDiskUse: 'bool', noCursorTimeout: 'bool',
      tailable: 'bool', awaitData: 'bool', oplogReplay: 'bool', allowPartialResults: 'bool', hint: 'hint',
    },
  },
  count: {
    base: { count: 'c' },
    options: { query: 'document', collation: 'document', readConcern: 'document', limit: 'number', skip: 'number', maxTimeMS: 'number', hint: 'hint' },
  },
  distinct: {
    base: { distinct: 'c', key: 'a' },
    options: { key: 'string', query: 'document', collation: 'document', readConcern: 'document', hint: 'hint' },
  },
  insert: {
    base: { insert: 'c', documents: [{}] },
    options: { documents: 'array', ordered: 'bool', bypassDocumentValidation: 'bool', writeConcern: 'document', stmtId: 'number', stmtIds: 'array' },
  },
  update: {
    base: { update: 'c', updates: [{ q: {}, u: {} }] },
    options: { updates: 'array', ordered: 'bool', bypassDocumentValidation: 'bool', let: 'document', writeConcern: 'document' },
  },
  delete: {
    base: { delete: 'c', deletes: [{ q: {}, limit: 1 }] },
    options: { deletes: 'array', ordered: 'bool', let: 'document', writeConcern: 'document' },
  },
  findAndModify: {
    base: { findAndModify: 'c', update: {} },
    options: {
      query: 'document', sort: 'document', fields: 'document', collation: 'document', let: 'document', remove: 'bool', new: 'bool',
      upsert: 'bool', bypassDocumentValidation: 'bool', arrayFilters: 'array', hint: 'hint',
    },
  },
  bulkWrite: {
    base: { bulkWrite: 1, ops: [{ delete: 0, filter: {} }], nsInfo: [{ ns: 'a.b' }] },
    db: 'admin',
    options: { ops: 'array', nsInfo: 'array', ordered: 'bool', errorsOnly: 'bool', bypassDocumentValidation: 'bool', let: 'document', cursor: 'document' },
  },
}; // biome-ignore format: tables

describe('every option of the commands that read and write documents', () => {
  test.for(
    Object.entries(commands).flatMap(([name, { options }]) =>
      Object.entries(options).map(([option, kind]) => [name, option, kind] as const),
    ),
  )('%s: %s of a wrong type is refused', ([name, option, kind]) => {
    const { base, db } = commands[name]!;
    expect(member.run({ ...base, [option]: wrong[kind] }, db)).toMatchObject({ ok: 0, code: codeOf(kind) });
  });

  test.for(Object.entries(commands))('%s: an unknown option is refused by its name', ([name, { base, db }]) => {
    const errmsg = `BSON field '${name}.nope' is an unknown field.`;
    expect(member.run({ ...base, nope: 1 }, db)).toMatchObject({ ok: 0, code: 40415, codeName: 'IDLUnknownField', errmsg }); // biome-ignore format: one line
  });

  test.for(Object.entries(commands))(
    '%s: null is as if it were absent, and a comment is for people',
    ([, { base, options, db }]) => {
      const needed = new Set(Object.keys(base));
      const nulls = Object.fromEntries(Object.keys(options).filter((option) => !needed.has(option) && option !== 'hint').map((option) => [option, null])); // biome-ignore format: one line
      expect(member.run({ ...base, ...nulls, comment: { any: ['thing'] } }, db).ok).toBe(1);
    },
  );

  const inUpdate = { multi: 'bool', upsert: 'bool', upsertSupplied: 'bool', arrayFilters: 'array', hint: 'hint', collation: 'document', sort: 'document', c: 'document', q: 'document' } as const; // biome-ignore format: one line
  test.for(Object.entries(inUpdate))('updates: %s of a wrong type fails the command', ([option, kind]) => {
    const statement = { q: {}, u: { $set: { a: 1 } }, [option]: wrong[kind] };
    expect(member.run({ update: 'c', updates: [statement] })).toMatchObject({ ok: 0, code: codeOf(kind) });
  });
});

test.for<[command: object, db?: string]>([
  [{ find: 'c', hint: null }],
  [{ aggregate: 'c', pipeline: [], cursor: {}, hint: true }],
  [{ explain: { count: 'c', hint: [] } }],
  [{ delete: 'c', deletes: [{ q: {}, limit: 1, hint: 1 }] }],
  [{ bulkWrite: 1, ops: [{ delete: 0, filter: {}, hint: 1 }], nsInfo: [{ ns: 'app.c' }] }, 'admin'],
  [{ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: {}, hint: 1 }], nsInfo: [{ ns: 'app.c' }] }, 'admin'],
])('%j: a hint is a string or an object, and null is neither', ([command, db]) => {
  expect(member.run(command, db)).toMatchObject({ ok: 0, code: 9, errmsg: 'Hint must be a string or an object' });
}); // biome-ignore format: a table

describe('a collation is looked at', () => {
  const nsInfo = [{ ns: 'app.c' }];
  const takers: Readonly<Record<string, (collation: unknown) => object>> = {
    find: (collation) => ({ find: 'c', collation }),
    aggregate: (collation) => ({ aggregate: 'c', pipeline: [], cursor: {}, collation }),
    'aggregate with $out': (collation) => ({ aggregate: 'c', pipeline: [{ $out: 'o' }], cursor: {}, collation }),
    count: (collation) => ({ count: 'c', collation }),
    distinct: (collation) => ({ distinct: 'c', key: 'a', collation }),
    update: (collation) => ({ update: 'c', updates: [{ q: {}, u: {}, collation }] }),
    delete: (collation) => ({ delete: 'c', deletes: [{ q: {}, limit: 1, collation }] }),
    findAndModify: (collation) => ({ findAndModify: 'c', remove: true, collation }),
    'bulkWrite: update': (collation) => ({ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: {}, collation }], nsInfo }),
    'bulkWrite: delete': (collation) => ({ bulkWrite: 1, ops: [{ delete: 0, filter: {}, collation }], nsInfo }),
    explain: (collation) => ({ explain: { find: 'c', collation } }),
    'explain of an aggregation': (collation) => ({ explain: { aggregate: 'c', pipeline: [], cursor: {}, collation } }),
    'explain of an update': (collation) => ({ explain: { update: 'c', updates: [{ q: {}, u: {}, collation }] } }),
    create: (collation) => ({ create: 'new', collation }),
    'create of a view': (collation) => ({ create: 'view', viewOn: 'c', pipeline: [], collation }),
    createIndexes: (collation) => ({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', collation }] }),
  }; // biome-ignore format: a table

  test.for(Object.entries(takers))('by %s', ([name, command]) => {
    const db = name.startsWith('bulkWrite') ? 'admin' : 'app';
    const code = (collation: unknown) => member.run(command(collation), db).code;
    expect(code({ locale: 'en', strength: 9 })).toBe(2);
    expect(code({ locale: 'Elbisch' })).toBe(2);
    expect(code({ strength: 1 })).toBe(40414);
    expect(code({ locale: 'en', nope: 1 })).toBe(40415);
    expect(code({ locale: 'en', version: '60.2' })).toBe(161);
    expect(code({ locale: 'sv', backwards: true })).toBe(2);
    expect(code('en')).toBe(14);
    expect(code({ locale: 'simple' })).toBeUndefined();
    expect(member.engine.collection('app.o')?.count ?? 0).toBe(0);
  });
});

describe('a result that no document can hold is an error', () => {
  const command = { aggregate: 'big', cursor: {} };

  test.for<[command: object, code: number | undefined]>([
    [{ distinct: 'big', key: 's' }, 17217],
    [{ distinct: 'big', key: 's', query: { _id: { $lt: 3 } } }, undefined],
    [{ ...command, pipeline: [{ $group: { _id: null, all: { $push: '$s' } } }] }, 10334],
    [{ ...command, pipeline: [{ $group: { _id: null, all: { $push: '$s' } } }, { $project: { all: { $size: '$all' } } }] }, undefined],
    [{ ...command, pipeline: [{ $match: { _id: 1 } }] }, undefined],
    [{ ...command, pipeline: [{ $group: { _id: null, all: { $push: '$s' } } }, { $out: 'o' }] }, 10334],
  ])('%j', ([command, code]) => {
    member.insert('big', ...[1, 2, 3].map((_id) => ({ _id, s: String(_id).repeat(6_000_000) })));
    expect(member.run(command).code).toBe(code);
  }); // biome-ignore format: a table
});

describe('expressions', () => {
  beforeEach(() => member.insert('c', { _id: 1, name: 'Ada', tags: ['x', 'y'] }, { _id: 2, name: 'Bob', tags: [] }));

  test('$expr knows what an aggregation knows', () => {
    expect(member.find('c', { $expr: { $eq: [{ $size: '$tags' }, 2] } }).map(({ _id }) => _id)).toEqual([1]);
    expect(member.ok({ count: 'c', query: { $expr: { $eq: [{ $toLower: '$name' }, 'bob'] } } }).n).toBe(1);
    expect(member.run({ find: 'c', filter: { $expr: { $nope: 1 } } })).toMatchObject({ ok: 0, code: 168 });
  });

  test('projections compute with it', () => {
    const projection = { _id: 0, upper: { $toUpper: '$name' }, first: { $arrayElemAt: ['$tags', 0] } };
    expect(member.find('c', { _id: 1 }, { projection })).toEqual([{ upper: 'ADA', first: 'x' }]);
  });

  test('let is computed once, before any document', () => {
    const filter = { $expr: { $eq: ['$name', '$$who'] } };
    expect(member.find('c', filter, { let: { who: { $concat: ['A', 'da'] } } })).toHaveLength(1);
    expect(member.find('c', filter, { let: { who: { $literal: 'Bob' } } })).toHaveLength(1);
  });

  test.for<[value: unknown, code: number]>([
    ['$name', 4890500],
    ['$$ROOT', 4890500],
    ['$$CURRENT.name', 4890500],
    [{ a: [{ $concat: ['x', '$name'] }] }, 4890500],
    [{ $getField: 'name' }, 4890500],
    [{ $nope: '$name' }, 168],
    ['$$nope', 17276],
  ])('let that is %j asks for a document where there is none yet', ([value, code]) => {
    const command = { filter: {}, let: { who: value } };
    expect(member.run({ find: 'c', ...command }).code).toBe(code);
    expect(member.run({ aggregate: 'c', pipeline: [], cursor: {}, let: { who: value } }).code).toBe(code);
  });

  test.for<[value: unknown]>([
    [{ $literal: '$name' }],
    ['$$NOW'],
    [{ $getField: { field: 'a', input: { a: 1 } } }],
    [{ $map: { input: [1], in: '$$this' } }],
  ])('let that is %j asks for none', ([value]) => {
    member.ok({ find: 'c', filter: {}, let: { who: value, other: '$$who' } });
  });

  test.for(['NOW', 'CLUSTER_TIME', 'IS_MR', 'JS_SCOPE'])('let of %s, which a command has anyway', (name) => {
    expect(member.run({ find: 'c', let: { [name]: 1 } }).code).toBe(4738901);
    expect(member.run({ aggregate: 'c', pipeline: [], cursor: {}, let: { [name]: 1 } }).code).toBe(4738901);
  });

  test.for(['X', 'ROOT', '_x', '', 'a.b'])('let of a variable called %j: FailedToParse', (name) => {
    expect(member.run({ find: 'c', let: { [name]: 1 } })).toMatchObject({ code: 9, codeName: 'FailedToParse' });
  });

  test('let in updates, deletes and findAndModify', () => {
    const q = { $expr: { $eq: ['$_id', '$$id'] } };
    expect(member.ok({ update: 'c', updates: [{ q, u: { $set: { n: 1 } } }], let: { id: 2 } }).nModified).toBe(1);
    expect(member.ok({ findAndModify: 'c', query: q, update: { $inc: { n: 1 } }, new: true, let: { id: 2 } }).value.n).toBe(2); // biome-ignore format: one line
    expect(member.ok({ delete: 'c', deletes: [{ q, limit: 0 }], let: { id: 2 } }).n).toBe(1);
  });
});
