import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: { x: 1 } });
});

const path = (parts: number) => Array(parts).fill('a').join('.');
const aggregate = (stage: object) => member.run({ aggregate: 'c', pipeline: [stage], cursor: {} });

test.for([201, 20_000])('a path of %i parts is refused', (parts) => {
  expect(aggregate({ $set: { [path(parts)]: 1 } })).toMatchObject({ ok: 0, code: 15 });
  expect(aggregate({ $project: { [path(parts)]: 1 } })).toMatchObject({ ok: 0, code: 15 });
});

test('a document inside itself is the one that came in', () => {
  const stage = { $setWindowFields: { sortBy: { _id: 1 }, output: { 'a.b': { $push: '$$ROOT' } } } };
  const [found] = aggregate(stage).cursor.firstBatch;
  expect(found).toEqual({ _id: 1, a: { x: 1, b: [{ _id: 1, a: { x: 1 } }] } });
});
