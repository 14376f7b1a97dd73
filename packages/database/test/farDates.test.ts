import { BsonType, BsonWriter, encodeName, findField, RawBson, readInt64 } from '@replsim/protocol';
import { Long } from 'bson';
import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from './fakeMember.ts';

// A BSON date is any int64 of milliseconds; JavaScript's Date ends at 8.64e15 of them.

const MAX = 2n ** 63n - 1n;
const DATES = [0n, MAX, -(2n ** 63n), 8_640_000_000_000_001n, 9_007_199_254_740_993n, 9_007_199_254_740_992n];

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.ok({ insert: 'c', documents: DATES.map((at, _id) => documentOf(_id, at)) });
});

function documentOf(_id: number, at: bigint): RawBson {
  const writer = new BsonWriter();
  writer.int32('_id', _id);
  writer.date('at', at);
  return new RawBson(writer.finish());
}

function stored(): bigint[] {
  const records = member.engine.collection('app.c')!.records();
  const dates: bigint[] = [];
  while (records.next()) {
    const { bytes, offset } = findField(records.document.bytes, encodeName('at'))!;
    dates.push(readInt64(bytes, offset));
  }
  return dates;
}

const ids = (command: object) => member.ok(command).cursor.firstBatch.map(({ _id }: { _id: number }) => _id);

test('they are stored to the bit, and a change of something else leaves them so', () => {
  expect(stored()).toEqual(DATES);
  member.ok({ update: 'c', updates: [{ q: {}, u: { $set: { n: 1 } }, multi: true }] });
  member.ok({ update: 'c', updates: [{ q: {}, u: [{ $set: { m: 1 } }], multi: true }] });
  expect(stored()).toEqual(DATES);
});

test.for([false, true])('they sort and compare as numbers (by an index: %o)', (indexed) => {
  if (indexed) member.ok({ createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1' }] });
  const inOrder = [2, 0, 3, 5, 4, 1];
  expect(ids({ find: 'c', sort: { at: 1 } })).toEqual(inOrder);
  expect(ids({ aggregate: 'c', pipeline: [{ $sort: { at: -1 } }], cursor: {} })).toEqual([...inOrder].reverse());
  expect(ids({ find: 'c', filter: { at: { $gt: new Date(8.64e15) } }, sort: { at: 1 } })).toEqual([3, 5, 4, 1]);
  expect(ids({ find: 'c', filter: { at: { $lt: new Date(0) } } })).toEqual([2]);
});

test.for([8_640_000_000_000_001n, MAX, -MAX])('a long becomes one, to the bit: %i', (n) => {
  member.insert('longs', { _id: 1, n: Long.fromBigInt(n) });
  const pipeline = [{ $project: { at: { $toDate: '$n' }, _id: 0 } }, { $project: { at: { $toDate: ['$at'] } } }];
  member.ok({ aggregate: 'longs', pipeline: [...pipeline, { $out: 'dates' }], cursor: {} });
  const records = member.engine.collection('app.dates')!.records();
  records.next();
  const { type, bytes, offset } = findField(records.document.bytes, encodeName('at'))!;
  expect([type, readInt64(bytes, offset)]).toEqual([BsonType.date, n]);
});

test('what is no date is told, and a far one has no text', () => {
  const made = (expression: object) =>
    member.run({ aggregate: 'c', pipeline: [{ $limit: 1 }, { $project: { v: expression, _id: 0 } }], cursor: {} });
  expect(made({ $toDate: '1970-01-01T00:00:01Z' }).cursor.firstBatch).toEqual([{ v: new Date(1000) }]);
  expect(made({ $toDate: 'never' })).toMatchObject({ code: 241, codeName: 'ConversionFailure' });
  expect(made({ $toDate: [1, 2] })).toMatchObject({ code: 50723 });
  expect(made({ $toString: { $toDate: Long.fromBigInt(MAX) } })).toMatchObject({ code: 18537 });
});
