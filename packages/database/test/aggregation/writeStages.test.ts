import { encodeDocument } from '@replsim/protocol';
import { Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, k: 'a', n: 1 }, { _id: 2, k: 'b', n: 2 });
});

const into = (stage: object, more: object = {}) =>
  member.run({ aggregate: 'c', pipeline: [stage], cursor: {}, ...more });

describe('$out', () => {
  test('makes a collection, and puts one in the place of another that keeps its indexes and options', () => {
    expect(into({ $out: 'o' })).toMatchObject({ ok: 1, cursor: { id: 0, firstBatch: [], ns: 'app.c' } });
    expect(member.find('o')).toEqual([{ _id: 1, k: 'a', n: 1 }, { _id: 2, k: 'b', n: 2 }]); // biome-ignore format: one line
    member.ok({ createIndexes: 'o', indexes: [{ key: { n: 1 }, name: 'n_1', expireAfterSeconds: 5 }] });
    member.insert('o', { _id: 9 });
    member.writes.log.length = 0;
    into({ $out: { db: 'app', coll: 'o' } });
    expect(member.find('o').map(({ _id }) => _id)).toEqual([1, 2]);
    expect(member.ok({ listIndexes: 'o' }).cursor.firstBatch).toMatchObject([{ name: '_id_' }, { name: 'n_1', expireAfterSeconds: 5 }]); // biome-ignore format: one line
    expect(member.writes.log.map(([name]) => name)).toEqual(['create', 'createIndex', 'insert', 'rename']);
    expect(member.writes.log.at(-1)).toEqual(['rename', expect.stringMatching(/^app\.tmp.{5}\.agg_out$/), 'app.o']);
  });

  test('into another database, and of nothing', () => {
    into({ $out: { db: 'other', coll: 'o' } });
    expect(member.documents('other.o')).toHaveLength(2);
    member.ok({ aggregate: 'c', pipeline: [{ $match: { _id: 7 } }, { $out: { db: 'other', coll: 'o' } }], cursor: {} });
    expect(member.documents('other.o')).toEqual([]);
  });

  test('what a unique index refuses leaves everything as it was', () => {
    member.insert('o', { _id: 9, u: 1 });
    member.ok({ createIndexes: 'o', indexes: [{ key: { u: 1 }, name: 'u_1', unique: true }] });
    const doubled = [{ $set: { u: 5 } }, { $out: 'o' }];
    expect(member.run({ aggregate: 'c', pipeline: doubled, cursor: {} }).code).toBe(11000);
    expect(member.find('o')).toEqual([{ _id: 9, u: 1 }]);
    expect([...member.engine.collections()].map(({ ns }) => ns).filter((ns) => ns.includes('tmp'))).toEqual([]);
  });
});

