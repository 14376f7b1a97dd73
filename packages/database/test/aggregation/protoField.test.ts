import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { EJSON } from 'bson';
import { beforeEach, expect, test } from 'vitest';
import { FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

/** An object of these fields; only so can one have a field of its own that is called `__proto__`. */
const object = (text: string) => JSON.parse(text) as object;
const stored = object('{"_id": 1, "a": {"__proto__": 5, "x": 1}, "b": {"__proto__": 6}, "__proto__": {"c": 7}}');

function found(pipeline: object[]): unknown {
  const command = encodeDocument({ aggregate: 'c', pipeline, cursor: {}, $db: 'app' });
  const running = new Running(member, member.dispatcher.start(command).run(member, 1));
  running.finish();
  return EJSON.stringify(decodeDocument(running.bytes!).cursor?.firstBatch ?? decodeDocument(running.bytes!));
}

test.for<[expression: object, result: string]>([
  [{ $mergeObjects: ['$a', '$b', { y: 2 }] }, '{"__proto__":6,"x":1,"y":2}'],
  [{ $mergeObjects: ['$a', { $mergeObjects: [{ z: 1 }, '$b'] }] }, '{"__proto__":6,"x":1,"z":1}'],
  [{ $ifNull: [{ $mergeObjects: [{ $cond: [true, '$a', '$b'] }, '$b'] }, 1] }, '{"__proto__":6,"x":1}'],
  [
    {
      $arrayToObject: [
        [
          ['__proto__', 5],
          ['x', 1],
        ],
      ],
    },
    '{"__proto__":5,"x":1}',
  ],
  [{ $arrayToObject: { $objectToArray: '$a' } }, '{"__proto__":5,"x":1}'],
  [{ $arrayToObject: { $map: { input: { $objectToArray: '$a' }, in: { k: '$$this.k', v: { $add: ['$$this.v', 1] } } } } }, '{"__proto__":6,"x":2}'], // biome-ignore format: one line
  [{ $objectToArray: '$a' }, '[{"k":"__proto__","v":5},{"k":"x","v":1}]'],
  [{ $setField: { field: '__proto__', input: '$a', value: 9 } }, '{"__proto__":9,"x":1}'],
  [{ $setField: { field: '__proto__', input: { x: 1 }, value: 9 } }, '{"x":1,"__proto__":9}'],
  [{ $setField: { field: 'x', input: '$a', value: 9 } }, '{"__proto__":5,"x":9}'],
  [{ $unsetField: { field: 'x', input: '$a' } }, '{"__proto__":5}'],
  [{ $getField: { field: '__proto__', input: '$a' } }, '5'],
  [{ $let: { vars: { v: '$a' }, in: '$$v' } }, '{"__proto__":5,"x":1}'],
  [{ $map: { input: ['$a'], in: '$$this' } }, '[{"__proto__":5,"x":1}]'],
  [{ $first: [['$a']] }, '{"__proto__":5,"x":1}'],
  [{ $reduce: { input: ['$a', '$b'], initialValue: {}, in: { $mergeObjects: ['$$value', '$$this'] } } }, '{"__proto__":6,"x":1}'], // biome-ignore format: one line
  [{ $getField: 'a' }, '{"__proto__":5,"x":1}'],
  [{ $type: '$a.__proto__' }, '"int"'],
  [{ $concat: [{ $toString: '$__proto__.c' }] }, '"7"'],
  [{ $literal: object('{"__proto__": 1}') }, '{"__proto__":1}'],
  [{ $cond: [{ $isArray: '$a' }, 1, object('{"__proto__": 1}')] }, '{"__proto__":1}'],
  [object('{"__proto__": "$a.x"}'), '{"__proto__":1}'],
])('%j keeps a field called __proto__', ([expression, result]) => {
  member.insert('c', stored);
  expect(found([{ $replaceWith: { v: expression } }])).toBe(`[{"v":${result}}]`);
});

test.for<[pipeline: object[], documents: string]>([
  [[{ $replaceRoot: { newRoot: '$a' } }], '{"__proto__":5,"x":1}'],
  [[{ $replaceRoot: { newRoot: '$__proto__' } }], '{"c":7}'],
  [[{ $project: object('{"_id": 0, "__proto__": 1}') }], '{"__proto__":{"c":7}}'],
  [[{ $project: object('{"_id": 0, "a.__proto__": 1}') }], '{"a":{"__proto__":5}}'],
  [[{ $project: object('{"a": 0, "b": 0, "__proto__": 0}') }], '{"_id":1}'],
  [[{ $project: { _id: 0, 'x.__proto__': '$a.x' } }], '{"x":{"__proto__":1}}'],
  [[{ $set: object('{"__proto__": 3}') }, { $unset: ['a', 'b'] }], '{"_id":1,"__proto__":3}'],
  [[{ $unset: ['__proto__', 'a'] }], '{"_id":1,"b":{"__proto__":6}}'],
  [[{ $group: { _id: '$a' } }], '{"_id":{"__proto__":5,"x":1}}'],
  [[{ $group: { _id: object('{"__proto__": "$a.x"}') } }], '{"_id":{"__proto__":1}}'],
  [[{ $group: object('{"_id": 1, "__proto__": {"$sum": "$a.__proto__"}}') }], '{"_id":1,"__proto__":5}'],
  [[{ $group: { _id: 1, v: { $mergeObjects: '$a' } } }], '{"_id":1,"v":{"__proto__":5,"x":1}}'],
  [[{ $sortByCount: '$a.__proto__' }], '{"_id":5,"count":1}'],
  [[{ $bucketAuto: { groupBy: '$a', buckets: 1 } }], '{"_id":{"min":{"__proto__":5,"x":1},"max":{"__proto__":5,"x":1}},"count":1}'], // biome-ignore format: one line
  [[{ $redact: '$$KEEP' }], '{"_id":1,"a":{"__proto__":5,"x":1},"b":{"__proto__":6},"__proto__":{"c":7}}'],
  [[{ $redact: { $cond: ['$x', '$$KEEP', '$$DESCEND'] } }], '{"_id":1,"a":{"__proto__":5,"x":1},"b":{"__proto__":6},"__proto__":{"c":7}}'], // biome-ignore format: one line
  [[{ $setWindowFields: { sortBy: { _id: 1 }, output: { v: { $first: '$a' } } } }, { $replaceWith: '$v' }], '{"__proto__":5,"x":1}'], // biome-ignore format: one line
  [[{ $facet: object('{"__proto__": [{"$project": {"_id": 1}}]}') }], '{"__proto__":[{"_id":1}]}'],
])('%j keeps a field called __proto__', ([pipeline, documents]) => {
  member.insert('c', stored);
  expect(found(pipeline)).toBe(`[${documents}]`);
});
