import { encodeDocument } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;

/** As `create` leaves it. */
function define(name: string, viewOn: string, ...pipeline: object[]): void {
  const definition = { _id: `app.${name}`, viewOn, pipeline };
  member.writes.insert('app.system.views', [new StoredDocument(encodeDocument(definition))]);
}

beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[3, 1, 2, 5, 4].map((_id) => ({ _id, odd: _id % 2 === 1 })));
  define('odds', 'c', { $match: { odd: true } });
  define('squares', 'odds', { $set: { square: { $multiply: ['$_id', '$_id'] } } }, { $unset: 'odd' });
});

describe('every read resolves a view', () => {
  test('find: filter, sort, skip, limit, projection', () => {
    expect(member.find('odds').map(({ _id }) => _id)).toEqual([3, 1, 5]);
    expect(member.find('odds', { _id: { $gt: 1 } }, { sort: { _id: -1 }, limit: 1 })).toEqual([{ _id: 5, odd: true }]);
    expect(member.find('odds', {}, { skip: 1, projection: { _id: 1 } })).toEqual([{ _id: 1 }, { _id: 5 }]);
  });

  test('a view on a view', () => {
    expect(member.find('squares', { square: { $gt: 1 } }, { sort: { _id: 1 } })).toEqual([
      { _id: 3, square: 9 },
      { _id: 5, square: 25 },
    ]);
  });

  test('count, distinct, aggregate, $lookup', () => {
    expect(member.ok({ count: 'odds' }).n).toBe(3);
    expect(member.ok({ count: 'squares', query: { square: 9 } }).n).toBe(1);
    expect(member.ok({ distinct: 'squares', key: 'square' }).values).toEqual([9, 1, 25]);
    const pipeline = [{ $match: { _id: { $lt: 5 } } }, { $group: { _id: null, sum: { $sum: '$square' } } }];
    expect(member.ok({ aggregate: 'squares', pipeline, cursor: {} }).cursor.firstBatch).toEqual([
      { _id: null, sum: 10 },
    ]);
    const lookup = { from: 'squares', localField: '_id', foreignField: '_id', as: 'of' };
    const joined = member.ok({ aggregate: 'c', pipeline: [{ $match: { _id: 5 } }, { $lookup: lookup }], cursor: {} });
    expect(joined.cursor.firstBatch).toEqual([{ _id: 5, odd: true, of: [{ _id: 5, square: 25 }] }]);
  });

  test('a view on nothing is empty', () => {
    define('none', 'missing', { $match: {} });
    expect(member.find('none')).toEqual([]);
    expect(member.ok({ count: 'none' }).n).toBe(0);
  });

  test('a circle of views has an end', () => {
    define('a', 'b');
    define('b', 'a');
    expect(member.run({ find: 'a' }).code).toBe(165);
  });
});

describe('a find on a view is an aggregation', () => {
  test.for<[option: object, refused: string]>([
    [{ min: { _id: 1 }, hint: { _id: 1 } }, 'min'],
    [{ max: { _id: 1 }, hint: { _id: 1 } }, 'max'],
    [{ returnKey: true }, 'returnKey'],
    [{ showRecordId: true }, 'showRecordId'],
    [{ tailable: true }, 'Tailable cursors'],
    [{ tailable: true, awaitData: true }, 'Tailable cursors'],
    [{ noCursorTimeout: true }, 'noCursorTimeout'],
    [{ allowPartialResults: true }, 'allowPartialResults'],
    [{ readOnce: true }, 'readOnce'],
    [{ singleBatch: true }, 'singleBatch'],
    [{ singleBatch: true, limit: 2 }, 'singleBatch'],
  ])('%j is refused, by explain too', ([option, refused]) => {
    const find = { find: 'odds', ...option };
    const refusal = { ok: 0, code: 168, errmsg: expect.stringContaining(`${refused} `) };
    expect(member.run(find)).toMatchObject(refusal);
    expect(member.run({ explain: find })).toMatchObject(refusal);
  });

  test('what is not asked for is not refused, nor a findOne', () => {
    const off = { min: {}, max: {}, returnKey: false, showRecordId: false, tailable: false, noCursorTimeout: false };
    expect(member.find('odds', {}, { ...off, allowPartialResults: false, singleBatch: false })).toHaveLength(3);
    const one = member.ok({ find: 'odds', limit: 1, singleBatch: true, batchSize: 1 });
    expect(one.cursor).toMatchObject({ id: 0, firstBatch: [{ _id: 3 }] });
  });

  test.for<[projection: object, code: number]>([
    [{ _id: { $slice: 1 } }, 28667],
    [{ '_id.$': 1 }, 31324],
    [{ _id: { $elemMatch: { a: 1 } } }, 168],
    [{ a: 1, odd: 0 }, 31254],
    [{ a: { $nope: 1 } }, 31325],
  ])('the projection %j is refused as a $project: %d', ([projection, code]) => {
    define('none', 'missing');
    expect(member.run({ find: 'odds', projection })).toMatchObject({ ok: 0, code });
    expect(member.run({ find: 'none', projection })).toMatchObject({ ok: 0, code });
  });

  test('a projection may compute', () => {
    const projection = { twice: { $multiply: ['$_id', 2] }, last: { $slice: [[1, 2, '$_id'], -1] } };
    expect(member.find('odds', {}, { projection, sort: { _id: 1 }, limit: 1 })).toEqual([
      { _id: 1, twice: 2, last: [1] },
    ]);
  });

  test.for([
    [{ sort: { $natural: -1 } }],
    [{ hint: { $natural: -1 } }],
    [{ sort: { $natural: -1 }, hint: { $natural: -1 } }],
  ])('natural order is that of the collection below: %j', ([order]) => {
    expect(member.find('odds', {}, order).map(({ _id }) => _id)).toEqual([5, 1, 3]);
    expect(member.find('squares', {}, order).map(({ _id }) => _id)).toEqual([5, 1, 3]);
    const { queryPlanner } = member.ok({ explain: { find: 'odds', ...order } });
    expect(queryPlanner.winningPlan).toMatchObject({ stage: 'COLLSCAN', direction: 'backward' });
  });
});
