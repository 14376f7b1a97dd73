import { CommandError, decodeDocument, encodeDocument } from '@replsim/protocol';
import { Decimal128, Long, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[3, 1, 2, 5, 4].map((_id) => ({ _id, odd: _id % 2 === 1, tags: ['x', `t${_id}`] })));
});

const ids = (filter: object, more: object = {}) => member.find('c', filter, more).map(({ _id }) => _id);

describe('find', () => {
  test('filter, sort, projection, skip, limit', () => {
    expect(ids({})).toEqual([3, 1, 2, 5, 4]);
    expect(ids({ odd: true })).toEqual([3, 1, 5]);
    expect(ids({}, { sort: { odd: 1, _id: -1 } })).toEqual([4, 2, 5, 3, 1]);
    expect(ids({}, { sort: { odd: 1, _id: -1 }, skip: 1, limit: 2 })).toEqual([2, 5]);
    expect(ids({}, { skip: 3 })).toEqual([5, 4]);
    expect(ids({}, { sort: { $natural: -1 } })).toEqual([4, 5, 2, 1, 3]);
    expect(ids({}, { hint: { $natural: -1 } })).toEqual([4, 5, 2, 1, 3]);
    expect(member.find('c', { _id: 1 }, { projection: { odd: 1 } })).toEqual([{ _id: 1, odd: true }]);
    expect(member.find('c', { _id: 1 }, { projection: { tags: 0, _id: 0 } })).toEqual([{ odd: true }]);
    expect(member.find('c', { _id: 4, tags: /^t/ }, { projection: { 'tags.$': 1 } })).toEqual([
      { _id: 4, tags: ['t4'] },
    ]);
  });

  test('what is not there is empty, and a bad sort is an error all the same', () => {
    expect(member.ok({ find: 'zzz' }).cursor).toEqual({ firstBatch: [], id: 0, ns: 'app.zzz' });
    expect(member.run({ find: 'zzz', sort: { a: 'up' } }).ok).toBe(0);
    expect(member.run({ find: 'zzz', filter: { $nope: 1 } }).code).toBe(2);
  });

  test.for([
    [{ limit: -1 }, 51024],
    [{ batchSize: -1 }, 51024],
    [{ batchSize: 'x' }, 14],
    [{ sort: 5 }, 14],
    [{ projection: 5 }, 14],
    [{ hint: 5 }, 9],
    [{ hint: 'nope' }, 2],
    [{ hint: { odd: 1 } }, 2],
    [{ tailable: true }, 2],
    [{ awaitData: true }, 9],
    [{ min: { a: 1 } }, 51173],
    [{ min: { a: 1 }, hint: '_id_' }, 51174],
    [{ min: { _id: 5 }, max: { _id: 5 }, hint: '_id_' }, 51175],
    [{ min: { _id: 1 }, max: { a: 5 }, hint: '_id_' }, 51176],
    [{ min: { a: 1, b: 1 }, max: { a: 5 } }, 51176],
    [{ min: { _id: 1 }, hint: { $natural: 1 } }, 291],
    [{ max: { _id: 1 }, sort: { $natural: -1 } }, 291],
    [{ collation: { locale: 'xx' } }, 2],
    [{ sort: { _id: 2 } }, 15975],
    [{ sort: { _id: 0 } }, 15975],
    [{ sort: { _id: 'x' } }, 15974],
    [{ sort: { '': 1 } }, 40352],
    [{ sort: { 'a..b': 1 } }, 15998],
    [{ sort: { $other: 1 } }, 16410],
  ] as const)('%o is refused with %i', ([more, code]) => {
    expect(member.run({ find: 'c', ...more }).code).toBe(code);
    expect(member.cursors.size).toBe(0);
  });

  const bad = (what: string) => `$natural ${what} cannot be set to a value other than -1 or 1.`;
  test.for<[command: object, errmsg: string]>([
    ...[
      { $natural: 2 },
      { $natural: 0 },
      { $natural: 1.9 },
      { $natural: true },
      { $natural: 'x' },
      { $natural: 1, a: 1 },
      { a: 1, $natural: -1 },
    ].flatMap((order): [object, string][] => [
      [{ find: 'c', sort: order }, bad('sort')],
      [{ find: 'c', hint: order }, bad('hint')],
    ]),
    [{ find: 'none', sort: { $natural: 2 } }, bad('sort')],
    [{ findAndModify: 'c', remove: true, sort: { $natural: 2 } }, bad('sort')],
    [{ findAndModify: 'c', remove: true, hint: { $natural: 2 } }, bad('hint')],
    [{ count: 'c', hint: { $natural: 2 } }, bad('hint')],
    [{ distinct: 'c', key: 'a', hint: { $natural: 2 } }, bad('hint')],
    [{ aggregate: 'c', pipeline: [], cursor: {}, hint: { $natural: 2 } }, bad('hint')],
    [{ find: 'c', sort: { $natural: 1 }, hint: { _id: 1 } }, 'index hint not allowed with $natural sort order'],
    [{ find: 'c', sort: { $natural: 1 }, hint: '_id_' }, 'index hint not allowed with $natural sort order'],
    [
      { find: 'c', sort: { $natural: 1 }, hint: { $natural: -1 } },
      '$natural hint must be in the same direction as $natural sort order',
    ],
  ])('natural order has two directions: %j', ([command, errmsg]) => {
    expect(member.run(command)).toMatchObject({ ok: 0, code: 2, errmsg });
  });

  test('of a statement, a bad natural order is the failure of that statement', () => {
    const hint = { $natural: 2 };
    const [failed, done] = [
      { q: {}, limit: 1, hint },
      { q: { _id: 1 }, limit: 1 },
    ];
    expect(member.run({ delete: 'c', deletes: [failed, done], ordered: false })).toMatchObject({
      ok: 1,
      n: 1,
      writeErrors: [{ index: 0, code: 2, errmsg: bad('hint') }],
    });
    for (const order of [{ hint }, { sort: hint }]) {
      const updates = [{ q: {}, u: { $set: { a: 1 } }, ...order }];
      expect(member.run({ update: 'c', updates })).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code: 2 }] });
    }
  });

  test.for([1, -1, 1.0, Long.fromNumber(-1), new Decimal128('-1.0')])(
    'natural order by any number: %s',
    (direction) => {
      const expected = Number(direction) < 0 ? [4, 5, 2, 1, 3] : [3, 1, 2, 5, 4];
      expect(ids({}, { sort: { $natural: direction } })).toEqual(expected);
      expect(ids({}, { hint: { $natural: direction } })).toEqual(expected);
    },
  );

  test('an index is used where it helps, and gives the same documents', () => {
    member.insert('n', ...Array.from({ length: 1000 }, (_, _id) => ({ _id, n: _id % 10, m: -_id })));
    const took = (filter: object, more: object = {}) => {
      const before = member.now.monotonicMicros;
      const found = member.find('n', filter, more).map(({ _id }) => _id);
      return [member.now.monotonicMicros - before - member.costs.commandMicros, found] as const;
    };
    const scanned = took({ n: 3, _id: { $lt: 100 } })[1];
    expect(took({ n: 3 })[0]).toBe(1000);
    expect(took({ _id: 5 })).toEqual([1, [5]]);
    expect(took({ _id: { $gte: 990 } })).toEqual([10, [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]]);
    // Behind each point but the last a key is looked at to see whether the next point has come: 5, 6, 7, 8, and none at 2000.
    expect(took({ _id: { $in: [7, 5, 7, 2000] } })).toEqual([4, [5, 7]]);
    expect(took({ $and: [{ _id: { $gt: 5 } }, { n: 6 }], _id: { $lt: 7 } })[1]).toEqual([6]);
    member.ok({
      createIndexes: 'n',
      indexes: [
        { key: { n: -1 }, name: 'n' },
        { key: { m: 1 }, name: 'm' },
      ],
    });
    expect(took({ n: 3, _id: { $lt: 100 } })[1].toSorted()).toEqual([...scanned].sort());
    expect(took({ n: { $gt: 7 } })[0]).toBe(200);
    expect(took({ n: { $gte: 3, $lt: 4 } })[0]).toBe(100);
    expect(took({ n: { $lte: 0 } })[0]).toBe(100);
    expect(took({}, { sort: { m: 1 }, limit: 2 })).toEqual([2, [999, 998]]);
    expect(took({}, { sort: { m: -1 }, limit: 2 })).toEqual([2, [0, 1]]);
    expect(took({ n: { $in: [1, 2] } }, { sort: { n: 1 }, limit: 1 })).toEqual([1, [991]]);
    expect(took({ _id: 5 }, { hint: 'm' })[0]).toBe(1000);
    member.ok({ collMod: 'n', index: { name: 'n', hidden: true } });
    expect(took({ n: { $gt: 7 } })[0]).toBe(1000);
  });

  test('a multikey index brings each document once, and both limits may be met by two elements', () => {
    member.ok({
      createIndexes: 'c',
      indexes: [
        { key: { tags: 1 }, name: 'tags' },
        { key: { v: 1 }, name: 'v' },
      ],
    });
    member.insert('c', { _id: 9, v: [1, 10] });
    expect(ids({ tags: { $gte: 'a' } }).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(ids({ v: { $gt: 5, $lt: 5 } })).toEqual([9]);
  });

  test('sparse and partial indexes do not hide documents', () => {
    member.ok({ createIndexes: 'c', indexes: [
      { key: { v: 1 }, name: 'v', sparse: true },
      { key: { _id: 1, v: 1 }, name: 'p', partialFilterExpression: { v: 1 } },
    ] }); // biome-ignore format: a table
    expect(ids({}, { sort: { v: 1, _id: 1 } })).toEqual([1, 2, 3, 4, 5]);
    expect(ids({}, { sort: { v: 1 } })).toHaveLength(5);
    expect(ids({ v: null })).toHaveLength(5);
    // A hint is taken at its word, and the index does not know the others.
    expect(ids({}, { hint: 'p' }).length).toBeLessThan(5);
  });

  test('$expr sees the constants of let, and the member’s clock', () => {
    expect(ids({ $expr: { $eq: ['$_id', '$$x'] } }, { let: { x: 4 } })).toEqual([4]);
    member.insert('t', { _id: 1, at: new Date(member.now.wallMs + 60_000) });
    expect(member.find('t', { $expr: { $lt: ['$at', '$$NOW'] } })).toEqual([]);
    member.advance(61_000_000);
    expect(member.find('t', { $expr: { $lt: ['$at', '$$NOW'] } })).toHaveLength(1);
  });
});

