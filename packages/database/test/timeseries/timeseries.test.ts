import { encodeDocument, VERSIONS } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { Long, ObjectId } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember, RETRYABLE } from '../fakeMember.ts';

let member: FakeMember;
const at = (secs: number) => new Date(Date.UTC(2025, 0, 1) + secs * 1000);
const buckets = () => member.documents('app.system.buckets.w');
const list = (name: string) => member.ok({ listCollections: 1, filter: { name } }).cursor.firstBatch[0];
const indexes = (name = 'w') => member.ok({ listIndexes: name }).cursor.firstBatch;

beforeEach(() => {
  member = new FakeMember();
  member.ok({ create: 'w', timeseries: { timeField: 't', metaField: 's' } });
});

describe('create', () => {
  test('makes buckets clustered by _id, an index on metadata and time, and a view', () => {
    expect(member.writes.log).toEqual([
      [
        'create',
        'app.system.buckets.w',
        {
          clusteredIndex: true,
          timeseries: { timeField: 't', metaField: 's', granularity: 'seconds', bucketMaxSpanSeconds: 3600 },
        },
      ],
      [
        'createIndex',
        'app.system.buckets.w',
        { v: 2, key: { meta: 1, 'control.min.t': 1, 'control.max.t': 1 }, name: 's_1_t_1' },
      ],
      ['create', 'app.system.views', {}],
      ['insert', 'app.system.views', 1],
    ]);
    expect(member.documents('app.system.views')).toEqual([
      {
        _id: 'app.w',
        viewOn: 'system.buckets.w',
        pipeline: [{ $_internalUnpackBucket: { timeField: 't', metaField: 's', bucketMaxSpanSeconds: 3600 } }],
      },
    ]);
  });

  test('is shown with its defaults; the buckets are shown too', () => {
    expect(list('w')).toEqual({
      name: 'w',
      type: 'timeseries',
      options: { timeseries: { timeField: 't', metaField: 's', granularity: 'seconds', bucketMaxSpanSeconds: 3600 } },
      info: { readOnly: false },
    });
    expect(list('system.buckets.w')).toMatchObject({ type: 'collection', options: { clusteredIndex: true } });
    member.ok({ create: 'n', timeseries: { timeField: 't' }, expireAfterSeconds: 7 });
    expect(list('n').options).toEqual({
      expireAfterSeconds: 7,
      timeseries: { timeField: 't', granularity: 'seconds', bucketMaxSpanSeconds: 3600 },
    });
    expect(indexes('n')).toEqual([]);
  });

  test.for([
    [{ granularity: 'seconds' }, 3600],
    [{ granularity: 'minutes' }, 86_400],
    [{ granularity: 'hours' }, 2_592_000],
    [{ granularity: 'seconds', bucketMaxSpanSeconds: 3600 }, 3600],
    [{ bucketMaxSpanSeconds: 300, bucketRoundingSeconds: 300 }, 300],
  ] as const)('%o spans %i s', ([options, span]) => {
    member.ok({ create: 'n', timeseries: { timeField: 't', ...options } });
    expect(list('n').options.timeseries.bucketMaxSpanSeconds).toBe(span);
  });

  test.for([
    [{}, {}, 40414],
    [{ timeField: 5 }, {}, 14],
    [{ timeField: 'a.b' }, {}, 72],
    [{ timeField: '_id' }, {}, 72],
    [{ timeField: 't', metaField: 'a.b' }, {}, 72],
    [{ timeField: 't', metaField: '_id' }, {}, 72],
    [{ timeField: 't', metaField: 't' }, {}, 72],
    [{ timeField: 't', granularity: 'days' }, {}, 2],
    [{ timeField: 't', granularity: 'minutes', bucketMaxSpanSeconds: 3600 }, {}, 72],
    [{ timeField: 't', granularity: 'minutes', bucketRoundingSeconds: 3600 }, {}, 72],
    [{ timeField: 't', granularity: 'minutes', bucketMaxSpanSeconds: 60, bucketRoundingSeconds: 60 }, {}, 72],
    [{ timeField: 't', bucketMaxSpanSeconds: 300 }, {}, 72],
    [{ timeField: 't', bucketRoundingSeconds: 300 }, {}, 72],
    [{ timeField: 't', bucketMaxSpanSeconds: 300, bucketRoundingSeconds: 60 }, {}, 72],
    [{ timeField: 't', bucketMaxSpanSeconds: 0, bucketRoundingSeconds: 0 }, {}, 51024],
    [{ timeField: 't', bucketMaxSpanSeconds: 31_536_001, bucketRoundingSeconds: 31_536_001 }, {}, 51024],
    [{ timeField: 't', nope: 1 }, {}, 40415],
    [{ timeField: 't' }, { capped: true, size: 4096 }, 72],
    [{ timeField: 't' }, { clusteredIndex: { key: { _id: 1 }, unique: true } }, 72],
    [{ timeField: 't' }, { validator: { a: 1 } }, 72],
    [{ timeField: 't' }, { expireAfterSeconds: -1 }, 72],
    [{ timeField: 't' }, { expireAfterSeconds: 1e12 }, 72],
    [{ timeField: 't' }, { expireAfterSeconds: 'off' }, 14],
  ] as const)('timeseries: %o with %o is refused with %i, and nothing made', ([timeseries, more, code]) => {
    expect(member.run({ create: 'n', timeseries, ...more }).code).toBe(code);
    expect(member.engine.collection('app.system.buckets.n')).toBeUndefined();
  });

  test('a name is taken once', () => {
    member.ok({ create: 'plain' });
    expect(member.run({ create: 'w', timeseries: { timeField: 't' } }).code).toBe(48);
    expect(member.run({ create: 'plain', timeseries: { timeField: 't' } }).code).toBe(48);
    expect(member.run({ create: 'w' }).code).toBe(48);
  });

  test('3.2 knows no time series, and passes over the option', () => {
    member.traits = VERSIONS['3.2'];
    member.ok({ create: 'n', timeseries: { timeField: 't' } });
    member.ok({ insert: 'n', documents: [{ _id: 1 }] });
    expect(member.documents('app.n')).toEqual([{ _id: 1 }]);
  });
});

