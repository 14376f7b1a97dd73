import { encodeDocument } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkStoredDepth } from '../../../pipeline/src/fields/nesting.ts';
import { FakeMember } from '../fakeMember.ts';

/** So many documents in one another. */
function nested(depth: number, as: (inner: unknown) => object = (inner) => ({ a: inner })): object {
  let value: object = {};
  for (let i = 1; i < depth; i++) value = as(value);
  return value;
}
const path = (parts: number) => Array(parts).fill('a').join('.');

describe('what may be stored', () => {
  test.for([
    ['documents', (depth: number) => nested(depth)],
    ['arrays', (depth: number) => ({ x: [nested(depth - 2, (inner) => [inner])] })],
    ['a short branch after a deep one', (depth: number) => ({ x: nested(depth - 1), y: { z: 1 } })],
    ['a deep branch after short ones', (depth: number) => ({ y: { z: 1 }, z: [[]], x: nested(depth - 1) })],
    ['empty names', (depth: number) => nested(depth, (inner) => ({ '': inner }))],
  ] as const)('%s: 180 levels, and not one more', ([, make]) => {
    expect(() => checkStoredDepth(encodeDocument({ ...make(180) }))).not.toThrow();
    expect(() => checkStoredDepth(encodeDocument({ ...make(181) }))).toThrow(expect.objectContaining({ code: 15 }));
  });
});

describe('every way to a deep document ends in Overflow', () => {
  let member: FakeMember;
  beforeEach(() => {
    member = new FakeMember();
    member.insert('c', { _id: 1 });
  });
  const overflow = { writeErrors: [{ index: 0, code: 15 }] };
  const update = (q: object, u: object, upsert = false) => member.run({ update: 'c', updates: [{ q, u, upsert }] });

  test('inserts', () => {
    expect(member.run({ insert: 'c', documents: [nested(180)] })).toMatchObject({ n: 1 });
    expect(member.run({ insert: 'c', documents: [nested(181)] })).toMatchObject({ n: 0, ...overflow });
  });

  test.for([181, 201, 20_000])('a path of %i parts', (parts) => {
    expect(update({ _id: 1 }, { $set: { [path(parts)]: 1 } })).toMatchObject(overflow);
    expect(update({ _id: 2, [path(parts)]: 1 }, { $set: { x: 1 } }, true)).toMatchObject(overflow);
    expect(update({ _id: 2 }, { $set: { [path(parts)]: 1 } }, true)).toMatchObject(overflow);
    expect(member.documents('app.c')).toEqual([{ _id: 1 }]);
  });

  test('a path of 180 parts, the last of which is a value', () => {
    expect(update({ _id: 1 }, { $set: { [path(180)]: 1 } })).toMatchObject({ nModified: 1 });
    expect(update({ _id: 1 }, { $rename: { a: `b.${path(50)}` } })).toMatchObject(overflow);
  });
});