describe('cursors', () => {
  const getMore = (id: unknown, more: object = {}) => member.run({ getMore: id, collection: 'c', ...more });

  test('batches until the end', () => {
    const first = member.ok({ find: 'c', batchSize: 2 }).cursor;
    expect(first.firstBatch.map(({ _id }: Doc) => _id)).toEqual([3, 1]);
    const second = getMore(first.id, { batchSize: 2 }).cursor;
    expect(second).toMatchObject({ nextBatch: [{ _id: 2 }, { _id: 5 }], id: first.id, ns: 'app.c' });
    expect(getMore(first.id).cursor).toMatchObject({ nextBatch: [{ _id: 4 }], id: 0 });
    expect(getMore(first.id)).toMatchObject({ ok: 0, code: 43, codeName: 'CursorNotFound' });
    expect(member.cursors.size).toBe(0);
  });

  test('the id is an int64, also 0', () => {
    const idOf = (command: object) => {
      const request = member.dispatcher.start(encodeDocument({ ...command, $db: 'app' }));
      const running = new Running(member, request.run(member, 1));
      running.finish();
      return decodeDocument(running.bytes!).cursor.id;
    };
    expect(idOf({ find: 'c', batchSize: 2 })).toBeInstanceOf(Long);
    expect(idOf({ find: 'c' })).toEqual(Long.ZERO);
  });

  test('101 documents without a batch size', () => {
    member.insert('many', ...Array.from({ length: 150 }, (_, _id) => ({ _id })));
    const { cursor } = member.ok({ find: 'many' });
    expect(cursor.firstBatch).toHaveLength(101);
    expect(member.ok({ getMore: cursor.id, collection: 'many' }).cursor.nextBatch).toHaveLength(49);
  });

  test('a batch of none keeps the cursor; a single batch or a limit does not', () => {
    const { cursor } = member.ok({ find: 'c', batchSize: 0 });
    expect(cursor.firstBatch).toEqual([]);
    expect(getMore(cursor.id).cursor.nextBatch).toHaveLength(5);
    expect(member.ok({ find: 'c', batchSize: 2, singleBatch: true }).cursor.id).toBe(0);
    expect(member.ok({ find: 'c', limit: 2, batchSize: 2 }).cursor.id).toBe(0);
    const limited = member.ok({ find: 'c', limit: 3, batchSize: 2 }).cursor;
    expect(getMore(limited.id, { batchSize: 100 }).cursor).toMatchObject({ nextBatch: [{ _id: 2 }], id: 0 });
  });

  test('no reply holds more than 16 MiB of documents', () => {
    const x = 'x'.repeat(6 * 1024 * 1024);
    for (let _id = 0; _id < 5; _id++) member.insert('large', { _id, x });
    const { cursor } = member.ok({ find: 'large' });
    expect(cursor.firstBatch).toHaveLength(2);
    expect(member.ok({ getMore: cursor.id, collection: 'large' }).cursor.nextBatch.map(({ _id }: Doc) => _id)).toEqual([
      2, 3,
    ]);
    expect(member.ok({ getMore: cursor.id, collection: 'large' }).cursor.nextBatch.map(({ _id }: Doc) => _id)).toEqual([
      4,
    ]);
  });

  test('a cursor goes on in the data as it is, behind where it stands', () => {
    const { cursor } = member.ok({ find: 'c', batchSize: 2 });
    member.ok({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    member.insert('c', { _id: 6 });
    expect(getMore(cursor.id).cursor.nextBatch.map(({ _id }: Doc) => _id)).toEqual([5, 4, 6]);
  });

  test.for(['c', 'zzz'])('dropping %s', (collection) => {
    const { cursor } = member.ok({ find: 'c', batchSize: 2 });
    member.run({ drop: collection });
    expect(getMore(cursor.id).code).toBe(collection === 'c' ? 175 : undefined);
    expect(member.cursors.size).toBe(0);
  });

  test('dropping the index that a cursor walks', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { odd: 1 }, name: 'odd' }] });
    const { cursor } = member.ok({ find: 'c', filter: { odd: true }, batchSize: 1 });
    member.ok({ dropIndexes: 'c', index: 'odd' });
    expect(getMore(cursor.id).code).toBe(175);
  });

  test('a cursor is for its own namespace, and for one at a time', () => {
    const { id } = member.ok({ find: 'c', batchSize: 2 }).cursor;
    expect(member.run({ getMore: id, collection: 'other' }).code).toBe(13);
    expect(getMore(id, { batchSize: -1 }).code).toBe(51024);
    expect(getMore(id, { maxTimeMS: 5 }).code).toBe(2);
    expect(getMore('x').code).toBe(14);
    expect(member.run({ getMore: id }).code).toBe(40414);
    expect(getMore(id).ok).toBe(1);
  });

  test('killCursors', () => {
    const { id } = member.ok({ find: 'c', batchSize: 2 }).cursor;
    const reply = member.ok({ killCursors: 'c', cursors: [id, Long.fromNumber(5)] });
    expect(reply).toMatchObject({ cursorsKilled: [id], cursorsNotFound: [5], cursorsAlive: [], cursorsUnknown: [] });
    expect(getMore(id).code).toBe(43);
    expect(member.run({ killCursors: 'c', cursors: ['x'] }).code).toBe(14);
    expect(member.run({ killCursors: 'c' }).code).toBe(40414);
  });

  test('a find that is killed while it looks leaves no cursor', () => {
    member.insert('many', ...Array.from({ length: 500 }, (_, _id) => ({ _id })));
    const running = member.start({ find: 'many', filter: { x: 1 } });
    running.step();
    running.step();
    running.kill(new CommandError('Interrupted', 'operation was interrupted'));
    expect(running.reply).toMatchObject({ ok: 0, code: 11601 });
    expect(member.cursors.size).toBe(0);
  });

  test('a step-down kills no cursor', () => {
    const { id } = member.ok({ find: 'c', batchSize: 2 }).cursor;
    member.writable = false;
    member.memberState = 'SECONDARY';
    expect(getMore(id).cursor.nextBatch).toHaveLength(3);
  });
});