describe('$merge', () => {
  const before = [{ _id: 1, old: true, n: 7 }];
  const merged = (more: object, documents: object[] = before) => {
    member.insert('t', ...documents);
    const { code } = into({ $merge: { into: 't', ...more } });
    return code ?? member.find('t');
  };

  const added = { _id: 2, k: 'b', n: 2 };

  test.for<[more: object, expected: unknown]>([
    [{}, [{ _id: 1, old: true, n: 1, k: 'a' }, added]],
    [{ whenMatched: 'merge', whenNotMatched: 'discard' }, [{ _id: 1, old: true, n: 1, k: 'a' }]],
    [{ whenMatched: 'replace' }, [{ _id: 1, k: 'a', n: 1 }, added]],
    [{ whenMatched: 'keepExisting' }, [...before, added]],
    [{ whenMatched: 'fail' }, 11000],
    [{ whenMatched: 'merge', whenNotMatched: 'fail' }, 13113],
    [{ whenMatched: [{ $set: { n: { $add: ['$n', '$$new.n'] } } }] }, [{ _id: 1, old: true, n: 8 }, added]],
    [{ whenMatched: [{ $set: { n: '$$five' } }], let: { five: 5 } }, [{ _id: 1, old: true, n: 5 }, added]],
    [{ on: '_id' }, [{ _id: 1, old: true, n: 1, k: 'a' }, added]],
    [{ on: 'k' }, 51183],
    [{ on: [] }, 51187],
    [{ on: 5 }, 51186],
    [{ whenMatched: 'nope' }, 2],
    [{ whenNotMatched: 'nope' }, 2],
    [{ whenMatched: 'fail', whenNotMatched: 'discard' }, 51181],
    [{ let: { a: 1 } }, 51199],
    [{ whenMatched: [{ $match: {} }] }, 72],
    [{ whenMatched: [], let: { new: 5 } }, 51273],
    [{ whenMatched: [{ $set: { n: 0 } }], let: { new: '$$ROOT' } }, [{ _id: 1, old: true, n: 0 }, added]],
    [{ whenMatched: [{ $set: { n: '$$new.n' } }], let: { x: 1 } }, [{ _id: 1, old: true, n: 1 }, added]],
    [{ whenMatched: [{ $set: { n: '$$new.n' } }], let: { x: 1 }, whenNotMatched: 'discard' }, 17276],
    [{ nope: 1 }, 40415],
    [{ into: 5 }, 51178],
  ])('%j', ([more, expected]) => {
    expect(merged(more)).toEqual(expected);
  });

  test('a pipeline is read for each document, whether or not one matches; a let even without one', () => {
    for (const whenNotMatched of ['insert', 'discard', 'fail']) {
      const broken = { $merge: { into: 't', whenMatched: [{ $addFields: 2 }], whenNotMatched } };
      const none = [{ $match: { _id: 7 } }, broken];
      expect(into(broken)).toMatchObject({ ok: 0, code: 40272 });
      expect(member.run({ aggregate: 'c', pipeline: none, cursor: {} }).ok).toBe(1);
    }
    const undefinedLet = { $merge: { into: 't', whenMatched: [], let: { x: '$$nope' } } };
    expect(member.run({ aggregate: 'c', pipeline: [{ $match: { _id: 7 } }, undefinedLet], cursor: {} }).code).toBe(
      17276,
    );
    expect(member.find('t')).toEqual([]);
  });

  test('on other fields, which a unique index holds', () => {
    member.insert('t', { _id: 'x', k: 'a', old: true });
    member.ok({ createIndexes: 't', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] });
    const pipeline = [{ $unset: '_id' }, { $match: { k: 'a' } }, { $merge: { into: 't', on: 'k' } }];
    member.ok({ aggregate: 'c', pipeline, cursor: {} });
    expect(member.find('t')).toEqual([{ _id: 'x', k: 'a', old: true, n: 1 }]);
    expect(into({ $merge: { into: 't', on: 'k', whenMatched: 'replace' } }).code).toBe(66);
    const keyless = [{ $unset: 'k' }, { $merge: { into: 't', on: 'k' } }];
    expect(member.run({ aggregate: 'c', pipeline: keyless, cursor: {} }).code).toBe(51132);
  });

  test('what does not change is not written', () => {
    into({ $merge: 't' });
    member.writes.log.length = 0;
    into({ $merge: 't' });
    expect(member.writes.log).toEqual([]);
  });

  test('values keep their types', () => {
    member.insert('long', { _id: 1, n: Long.fromNumber(5) });
    member.ok({ aggregate: 'long', pipeline: [{ $merge: 'copy' }], cursor: {} });
    const bytes = encodeDocument({ find: 'copy', filter: { n: { $type: 'long' } }, $db: 'app' });
    expect(new Running(member, member.dispatcher.start(bytes).run(member, 1)).finish().cursor.firstBatch).toHaveLength(1); // biome-ignore format: one line
  });
});

describe('the validator of the target', () => {
  const validator = { n: { $lt: 2 } };

  test.for<[what: string, stage: Doc, before: object[], after: object[]]>([
    ['$out, which then changes nothing', { $out: 't' }, [{ _id: 9, n: 0 }], [{ _id: 9, n: 0 }]],
    ['what $merge adds', { $merge: 't' }, [], [{ _id: 1, k: 'a', n: 1 }]],
    ['what $merge adds where nothing may match', { $merge: { into: 't', whenMatched: 'fail' } }, [], [{ _id: 1, k: 'a', n: 1 }]],
    ['what $merge changes', { $merge: 't' }, [{ _id: 2, n: 0 }], [{ _id: 1, k: 'a', n: 1 }, { _id: 2, n: 0 }]],
    ['what $merge replaces', { $merge: { into: 't', whenMatched: 'replace' } }, [{ _id: 2, n: 0 }], [{ _id: 1, k: 'a', n: 1 }, { _id: 2, n: 0 }]],
    ['what its pipeline makes', { $merge: { into: 't', whenMatched: [{ $set: { n: 7 } }] } }, [{ _id: 2, n: 0 }], [{ _id: 1, k: 'a', n: 1 }, { _id: 2, n: 0 }]],
  ])('judges %s, unless it is bypassed', ([, stage, before, after]) => {
    member.ok({ create: 't', validator });
    if (before.length > 0) member.insert('t', ...before);
    expect(into(stage)).toMatchObject({ code: 121, errInfo: { details: { operatorName: '$lt' } } });
    expect(member.find('t', {}, { sort: { _id: 1 } })).toEqual(after);
    expect(into(stage, { bypassDocumentValidation: true }).ok).toBe(stage.$merge?.whenMatched === 'fail' ? 0 : 1);
    expect([...member.engine.collections()].map(({ ns }) => ns).filter((ns) => ns.includes('tmp'))).toEqual([]);
  }); // biome-ignore format: a table

  test('lets a document stay invalid at the level moderate, and keeps its place after $out', () => {
    member.ok({ create: 't', validator, validationLevel: 'moderate' });
    member.ok({ insert: 't', documents: [{ _id: 2, n: 9 }], bypassDocumentValidation: true });
    expect(into({ $merge: { into: 't', whenNotMatched: 'discard' } }).ok).toBe(1);
    expect(member.find('t')).toEqual([{ _id: 2, n: 2, k: 'b' }]);
    member.ok({ aggregate: 'c', pipeline: [{ $match: { n: 1 } }, { $out: 't' }], cursor: {} });
    expect(into({ $out: 't' }).code).toBe(121);
  });
});

