import { expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

test.for([{ b: { $in: [[true], null] } }, { b: { $in: ['x', null, 1] } }, { b: { $in: [null, 1] } }])(
  'what a sparse index lacks is found where null is one of several values: %j',
  (filter) => {
    const member = new FakeMember();
    member.insert('c', {});
    member.ok({ createIndexes: 'c', indexes: [{ key: { b: 1, a: 1 }, name: 'b_1_a_1', sparse: true }] });
    expect(member.ok({ find: 'c', filter }).cursor.firstBatch).toHaveLength(1);
  },
);