describe('tailable cursors', () => {
  beforeEach(() => {
    member.ok({ create: 'log', capped: true, size: 100_000 });
    member.insert('log', { _id: 1 }, { _id: 2, skip: true });
  });
  const open = (more: object = {}) =>
    member.ok({ find: 'log', filter: { skip: null }, tailable: true, ...more }).cursor;

  test('stay open at the end and go on with what comes', () => {
    const { id, firstBatch } = open();
    expect(firstBatch).toEqual([{ _id: 1 }]);
    const more = () => member.ok({ getMore: id, collection: 'log' }).cursor;
    expect(more()).toMatchObject({ id, nextBatch: [] });
    member.insert('log', { _id: 3 }, { _id: 4, skip: true }, { _id: 5 });
    expect(more().nextBatch).toEqual([{ _id: 3 }, { _id: 5 }]);
    expect(more().nextBatch).toEqual([]);
  });

  test('with awaitData a getMore waits for a document that matches', () => {
    const { id } = open({ awaitData: true });
    const running = member.start({ getMore: id, collection: 'log', maxTimeMS: 500 });
    running.step();
    expect(running.pause).toMatchObject({ type: 'wait', what: 'awaitData' });
    expect(() => running.step()).toThrow('waits');
    member.insert('log', { _id: 3, skip: true });
    running.step();
    while (running.pause?.type === 'spend') running.step();
    expect(running.pause).toMatchObject({ type: 'wait', what: 'awaitData' });
    member.insert('log', { _id: 4 });
    expect(running.finish().cursor).toMatchObject({ id, nextBatch: [{ _id: 4 }] });
  });

  test('or until its time is over: one second if it does not say', () => {
    const { id } = open({ awaitData: true });
    const before = member.now.monotonicMicros;
    expect(member.ok({ getMore: id, collection: 'log' }).cursor).toMatchObject({ id, nextBatch: [] });
    expect(member.now.monotonicMicros - before).toBe(1_000_000 + member.costs.commandMicros);
    member.ok({ getMore: id, collection: 'log', maxTimeMS: 250 });
    expect(member.now.monotonicMicros - before).toBe(1_250_000 + 2 * member.costs.commandMicros);
  });

  test('killCursors ends a getMore that waits', () => {
    const { id } = open({ awaitData: true });
    const running = member.start({ getMore: id, collection: 'log' });
    running.step();
    member.ok({ killCursors: 'log', cursors: [id] });
    expect(running.finish()).toMatchObject({ ok: 0, code: 237, codeName: 'CursorKilled' });
  });

  test('are closed at once on an empty collection and where there is none, but not for want of a document that matches', () => {
    member.ok({ create: 'empty', capped: true, size: 100_000 });
    const tail = (find: string, more: object) => member.ok({ find, tailable: true, awaitData: true, ...more }).cursor;
    expect(tail('empty', {})).toEqual({ firstBatch: [], id: 0, ns: 'app.empty' });
    expect(tail('missing', {})).toEqual({ firstBatch: [], id: 0, ns: 'app.missing' });
    expect(tail('log', { filter: { _id: 9 } })).not.toMatchObject({ id: 0 });
  });

  test.for([[{ sort: { _id: 1 } }], [{ sort: { $natural: -1 } }], [{ singleBatch: true }]])(
    'cannot go with %j, wherever',
    ([more]) => {
      for (const find of ['log', 'missing']) expect(member.run({ find, tailable: true, ...more }).code).toBe(2);
    },
  );

  test('are as they come, and may say so', () => {
    expect(open({ sort: { $natural: 1 } }).firstBatch).toEqual([{ _id: 1 }]);
    expect(member.run({ find: 'log', tailable: true, filter: { _id: 2 } }).cursor.firstBatch).toHaveLength(1);
  });
});

