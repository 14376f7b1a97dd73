import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { OperationDebug } from '../../../operations/src/operations/operationDebug.ts';
import { FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[3, 1, 2, 5, 4].map((_id) => ({ _id, odd: _id % 2 === 1, at: new Date(_id) })));
});

const aggregate = (pipeline: object[], more: object = {}) =>
  member.ok({ aggregate: 'c', pipeline, cursor: {}, ...more }).cursor.firstBatch;
const codeOf = (pipeline: unknown, more: object = {}) =>
  member.run({ aggregate: 'c', pipeline, cursor: {}, ...more }).code;

test('stages of our own keep the documents as they are', () => {
  member.insert('typed', { _id: 1, long: Long.ONE, double: new Double(1), decimal: Decimal128.fromString('1.50') });
  const command = encodeDocument({ aggregate: 'typed', pipeline: [{ $match: { _id: 1 } }, { $sort: { _id: 1 } }, { $limit: 1 }], cursor: {}, $db: 'app' }); // biome-ignore format: one line
  const running = new Running(member, member.dispatcher.start(command).run(member, 1));
  running.finish();
  const [document] = decodeDocument(running.bytes!).cursor.firstBatch;
  expect(document.long).toEqual(Long.ONE);
  expect(document.double._bsontype).toBe('Double');
  expect(document.decimal.toString()).toBe('1.50');
});

test('match, sort, skip, limit, count', () => {
  const ids = (pipeline: object[]) => aggregate(pipeline).map(({ _id }: { _id: number }) => _id);
  expect(ids([])).toEqual([3, 1, 2, 5, 4]);
  expect(ids([{ $match: { odd: true } }, { $sort: { _id: -1 } }])).toEqual([5, 3, 1]);
  expect(ids([{ $sort: { _id: 1 } }, { $skip: 1 }, { $limit: 2 }])).toEqual([2, 3]);
  expect(ids([{ $skip: 3 }, { $match: { odd: true } }])).toEqual([5]);
  expect(aggregate([{ $match: { odd: true } }, { $count: 'n' }])).toEqual([{ n: 3 }]);
  expect(aggregate([{ $match: { odd: 7 } }, { $count: 'n' }])).toEqual([]);
});

test('countDocuments: no row at all when nothing matched', () => {
  const counted = (filter: object) => aggregate([{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }]);
  expect(counted({})).toEqual([{ _id: 1, n: 5 }]);
  expect(counted({ odd: true })).toEqual([{ _id: 1, n: 3 }]);
  expect(counted({ odd: 7 })).toEqual([]);
  expect(aggregate([{ $group: { _id: null, total: { $sum: 1 } } }, { $project: { _id: 0 } }])).toEqual([{ total: 5 }]);
  const match = [{ $match: {} }, { $skip: 2 }, { $limit: 2 }, { $group: { _id: 1, n: { $sum: 1 } } }];
  expect(aggregate(match)).toEqual([{ _id: 1, n: 2 }]);
});

test.for<[one: unknown, sum: object | number, as: string]>([
  [1, new Int32(5), 'an int'],
  [Long.ONE, Long.fromNumber(5), 'a long'],
  [new Double(1), new Double(5), 'a double'],
  [Decimal128.fromString('1'), Decimal128.fromString('5'), 'a decimal'],
])('a count is of the type of its ones: %j makes %j, %s', ([one, sum]) => {
  const pipeline = [{ $group: { _id: null, n: { $sum: one } } }];
  const command = encodeDocument({ aggregate: 'c', pipeline, cursor: {}, $db: 'app' });
  const running = new Running(member, member.dispatcher.start(command).run(member, 1));
  running.finish();
  expect(decodeDocument(running.bytes!).cursor.firstBatch).toStrictEqual([{ _id: null, n: sum }]);
});

test('rarer stages', () => {
  expect(aggregate([{ $group: { _id: '$odd', sum: { $sum: '$_id' } } }, { $sort: { _id: 1 } }])).toEqual([
    { _id: false, sum: 6 },
    { _id: true, sum: 9 },
  ]);
  expect(aggregate([{ $match: { _id: 1 } }, { $addFields: { x: { $add: ['$_id', 1] } } }, { $unset: 'at' }])).toEqual([{ _id: 1, odd: true, x: 2 }]); // biome-ignore format: one line
  const [projected] = aggregate([{ $match: { _id: 1 } }, { $project: { odd: 1, y: '$at' } }]);
  expect(Object.keys(projected)).toEqual(['_id', 'odd', 'y']);
  expect(projected.y).toEqual(new Date(1));
  member.insert('other', { _id: 1, c: 3, name: 'three' });
  expect(aggregate([{ $match: { _id: 3 } }, { $lookup: { from: 'other', localField: '_id', foreignField: 'c', as: 'others' } }, { $unwind: '$others' }, { $project: { name: '$others.name' } }])).toEqual([{ _id: 3, name: 'three' }]); // biome-ignore format: one line
});

test('ObjectIds group by value', () => {
  const a = new ObjectId('0123456789abcdef01234567');
  member.insert('ids', { _id: 1, a }, { _id: 2, a }, { _id: 3, a: new ObjectId('0123456789abcdef01234568') });
  const command = {
    aggregate: 'ids',
    pipeline: [{ $group: { _id: '$a', n: { $sum: 1 } } }, { $sort: { n: -1 } }],
    cursor: {},
  };
  expect(member.ok(command).cursor.firstBatch).toEqual([{ _id: a, n: 2 }, { _id: expect.any(ObjectId), n: 1 }]); // biome-ignore format: one line
});