describe('buckets by their own name', () => {
  const timeseries = { timeField: 't', metaField: 's' };

  test('are made as they are listed, and the time series then', () => {
    member.ok({ create: 'n', timeseries, expireAfterSeconds: 7 });
    const { options } = list('system.buckets.n');
    member.ok({ drop: 'n' });
    for (const _ of [1, 2]) member.ok({ create: 'system.buckets.n', ...options });
    expect(list('system.buckets.n').options).toEqual(options);
    expect(list('system.buckets.system.buckets.n')).toBeUndefined();
    member.ok({ create: 'n', timeseries, expireAfterSeconds: 7 });
    member.ok({ insert: 'n', documents: [{ _id: 1, t: at(1), s: 1 }] });
    expect(member.find('n')).toHaveLength(1);
  });

  test('are not those of another time series', () => {
    member.ok({ create: 'system.buckets.n', timeseries });
    expect(member.run({ create: 'system.buckets.n', timeseries: { timeField: 't' } }).code).toBe(48);
    expect(member.run({ create: 'n', timeseries: { timeField: 't' } }).code).toBe(48);
    expect(member.run({ create: 'system.buckets.m', timeseries, clusteredIndex: false }).code).toBe(72);
  });
});

describe('drop, rename, stats', () => {
  test('a drop takes the buckets and the view', () => {
    member.ok({ insert: 'w', documents: [{ t: at(0), s: 1 }] });
    expect(member.ok({ drop: 'w' })).toMatchObject({ ns: 'app.w', nIndexesWas: 1 });
    expect(member.engine.collection('app.system.buckets.w')).toBeUndefined();
    expect(member.documents('app.system.views')).toEqual([]);
    member.ok({ insert: 'w', documents: [{ _id: 1 }] });
    expect(member.find('w')).toEqual([{ _id: 1 }]);
  });

  test('it is not renamed, and nothing is renamed to it', () => {
    member.ok({ create: 'plain' });
    expect(member.run({ renameCollection: 'app.w', to: 'app.x' }, 'admin').code).toBe(166);
    expect(member.run({ renameCollection: 'app.plain', to: 'app.w' }, 'admin').code).toBe(48);
    expect(member.run({ renameCollection: 'app.system.buckets.w', to: 'app.x' }, 'admin').code).toBe(20);
  });

  test('its figures are those of its buckets', () => {
    member.ok({ insert: 'w', documents: [0, 1, 2].map((s) => ({ t: at(0), s })) });
    const { timeseries, count, nindexes } = member.ok({ collStats: 'w' });
    expect(timeseries).toMatchObject({ bucketsNs: 'app.system.buckets.w', bucketCount: 3 });
    expect([count, nindexes]).toEqual([undefined, 1]);
    const pipeline = (stage: object) => ({ aggregate: 'w', pipeline: [stage], cursor: {} });
    const [{ storageStats }] = member.ok(pipeline({ $collStats: { storageStats: {} } })).cursor.firstBatch;
    expect(storageStats.timeseries.bucketCount).toBe(3);
    expect(member.ok(pipeline({ $indexStats: {} })).cursor.firstBatch).toMatchObject([{ key: { s: 1, t: 1 } }]);
  });
});