describe('local.oplog.rs', () => {
  const entry = (t: number, op = 'i') => encodeDocument({ op, ns: 'app.c', ts: new Timestamp({ t, i: 1 }) });
  beforeEach(() => {
    member.hasOplog = true;
    member.oplog = [entry(1), entry(2), entry(3, 'n'), entry(4)];
    member.writable = false;
    member.memberState = 'SECONDARY';
  });
  const seconds = (more: object) =>
    member.ok({ find: 'oplog.rs', ...more }, 'local').cursor.firstBatch.map(({ ts }: Doc) => ts.t);

  test('is read on any member, in both directions, from a timestamp on', () => {
    expect(seconds({})).toEqual([1, 2, 3, 4]);
    expect(seconds({ sort: { $natural: -1 }, limit: 1 })).toEqual([4]);
    expect(seconds({ filter: { ts: { $gte: new Timestamp({ t: 3, i: 0 }) } } })).toEqual([3, 4]);
    expect(seconds({ filter: { op: 'n' } })).toEqual([3]);
    expect(seconds({ sort: { ts: -1 }, skip: 1 })).toEqual([3, 2, 1]);
    member.oplogFirst = 2;
    expect(seconds({})).toEqual([3, 4]);
    expect(seconds({ sort: { $natural: -1 } })).toEqual([4, 3]);
  });

  test('a lower bound on ts is not searched from the beginning', () => {
    member.oplog = Array.from({ length: 1000 }, (_, i) => entry(i + 1));
    const before = member.now.monotonicMicros;
    seconds({ filter: { ts: { $gte: new Timestamp({ t: 999, i: 0 }) } } });
    expect(member.now.monotonicMicros - before).toBe(member.costs.commandMicros + 2 * member.costs.scanKeyMicros);
  });

  test('tailing', () => {
    const { id } = member.ok({ find: 'oplog.rs', tailable: true, awaitData: true }, 'local').cursor;
    const running = member.start({ getMore: id, collection: 'oplog.rs' }, 'local');
    running.step();
    member.oplog.push(entry(5));
    expect(running.finish().cursor.nextBatch).toMatchObject([{ ts: new Timestamp({ t: 5, i: 1 }) }]);
    member.oplog.push(entry(6), entry(7));
    member.oplogFirst = 6;
    expect(member.run({ getMore: id, collection: 'oplog.rs' }, 'local')).toMatchObject({ code: 136 });
  });

  test('count and aggregate see it too; a member without a set has none', () => {
    expect(member.ok({ count: 'oplog.rs', query: { op: 'i' } }, 'local').n).toBe(3);
    const pipeline = [{ $match: { op: 'i' } }, { $count: 'n' }];
    expect(member.ok({ aggregate: 'oplog.rs', pipeline, cursor: {} }, 'local').cursor.firstBatch).toEqual([{ n: 3 }]);
    member.hasOplog = false;
    expect(seconds({})).toEqual([]);
    expect(member.ok({ count: 'oplog.rs' }, 'local').n).toBe(0);
  });
});