test('a document that grows too large by $merge is refused', () => {
  member.insert('t', { _id: 1, a: 'x'.repeat(9_000_000) });
  member.insert('c2', { _id: 1, b: 'x'.repeat(9_000_000) });
  expect(member.run({ aggregate: 'c2', pipeline: [{ $merge: 't' }], cursor: {} }).code).toBe(17419);
});

test.for<[stage: object, code: number]>([
  [{ $out: 5 }, 16990],
  [{ $out: { db: 'admin', coll: 'x' } }, 31321],
  [{ $merge: { into: { db: 'config', coll: 'x' } } }, 31321],
  [{ $out: 'system.x' }, 17385],
  [{ $out: { db: 'app' } }, 40414],
  [{ $out: 'capped' }, 17152],
  [{ $out: 'view' }, 166],
  [{ $merge: 'view' }, 166],
  [{ $merge: 5 }, 51182],
])('%j is refused with %i', ([stage, code]) => {
  member.ok({ create: 'capped', capped: true, size: 4096 });
  member.ok({ create: 'view', viewOn: 'c', pipeline: [] });
  expect(into(stage).code).toBe(code);
});

test('only a primary writes, waits for its write concern, and not inside a view', () => {
  into({ $out: 'o' }, { writeConcern: { w: 2 } });
  expect(member.writeConcerns.at(-1)).toMatchObject({ w: 2 });
  member.writable = false;
  expect(into({ $out: 'o' }, { $readPreference: { mode: 'secondary' } }).code).toBe(10107);
  member.writable = true;
  expect(member.run({ create: 'v', viewOn: 'c', pipeline: [{ $merge: 'o' }] }).code).toBe(167);
});

test('explain shows a stage that writes, and writes nothing', () => {
  const command = { aggregate: 'c', pipeline: [{ $group: { _id: '$k' } }, { $out: 'o' }], cursor: {} };
  const { stages } = member.ok({ explain: command, verbosity: 'queryPlanner' });
  expect(stages.at(-1)).toMatchObject({ $out: 'o' });
  for (const verbosity of ['executionStats', 'allPlansExecution', undefined]) {
    const code = (collection: string, stage: object) =>
      member.run({ explain: { aggregate: collection, pipeline: [stage], cursor: {} }, verbosity }).code;
    for (const collection of ['c', 'missing']) {
      expect(code(collection, { $out: 'o' })).toBe(51029);
      expect(code(collection, { $merge: 'o' })).toBe(51184);
    }
  }
  expect(member.engine.collection('app.o')).toBeUndefined();
});

describe('under read concern majority', () => {
  const majority = { readConcern: { level: 'majority' } };
  beforeEach(() => {
    member.engine.markVersion(1);
    member.committed = member.engine.at(1);
  });

  test('$merge reads what is committed, and changes what is there now', () => {
    member.insert('c', { _id: 3, k: 'c', n: 3 });
    member.insert('t', { _id: 1, old: true });
    expect(into({ $merge: { into: 't' } }, majority).ok).toBe(1);
    expect(member.find('t')).toEqual([{ _id: 1, old: true, k: 'a', n: 1 }, { _id: 2, k: 'b', n: 2 }]); // biome-ignore format: one line
  });

  test('$merge finds the unique index that its target has now', () => {
    member.insert('t', { _id: 9, k: 'a' });
    member.ok({ createIndexes: 't', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] });
    const pipeline = [{ $unset: '_id' }, { $merge: { into: 't', on: 'k' } }];
    expect(member.run({ aggregate: 'c', pipeline, cursor: {}, ...majority }).ok).toBe(1);
    expect(member.find('t').map(({ k, n }) => [k, n])).toEqual([['a', 1], ['b', 2]]); // biome-ignore format: one line
  });

  test('$out keeps the indexes that its target has now, and refuses one that has become capped', () => {
    member.insert('o', { _id: 9 });
    member.ok({ createIndexes: 'o', indexes: [{ key: { k: 1 }, name: 'k_1' }] });
    expect(into({ $out: 'o' }, majority).ok).toBe(1);
    expect(member.engine.collection('app.o')!.index('k_1')).toBeDefined();
    member.ok({ create: 'capped', capped: true, size: 4096 });
    expect(into({ $out: 'capped' }, majority).code).toBe(17152);
  });
});
