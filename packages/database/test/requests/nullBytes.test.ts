import { describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

// A client's text may become a field's name, and no name can hold a NUL: BSON would end it there, for every reader.

const stage = (...pipeline: object[]) => ({ aggregate: 'c', pipeline, cursor: {} });
const update = (u: unknown) => ({ update: 'c', updates: [{ q: {}, u }] });

/** Those of the operator that makes the name, if it is one. */
function codeOf(name: string, command: object): number {
  if (name === '$setField') return 9534700;
  if (name === '$count' || name === '$facet') return 40159;
  if (name === 'distinct') return 31032;
  return JSON.stringify(command).includes('$arrayToObject') ? 4940400 : 16411;
}

describe.for(['a\0b', 'é\0b', `${'a'.repeat(200)}\0`])('%j', (text) => {
  const made = { $arrayToObject: [[[text, 1]]] };
  const join = { from: 'c', localField: 'a', foreignField: 'a', as: 'x' };
  const graph = { from: 'c', startWith: '$a', connectFromField: 'a', connectToField: 'a', as: 'x' };

  test.for([
    ['$rename', update({ $rename: { a: text } })],
    ['an update by pipeline', update([{ $replaceWith: made }])],
    ['findAndModify', { findAndModify: 'c', query: {}, update: { $rename: { a: text } } }],
    ['$arrayToObject', stage({ $project: { x: made } })],
    ['$setField', stage({ $project: { x: { $setField: { field: { $literal: text }, input: {}, value: 1 } } } })],
    ['$mergeObjects', stage({ $project: { x: { $mergeObjects: [made, { b: 1 }] } } })],
    ['a projection', { find: 'c', projection: { x: made } }],
    ['an accumulator', stage({ $group: { _id: null, x: { $push: made } } })],
    ['$replaceRoot', stage({ $replaceRoot: { newRoot: made } })],
    ['$lookup.as', stage({ $lookup: { ...join, as: text } })],
    ['$lookup.foreignField', stage({ $lookup: { ...join, foreignField: text } })],
    ['$graphLookup.as', stage({ $graphLookup: { ...graph, as: text } })],
    ['$graphLookup.depthField', stage({ $graphLookup: { ...graph, depthField: text } })],
    ['$unwind', stage({ $unwind: `$${text}` })],
    ['$unwind.includeArrayIndex', stage({ $unwind: { path: '$a', includeArrayIndex: text } })],
    ['$count', stage({ $count: text })],
    ['$facet', stage({ $facet: { a: [{ $count: text }] } })],
    ['distinct', { distinct: 'c', key: text }],
  ] as const)('%s is refused', ([name, command]) => {
    const member = new FakeMember();
    member.insert('c', { _id: 1, a: 1 });
    const reply = member.run(command);
    expect(reply.writeErrors ?? [reply]).toMatchObject([{ code: codeOf(name, command) }]);
    expect(member.ok({ find: 'c' }).cursor.firstBatch).toEqual([{ _id: 1, a: 1 }]);
  });
});

test('the options of a regular expression', () => {
  const member = new FakeMember();
  member.insert('c', { _id: 1, a: 'a' });
  expect(member.run({ find: 'c', filter: { a: { $regex: 'a', $options: 'i\0' } } })).toMatchObject({
    ok: 0,
    code: 51091,
  });
});