describe('count and distinct', () => {
  test('count', () => {
    expect(member.ok({ count: 'c' }).n).toBe(5);
    expect(member.ok({ count: 'c', query: { odd: true } }).n).toBe(3);
    expect(member.ok({ count: 'c', skip: 1, limit: 3 }).n).toBe(3);
    expect(member.ok({ count: 'c', skip: 9 }).n).toBe(0);
    expect(member.ok({ count: 'c', query: { odd: true }, limit: -2 }).n).toBe(2);
    expect(member.ok({ count: 'zzz' }).n).toBe(0);
    expect(member.run({ count: 'c', skip: -1 }).code).toBe(51024);
    expect(member.run({ count: 'c', query: { $nope: 1 } }).code).toBe(2);
  });

  test('distinct: as they are met, elements one by one, equal numbers once', () => {
    member.insert('d', { v: [2, 'b'] }, { v: 1 }, { v: 2.0 }, { v: [] }, {}, { v: null }, { v: 'a' }, { v: [[1]] });
    expect(member.ok({ distinct: 'd', key: 'v' }).values).toEqual([2, 'b', 1, null, 'a', [1]]);
    expect(member.ok({ distinct: 'd', key: 'v', query: { v: 2 } }).values).toEqual([2, 'b']);
    expect(member.ok({ distinct: 'zzz', key: 'v' }).values).toEqual([]);
    expect(member.run({ distinct: 'd' }).code).toBe(40414);
    expect(member.run({ distinct: 'd', key: 5 }).code).toBe(14);
  });
});
