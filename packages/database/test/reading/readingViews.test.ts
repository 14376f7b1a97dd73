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

  test('a tailable cursor is refused, and a circle of views has an end', () => {
    expect(member.run({ find: 'odds', tailable: true }).code).toBe(168);
    define('a', 'b');
    define('b', 'a');
    expect(member.run({ find: 'a' }).code).toBe(165);
  });
});
