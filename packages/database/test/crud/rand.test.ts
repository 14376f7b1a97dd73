import { Decimal128, Long } from 'bson';
import { beforeEach, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...Array.from({ length: 200 }, (_, _id) => ({ _id })));
});

const HALF = { $expr: { $lt: [{ $rand: {} }, 0.5] } };
const idsOf = (command: object): number[] => member.ok(command).cursor.firstBatch.map(({ _id }: Doc) => _id);

test.for([
  [{ find: 'c', filter: HALF, batchSize: 1000 }],
  [{ aggregate: 'c', pipeline: [{ $match: HALF }], cursor: { batchSize: 1000 } }],
  [{ aggregate: 'c', pipeline: [{ $skip: 0 }, { $match: HALF }], cursor: { batchSize: 1000 } }],
  [{ find: 'c', filter: { $sampleRate: 0.5 }, batchSize: 1000 }],
  [
    {
      find: 'c',
      filter: { $and: [{ _id: { $gte: 0 } }, { $sampleRate: Decimal128.fromString('0.5') }] },
      batchSize: 1000,
    },
  ],
  [{ aggregate: 'c', pipeline: [{ $match: { $sampleRate: 0.5 } }], cursor: { batchSize: 1000 } }],
] as const)('%j: a filter draws anew for each document, and the same member draws alike', ([command]) => {
  const ids = idsOf(command);
  expect(ids.length).toBeGreaterThan(50);
  expect(ids.length).toBeLessThan(150);
  expect(idsOf(command)).not.toEqual(ids);
  member = new FakeMember();
  member.insert('c', ...Array.from({ length: 200 }, (_, _id) => ({ _id })));
  expect(idsOf(command)).toEqual(ids);
});

test('a projection draws too, and a delete', () => {
  const command = { find: 'c', projection: { r: { $rand: {} } } };
  const drawn = new Set(member.ok(command).cursor.firstBatch.map(({ r }: Doc) => r));
  expect(drawn.size).toBeGreaterThan(90);
  const { n } = member.ok({ delete: 'c', deletes: [{ q: HALF, limit: 0 }] });
  expect(n).toBeGreaterThan(50);
  expect(n).toBeLessThan(150);
});

test.for([
  [0, 0],
  [1, 200],
  [Long.fromNumber(1), 200],
])('$sampleRate: %s leaves nothing to chance', ([rate, found]) => {
  expect(idsOf({ find: 'c', filter: { $sampleRate: rate }, batchSize: 1000 })).toHaveLength(Number(found));
});

test('a variable is drawn once', () => {
  const command = { find: 'c', filter: { $expr: { $lt: ['$$r', 0.5] } }, let: { r: { $rand: {} } }, batchSize: 1000 };
  const counts = Array.from({ length: 20 }, () => idsOf(command).length);
  expect(new Set(counts)).toEqual(new Set([0, 200]));
});

test('a validator may not leave it to chance', () => {
  expect(member.run({ create: 'v', validator: HALF })).toMatchObject({ ok: 0, code: 3040500 });
  expect(member.run({ create: 'v', validator: { $sampleRate: 0.5 } })).toMatchObject({ ok: 0, code: 3040500 });
});