describe('insert', () => {
  test('several measurements of one kind are one write', () => {
    member.writes.log.length = 0;
    member.ok({ insert: 'w', documents: [0, 1, 2, 3].map((i) => ({ t: at(i), s: i % 2, v: i })) });
    expect(member.writes.log.map(([name, ns]) => [name, ns])).toEqual([
      ['insert', 'app.system.buckets.w'],
      ['insert', 'app.system.buckets.w'],
    ]);
    member.ok({ insert: 'w', documents: [{ t: at(9), s: 0, v: 9 }] });
    const [name, , , delta] = member.writes.log.at(-1)!;
    expect(name).toBe('update');
    expect(delta).toMatchObject({
      $v: 2,
      diff: { sdata: { st: { i: { 2: at(9) } }, sv: { i: { 2: 9 } } } },
    });
  });

  test.for([
    ['none', { s: 1 }],
    ['a number', { t: 5, s: 1 }],
    ['null', { t: null, s: 1 }],
    ['an array', { t: [at(0)], s: 1 }],
  ] as const)('%s in the place of the time: 2', ([, document]) => {
    const reply = member.run({ insert: 'w', documents: [{ t: at(0), s: 1 }, document, { t: at(1), s: 1 }] });
    expect(reply).toMatchObject({ n: 1, writeErrors: [{ index: 1, code: 2 }] });
    const unordered = member.run({ insert: 'w', documents: [document, { t: at(1), s: 1 }], ordered: false });
    expect(unordered).toMatchObject({ n: 1, writeErrors: [{ index: 0, code: 2 }] });
    expect(member.ok({ count: 'w' }).n).toBe(2);
  });

  test('a retryable insert writes each measurement by itself', () => {
    const insert = { insert: 'w', documents: [0, 1].map((i) => ({ t: at(i), s: 1, v: i })), ...RETRYABLE };
    expect(member.ok(insert).n).toBe(2);
    // An entry answers for one statement.
    expect(member.writes.log.slice(-2).map(([name]) => name)).toEqual(['insert', 'update']);
  });

  test('a bucket that somebody else has written is not written again', () => {
    member.ok({ insert: 'w', documents: [{ t: at(0), s: 1 }] });
    member.ok({ delete: 'system.buckets.w', deletes: [{ q: {}, limit: 0 }] });
    member.ok({ insert: 'w', documents: [{ t: at(1), s: 1 }] });
    expect(member.find('w', {}, { projection: { _id: 0 } })).toEqual([{ t: at(1), s: 1 }]);
  });

  test('nothing makes a time series by the way', () => {
    member.ok({ insert: 'other', documents: [{ t: at(0) }] });
    expect(list('other').type).toBe('collection');
  });
});