test('time and chance are the member’s own', () => {
  const trap = vi.spyOn(Date, 'now').mockImplementation(() => expect.fail('the real clock'));
  const dice = vi.spyOn(Math, 'random').mockImplementation(() => expect.fail('real chance'));
  try {
    const [{ now }] = aggregate([{ $limit: 1 }, { $project: { now: '$$NOW' } }]);
    expect(Math.abs(now.getTime() - member.now.wallMs)).toBeLessThan(1000);
    const rolled = aggregate([{ $addFields: { r: { $rand: {} } } }]).map(({ r }: { r: number }) => r);
    expect(new Set(rolled).size).toBe(5);
    expect(rolled.every((r: number) => r >= 0 && r < 1)).toBe(true);
    const sample = aggregate([{ $sample: { size: 3 } }]).map(({ _id }: { _id: number }) => _id);
    expect(new Set(sample).size).toBe(3);
    expect(aggregate([{ $sample: { size: 99 } }])).toHaveLength(5);
    // Nobody asks what day it is, to read half a date.
    expect(codeOf([{ $project: { d: { $dateFromString: { dateString: '12:30' } } } }])).toBe(241);
  } finally {
    trap.mockRestore();
    dice.mockRestore();
  }
});

test('a $match behind other stages is ours as well', () => {
  const pipeline = [{ $addFields: { s: 'x' } }, { $match: { s: { $gt: 5 } } }];
  expect(aggregate(pipeline)).toEqual([]);
  expect(aggregate([{ $addFields: { x: 1 } }, { $match: { $expr: { $eq: ['$_id', '$$want'] } } }], { let: { want: 4 } })).toMatchObject([{ _id: 4 }]); // biome-ignore format: one line
});

test.for([
  [[{ $nope: 1 }], 40324],
  [[{}], 40323],
  [[{ $match: {}, $limit: 1 }], 40323],
  [[5], 14],
  [5, 14],
  [[{ $match: 5 }], 15959],
  [[{ $sort: {} }], 15976],
  [[{ $limit: 0 }], 15958],
  [[{ $limit: 'x' }], 5107201],
  [[{ $skip: -1 }], 5107200],
  [[{ $count: '' }], 40157],
  [[{ $sample: { size: 0 } }], 28747],
  [[{ $match: {} }, { $collStats: {} }], 40602],
  [[{ $project: { a: { $nope: 1 } } }], 31325],
  [[{ $group: {} }], 15955],
] as const)('pipeline %o is refused with %i', ([pipeline, code]) => {
  expect(codeOf(pipeline)).toBe(code);
});

test('the command itself', () => {
  expect(member.run({ aggregate: 'c', pipeline: [] })).toMatchObject({ code: 9 });
  expect(member.run({ aggregate: 'c', cursor: {} }).code).toBe(40414);
  expect(member.run({ aggregate: 1, pipeline: [{ $match: {} }], cursor: {} }).code).toBe(73);
  expect(codeOf([], { explain: true })).toBeUndefined();
  expect(codeOf([], { nope: 1 })).toBe(40415);
  expect(member.ok({ aggregate: 'zzz', pipeline: [{ $match: {} }], cursor: {} }).cursor.firstBatch).toEqual([]);
});

test('a cursor with batches', () => {
  const { cursor } = member.ok({ aggregate: 'c', pipeline: [{ $sort: { _id: 1 } }], cursor: { batchSize: 2 } });
  expect(cursor.firstBatch).toHaveLength(2);
  expect(member.ok({ getMore: cursor.id, collection: 'c' }).cursor).toMatchObject({ nextBatch: [{ _id: 3 }, { _id: 4 }, { _id: 5 }], id: 0 }); // biome-ignore format: one line
});

describe('sources', () => {
  test('$collStats', () => {
    const [stats] = aggregate([{ $collStats: { storageStats: {}, count: {} } }]);
    expect(stats).toMatchObject({
      ns: 'app.c',
      host: 'n1:27017',
      count: 5,
      storageStats: { count: 5, nindexes: 1, capped: false },
    });
    member.hasOplog = true;
    const command = {
      aggregate: 'oplog.rs',
      pipeline: [{ $collStats: { storageStats: { scale: 1000 } } }],
      cursor: {},
    };
    expect(member.ok(command, 'local').cursor.firstBatch[0].storageStats).toMatchObject({ size: 1, maxSize: 50_000 });
  });

  test('$indexStats', () => {
    expect(aggregate([{ $indexStats: {} }])).toMatchObject([{ name: '_id_', key: { _id: 1 }, accesses: { ops: 0 } }]);
  });

  test('$currentOp', () => {
    const running = { opId: 7, desc: 'TTLMonitor', ns: 'app.c', commandName: 'delete', startedMicros: 0, killable: 'onRollback', endsWithClient: false, waitingFor: undefined, debug: new OperationDebug(), kill: () => {} } as const; // biome-ignore format: one line
    member.running = [running, { ...running, opId: 8, desc: 'conn3' }];
    const opids = (spec: object) =>
      member
        .ok({ aggregate: 1, pipeline: [{ $currentOp: spec }, { $match: { ns: 'app.c' } }], cursor: {} }, 'admin')
        .cursor.firstBatch.map(({ opid }: { opid: number }) => opid);
    expect(opids({ allUsers: true })).toEqual([7, 8]);
    expect(opids({ allUsers: true, idleConnections: true })).toEqual([7, 8]);
    expect(member.run({ aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: {} }).code).toBe(73);
  });
});
