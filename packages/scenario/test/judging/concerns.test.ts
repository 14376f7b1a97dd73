import { expect, test } from 'vitest';
import { parseScenario } from '../../src/index.ts';
import { concernIn, sentConcern } from '../../src/judging/concerns.ts';

test.for<[key: string, given: unknown, meant: unknown]>([
  ['readConcern', 'majority', { level: 'majority' }],
  ['writeConcern', 'majority', { w: 'majority' }],
  ['writeConcern', 2, { w: 2 }],
  ['writeConcern', { w: 2, j: true }, { w: 2, j: true }],
  ['readConcern', undefined, undefined],
  ['comment', 'majority', 'majority'],
])('%s: %j is %j', ([key, given, meant]) => {
  expect(concernIn(key, given)).toEqual(meant);
});

test('what is sent is a document', () => {
  expect(sentConcern('readConcern', 'local')).toEqual(new Map([['level', 'local']]));
  const long = new Map([['level', 'local']]);
  expect(sentConcern('readConcern', long)).toBe(long);
  expect(sentConcern('ordered', false)).toBe(false);
});

/** A word and the document that it is short for make the same scenario, apart from its text. */
test.for<[short: string, long: string]>([
  ['insert: { into: a.b, document: {}, writeConcern: majority }', 'writeConcern: { w: majority }'],
  ['insert: { into: a.b, document: {}, writeConcern: 2 }', 'writeConcern: { w: 2 }'],
  ['update: { in: a.b, update: { $set: { x: 1 } }, writeConcern: 1 }', 'writeConcern: { w: 1 }'],
  ['delete: { from: a.b, writeConcern: majority }', 'writeConcern: { w: majority }'],
  ['createIndex: { in: a.b, keys: { x: 1 }, writeConcern: majority }', 'writeConcern: { w: majority }'],
  ['find: { in: a.b, readConcern: linearizable }', 'readConcern: { level: linearizable }'],
  ['expect: { sum: a.b, of: x, is: 0, readConcern: snapshot }', 'readConcern: { level: snapshot }'],
  ['startTransaction: { session: s, options: { readConcern: snapshot } }', 'readConcern: { level: snapshot }'],
  ['startTransaction: { session: s, options: { writeConcern: majority } }', 'writeConcern: { w: majority }'],
  ['workload: { name: w, every: 1s, find: { in: a.b }, readConcern: majority }', 'readConcern: { level: majority }'],
  [
    'workload: { name: w, every: 1s, insert: { into: a.b, document: { _id: $i } }, writeConcern: majority }',
    'writeConcern: { w: majority }',
  ],
  [
    'workload: { name: w, every: 1s, insert: { into: a.b, document: { _id: $i } }, reads: { every: 1s, readConcern: majority } }',
    'readConcern: { level: majority }',
  ],
])('%s', ([short, concern]) => {
  const long = short.replace(/\b(read|write)Concern: \w+/, concern);
  expect(long).not.toBe(short);
  const actionOf = (step: string) =>
    JSON.stringify(parseScenario(`name: a\nsteps:\n  - ${step}\n`, 'a.yaml').steps[0]?.action, withMaps);
  expect(actionOf(short)).toBe(actionOf(long));
  expect(actionOf(short)).toContain(/: (\w+) }$/.exec(concern)?.[1]);
});

test.for(['linearizable', '{ level: linearizable }'])('a history is judged by the level of its reads: %s', (level) => {
  const step = `workload: { name: w, every: 1s, insert: { into: a.b, document: { _id: $i } }, writeConcern: majority, reads: { every: 1s, readConcern: ${level} } }`;
  const [workload] = parseScenario(`name: a\nsteps:\n  - ${step}\n`, 'a.yaml').steps;
  expect(workload?.action).toMatchObject({ history: { readConcern: 'linearizable', w: 'majority' } });
});

/** The text of a check is as it is written. */
function withMaps(key: string, value: unknown): unknown {
  if (key === 'text') return undefined;
  return value instanceof Map ? [...value] : value;
}

test.for<[step: string, message: string]>([
  ['insert: { into: a.b, document: {}, writeConcern: majorty }', 'majorty" is neither majority nor a mode'],
  ['insert: { into: a.b, document: {}, writeConcern: 9 }', 'w: 9 can never be satisfied'],
  ['find: { in: a.b, readConcern: majorty }', 'did you mean "majority"?'],
  ['find: { in: a.b, readConcern: [majority] }', 'expected a level, or { level: majority }'],
])('%s: %s', ([step, message]) => {
  expect(() => parseScenario(`name: a\nsteps:\n  - ${step}\n`, 'a.yaml')).toThrow(message);
});