describe('reading', () => {
  beforeEach(() => {
    const documents = [5, 1, 4, 2, 3].map((i) => ({ _id: i, t: at(i * 1000), s: { n: i % 2 }, v: i, l: [i, -i] }));
    member.ok({ insert: 'w', documents });
  });
  const ids = (filter: object, more: object = {}) => member.find('w', filter, more).map(({ _id }) => _id);

  test('a measurement has its time first, then its metadata', () => {
    const [one] = member.find('w', { _id: 4 });
    expect(one).toEqual({ _id: 4, t: at(4000), s: { n: 0 }, v: 4, l: [4, -4] });
    expect(Object.keys(one!)).toEqual(['t', 's', '_id', 'v', 'l']);
  });

  test.for([
    [{}, {}, [1, 2, 3, 4, 5]],
    [{ 's.n': 1 }, {}, [1, 3, 5]],
    [{ s: { n: 0 } }, {}, [2, 4]],
    [{ t: { $gt: at(2000), $lte: at(4000) } }, {}, [3, 4]],
    [{ t: { $lt: at(3000) }, 's.n': 1 }, {}, [1]],
    [{ v: { $in: [2, 5] } }, {}, [2, 5]],
    [{ l: -3 }, {}, [3]],
    [{ $or: [{ v: 1 }, { t: at(5000) }] }, {}, [1, 5]],
    [{}, { sort: { v: -1 }, limit: 2 }, [5, 4]],
    [{}, { sort: { t: 1 }, skip: 3 }, [4, 5]],
    [{ 's.n': 0 }, { hint: { s: 1, t: 1 } }, [2, 4]],
    [{ 's.n': 0 }, { hint: 's_1_t_1' }, [2, 4]],
  ] as const)('find %o with %o', ([filter, more, expected]) => {
    const found = ids(filter, more);
    expect('sort' in more ? found : found.sort()).toEqual(expected);
    expect(member.ok({ count: 'w', query: filter }).n).toBe('sort' in more ? 5 : expected.length);
  });

  test('aggregate, distinct, projection', () => {
    const pipeline = [{ $match: { t: { $gte: at(2000) } } }, { $group: { _id: '$s.n', sum: { $sum: '$v' } } }];
    const groups = member.ok({ aggregate: 'w', pipeline: [...pipeline, { $sort: { _id: 1 } }], cursor: {} });
    expect(groups.cursor.firstBatch).toEqual([
      { _id: 0, sum: 6 },
      { _id: 1, sum: 8 },
    ]);
    expect(member.ok({ distinct: 'w', key: 'v', query: { 's.n': 1 } }).values.sort()).toEqual([1, 3, 5]);
    expect(member.find('w', { v: 3 }, { projection: { v: 1, _id: 0 } })).toEqual([{ v: 3 }]);
  });

  test('a view on a time series is asked for what comes out of it', () => {
    const definition = {
      _id: 'app.doubled',
      viewOn: 'w',
      pipeline: [{ $set: { v: { $multiply: ['$v', 2] }, s: 'any' } }],
    };
    member.ok({ insert: 'plain', documents: [{ _id: 0 }] });
    member.engine.insert('app.system.views', new StoredDocument(encodeDocument(definition)));
    expect(member.find('doubled', { v: 10, s: 'any' }).map(({ _id }) => _id)).toEqual([5]);
  });

  test('explain shows what is asked of the buckets, and the index that serves it', () => {
    const plan = (filter: object, more: object = {}) => {
      const { stages } = member.ok({ explain: { find: 'w', filter, ...more }, verbosity: 'executionStats' });
      const { queryPlanner, executionStats } = stages[0].$cursor;
      return [queryPlanner.winningPlan.inputStage?.indexName, executionStats.nReturned, stages.at(-1).nReturned];
    };
    expect(plan({ 's.n': 1, t: { $gte: at(2000) } }).slice(1)).toEqual([2, 2]);
    expect(plan({ s: { n: 1 } })).toEqual(['s_1_t_1', 2, 3]);
    expect(plan({}, { hint: { s: 1, t: 1 } })[0]).toBe('s_1_t_1');
  });

  test('a batch at a time', () => {
    const first = member.ok({ find: 'w', batchSize: 2 }).cursor;
    const rest = member.ok({ getMore: Long.fromBigInt(BigInt(first.id)), collection: 'w' }).cursor;
    expect([...first.firstBatch, ...rest.nextBatch].map(({ _id }) => _id).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('the buckets can be read themselves', () => {
    const found = member.find('system.buckets.w', { 'meta.n': 1 });
    expect(found.length).toBe(2);
    expect(found[0]!._id).toBeInstanceOf(ObjectId);
  });
});

describe('deletes and updates', () => {
  beforeEach(() => {
    const documents = [0, 1, 2, 3, 4, 5].map((i) => ({ _id: i, t: at(i), s: i % 2, v: i }));
    member.ok({ insert: 'w', documents });
    member.writes.log.length = 0;
  });
  const left = () => member.find('w', {}, { sort: { _id: 1 } }).map(({ _id }) => _id);
  const remove = (q: object, limit = 0) => member.run({ delete: 'w', deletes: [{ q, limit }] });

  test('by metadata whole buckets go, as buckets', () => {
    expect(remove({ s: 1 }).n).toBe(3);
    expect(left()).toEqual([0, 2, 4]);
    expect(member.writes.log.map(([name]) => name)).toEqual(['delete']);
  });

  test.for([
    [{ v: { $gte: 4 } }, 0, [0, 1, 2, 3]],
    [{ t: at(2) }, 0, [0, 1, 3, 4, 5]],
    [{ s: 0, v: { $lt: 3 } }, 0, [1, 3, 4, 5]],
    [{ $or: [{ s: 0 }, { v: 1 }] }, 0, [3, 5]],
    [{}, 0, []],
    [{ s: 0 }, 1, [1, 2, 3, 4, 5]],
    [{ v: 9 }, 0, [0, 1, 2, 3, 4, 5]],
  ] as const)('%o, limit %i', ([q, limit, expected]) => {
    expect(remove(q, limit).n).toBe(6 - expected.length);
    expect(left()).toEqual(expected);
    for (const { control, data } of buckets()) {
      expect(control.max.t).toEqual(new Date(Math.max(...Object.values(data.t).map(Number))));
    }
    member.ok({ insert: 'w', documents: [{ _id: 9, t: at(9), s: 0, v: 9 }] });
    expect(left()).toEqual([...expected, 9]);
  });

  test('metadata can be changed, of all that match', () => {
    const updates = [{ q: { s: 1 }, u: { $set: { s: { of: 'old' } } }, multi: true }];
    expect(member.ok({ update: 'w', updates })).toMatchObject({ n: 1, nModified: 1 });
    expect(member.ok({ count: 'w', query: { 's.of': 'old' } }).n).toBe(3);
  });

  test.for([
    [{ s: 1, t: 1 }, true],
    ['s_1_t_1', true],
    [{ $natural: -1 }, true],
    [{ v: 1 }, false],
    ['v_1', false],
  ] as const)('the hint %o of an update or a delete is obeyed: %s', ([hint, works]) => {
    const ended = ({ n, writeErrors }: ReturnType<typeof member.run>) => writeErrors?.[0].code ?? n;
    const updates = [{ q: { s: 1, $comment: 'why' }, u: { $set: { s: 3 } }, multi: true, hint }];
    expect(ended(member.run({ update: 'w', updates }))).toBe(works ? 1 : 2);
    const remove = (q: object, limit: number) => ended(member.run({ delete: 'w', deletes: [{ q, limit, hint }] }));
    expect([remove({ v: 4 }, 1), remove({ v: { $gt: 1 } }, 0), remove({ s: 0 }, 0)]).toEqual(
      works ? [1, 3, 1] : [2, 2, 2],
    );
  });

  test('metadata gets other names within the metadata', () => {
    const update = (u: object) => member.ok({ update: 'w', updates: [{ q: {}, u, multi: true }] });
    update({ $set: { s: { of: 'old' } } });
    update({ $rename: { 's.of': 's.from' } });
    expect(member.find('w').map(({ s }) => s)).toContainEqual({ from: 'old' });
    expect(buckets().every(({ s, meta }) => s === undefined && meta.from === 'old')).toBe(true);
  });

  test.for([
    [{ q: { s: 1 }, u: { $set: { s: 2 } } }],
    [{ q: { s: 1 }, u: { $rename: { s: 'v' } }, multi: true }],
    [{ q: { s: 1 }, u: { $rename: { v: 's.v' } }, multi: true }],
    [{ q: { s: 1 }, u: { $rename: { s: 5 } }, multi: true }],
    [{ q: { v: 1 }, u: { $set: { s: 2 } }, multi: true }],
    [{ q: { s: 1 }, u: { $set: { v: 2 } }, multi: true }],
    [{ q: { s: 1 }, u: { $set: { s: 2 } }, multi: true, upsert: true }],
    [{ q: { s: 1 }, u: { s: 2 }, multi: true }],
    [{ q: { s: 1 }, u: [{ $set: { s: 2 } }], multi: true }],
  ])('update %o is refused with 72', ([update]) => {
    expect(member.run({ update: 'w', updates: [update] }).writeErrors).toMatchObject([{ code: 72 }]);
  });

  test('findAndModify is refused with 72', () => {
    expect(member.run({ findAndModify: 'w', query: {}, remove: true }).code).toBe(72);
  });
});

describe('indexes', () => {
  const create = (key: object, more: object = {}) =>
    member.run({ createIndexes: 'w', indexes: [{ key, name: 'i', ...more }] });
  const onMeta = { partialFilterExpression: { s: { $gt: 5 } } };

  test.for([
    [{ t: 1 }, { 'control.min.t': 1, 'control.max.t': 1 }],
    [{ t: -1 }, { 'control.max.t': -1, 'control.min.t': -1 }],
    [{ s: 1 }, { meta: 1 }],
    [{ 's.a': -1 }, { 'meta.a': -1 }],
    [{ s: 'hashed' }, { meta: 'hashed' }],
    [
      { s: 1, t: -1 },
      { meta: 1, 'control.max.t': -1, 'control.min.t': -1 },
    ],
    [{ v: 1 }, { 'control.min.v': 1, 'control.max.v': 1 }],
    [{ 'v.w': -1 }, { 'control.max.v.w': -1, 'control.min.v.w': -1 }],
    [{ v: '2dsphere' }, { 'data.v': '2dsphere_bucket' }],
  ] as const)('%o is kept as %o, and shown as it was asked for', ([key, kept]) => {
    expect(create(key)).toMatchObject({ ok: 1, numIndexesBefore: 1, numIndexesAfter: 2 });
    expect(indexes('system.buckets.w').at(-1).key).toEqual(kept);
    expect(indexes().at(-1)).toMatchObject({ v: 2, key, name: 'i' });
    expect(create(key).note).toBeDefined();
    expect(member.ok({ dropIndexes: 'w', index: key }).nIndexesWas).toBe(2);
    expect(indexes()).toHaveLength(1);
  });

  test('a TTL index is on the beginning of a bucket', () => {
    expect(create({ t: 1 }, { expireAfterSeconds: 400, ...onMeta }).ok).toBe(1);
    expect(indexes('system.buckets.w').at(-1)).toMatchObject({
      key: { 'control.min.t': 1 },
      expireAfterSeconds: 400,
      partialFilterExpression: { meta: { $gt: 5 } },
    });
    expect(indexes().at(-1)).toEqual({ v: 2, key: { t: 1 }, name: 'i', expireAfterSeconds: 400, ...onMeta });
    expect(member.ok({ dropIndexes: 'w', index: { t: 1 } }).nIndexesWas).toBe(2);
  });

  test.for([
    ['on the time without a filter', { t: 1 }, {}, 72],
    ['on the metadata', { s: 1 }, {}, 72],
    ['on the metadata, with a filter', { s: 1 }, onMeta, 72],
    ['on a measurement', { v: 1 }, {}, 72],
    ['on a measurement, with a filter', { v: 1 }, onMeta, 72],
    ['with a filter on a measurement', { t: 1 }, { partialFilterExpression: { v: { $gt: 5 } } }, 72],
    ['with a filter on the time', { t: 1 }, { partialFilterExpression: { t: { $gt: at(0) } } }, 72],
    ['with a filter on both', { t: 1 }, { partialFilterExpression: { s: 1, v: 1 } }, 72],
    [
      'with a filter on metadata or a measurement',
      { t: 1 },
      { partialFilterExpression: { $or: [{ s: 1 }, { v: 1 }] } },
      72,
    ],
    ['on time and metadata', { t: 1, s: 1 }, onMeta, 67],
    ['on time and a measurement', { t: 1, v: 1 }, onMeta, 67],
    ['on time and metadata without a filter', { s: 1, t: 1 }, {}, 67],
  ] as const)('TTL %s: %o with %o is refused with %i', ([, key, more, code]) => {
    expect(create(key, { expireAfterSeconds: 3600, ...more }).code).toBe(code);
    expect(indexes()).toHaveLength(1);
  });

  test('without metadata there is no partial TTL', () => {
    member.ok({ create: 'n', timeseries: { timeField: 't' } });
    const spec = { key: { t: 1 }, name: 'i', expireAfterSeconds: 1, ...onMeta };
    expect(member.run({ createIndexes: 'n', indexes: [spec] }).code).toBe(72);
  });

  test.for([
    [{ s: 1 }, { unique: true }, 72],
    [{ v: 1 }, { sparse: true }, 72],
    [{ s: 'text' }, {}, 72],
    [{ v: 'hashed' }, {}, 67],
    [{ t: 'hashed' }, {}, 67],
    [{ '$**': 1 }, {}, 67],
    [{ s: 1, 'v.$**': 1 }, {}, 67],
    [{ _id: 1 }, {}, 67],
  ] as const)('%o with %o is refused with %i', ([key, more, code]) => {
    expect(create(key, 'unique' in more || 'sparse' in more ? more : '_id' in key ? { name: '_id_' } : {}).code).toBe(
      code,
    );
  });

  test('an index of the buckets alone is not one of the time series', () => {
    member.ok({ createIndexes: 'system.buckets.w', indexes: [{ key: { 'data.v': 1 }, name: 'own' }] });
    expect(indexes().map(({ name }: { name: string }) => name)).toEqual(['s_1_t_1']);
  });
});

describe('collMod', () => {
  const change = (command: object) => member.run({ collMod: 'w', ...command });

  test('an index cannot be given seconds: 72; it can be hidden', () => {
    const index = { key: { t: 1 }, name: 'i', expireAfterSeconds: 9, partialFilterExpression: { s: 1 } };
    member.ok({ createIndexes: 'w', indexes: [index] });
    expect(change({ index: { name: 'i', expireAfterSeconds: 5 } }).code).toBe(72);
    expect(change({ index: { keyPattern: { t: 1 }, expireAfterSeconds: 5 } }).code).toBe(72);
    expect(change({ index: { keyPattern: { t: 1 }, hidden: true } })).toMatchObject({ ok: 1, hidden_new: true });
    expect(indexes().at(-1)).toMatchObject({ key: { t: 1 }, hidden: true, expireAfterSeconds: 9 });
  });

  test.for([
    ['w', { validator: {} }, 72],
    ['w', { validationLevel: 'moderate' }, 72],
    ['w', { validationAction: 'warn' }, 72],
    ['w', { index: { name: 's_1_t_1', prepareUnique: true } }, 72],
    ['w', { index: { name: 's_1_t_1', prepareUnique: false } }, 72],
    ['w', { index: { name: '_id_', hidden: true } }, 27],
    ['system.buckets.w', { timeseries: { granularity: 'hours' } }, 73],
    ['system.buckets.w', { validator: {} }, 73],
    ['system.buckets.nope', {}, 73],
  ] as const)('of %s by %o is refused with %i', ([collMod, command, code]) => {
    expect(member.run({ collMod, ...command }).code).toBe(code);
  });

  test('the collection can, and back off', () => {
    expect(change({ expireAfterSeconds: 60 }).ok).toBe(1);
    expect(list('w').options.expireAfterSeconds).toBe(60);
    expect(change({ expireAfterSeconds: 'off' }).ok).toBe(1);
    expect(list('w').options.expireAfterSeconds).toBeUndefined();
    for (const [seconds, code] of [['never', 72], [-1, 72], [1e12, 72]]) // biome-ignore format: a row
      expect(change({ expireAfterSeconds: seconds }).code).toBe(code);
  });

  test.for([
    ['seconds', { granularity: 'minutes' }, 86_400],
    ['seconds', { granularity: 'hours' }, 2_592_000],
    ['minutes', { granularity: 'minutes' }, 86_400],
    ['minutes', { granularity: 'hours' }, 2_592_000],
    ['seconds', { bucketMaxSpanSeconds: 7200, bucketRoundingSeconds: 7200 }, 7200],
    ['minutes', { granularity: 'seconds' }, 72],
    ['hours', { granularity: 'minutes' }, 72],
    ['hours', { granularity: 'seconds' }, 72],
    ['seconds', { bucketMaxSpanSeconds: 300, bucketRoundingSeconds: 300 }, 72],
    ['seconds', { bucketMaxSpanSeconds: 7200 }, 72],
    ['seconds', { granularity: 'hours', bucketMaxSpanSeconds: 2_592_000 }, 2_592_000],
    ['seconds', { granularity: 'hours', bucketMaxSpanSeconds: 3600 }, 72],
    ['seconds', { granularity: 'hours', bucketRoundingSeconds: 86_400 }, 72],
    ['seconds', { granularity: 'years' }, 2],
  ] as const)('from %s with %o: %i', ([granularity, timeseries, result]) => {
    member.ok({ drop: 'w' });
    member.ok({ create: 'w', timeseries: { timeField: 't', granularity } });
    const { ok, code } = change({ timeseries });
    expect(ok ? list('w').options.timeseries.bucketMaxSpanSeconds : code).toBe(result);
    const [view] = member.documents('app.system.views');
    const { bucketMaxSpanSeconds } = list('w').options.timeseries;
    expect(view!.pipeline[0].$_internalUnpackBucket).toEqual({ timeField: 't', bucketMaxSpanSeconds });
  });

  test('granularity is for time series: 72', () => {
    member.ok({ create: 'plain' });
    expect(member.run({ collMod: 'plain', timeseries: { granularity: 'hours' } }).code).toBe(72);
  });

  test('open buckets are those of the new span', () => {
    member.ok({ insert: 'w', documents: [{ t: at(0), s: 1 }] });
    member.ok({ collMod: 'w', timeseries: { granularity: 'minutes' } });
    member.ok({ insert: 'w', documents: [{ t: at(7200), s: 1 }, { t: at(80_000), s: 1 }] }); // biome-ignore format: one line
    expect(buckets().map(({ data }) => Object.keys(data.t).length)).toEqual([1, 2]);
  });
});
