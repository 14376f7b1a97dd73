import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario } from '../src/index.ts';
import { play } from './playing.ts';

const ZONES = 'zones: { east: [n1, n2], west: [n3] }';

test.for<[step: string, did: string[]]>([
  ['kill: east', ['kill n1', 'kill n2']],
  ['kill: [west, n1]', ['kill n3', 'kill n1']],
  ['partition: [east, west]', ['partition [["n1","n2"],["n3"]]']],
  ['partition: [west, all]', ['partition [["n3"],["n1","n2"]]']],
  [
    'link: { between: [east, west], loss: 1 }',
    ['link n1 n3 {"loss":1}', 'link n2 n3 {"loss":1}', 'link n3 n1 {"loss":1}', 'link n3 n2 {"loss":1}'],
  ],
  ['cut: { from: west, to: east }', ['cut n3 n1', 'cut n3 n2']],
  [
    'restart: { member: east, wipe: true }',
    ['shutdown n1', 'shutdown n2', 'start n1 {"wipe":true}', 'start n2 {"wipe":true}'],
  ],
])('members in the place of zones: %s', async ([step, did]) => {
  const { result, set } = await play([step], undefined, undefined, ZONES);
  expect(result.failure?.detail).toBeUndefined();
  expect(set.did).toEqual(did);
});

test.for<[workload: string, near: object]>([
  ['near: west', { near: 'n3' }],
  ['near: n2', { near: 'n2' }],
  ['reads: { every: 1s, near: west }', { reads: { near: 'n3' } }],
])('a client stands at the first member of its zone: %s', ([key, expected]) => {
  const step = `workload: { name: w, every: 1s, insert: { into: a.b, document: { _id: $i } }, ${key} }`;
  const text = `name: a\n${ZONES}\nsteps:\n  - ${step}\n`;
  expect(parseScenario(text, 'a.yaml').steps[0]?.action).toMatchObject(expected);
});

test('a client stands in no zone that there is not', () => {
  const text = `name: a\n${ZONES}\nsteps:\n  - workload: { name: w, every: 1s, find: { in: a.b }, near: wesst }\n`;
  expect(() => parseScenario(text, 'a.yaml')).toThrow('did you mean "west"?');
});

test('a check may ask a zone', () => {
  const text = `name: a\n${ZONES}\nsteps: [ expect: { on: east, count: a.b, is: 0 } ]\n`;
  const [step] = parseScenario(text, 'a.yaml').steps;
  expect(step?.action).toMatchObject({ check: { parts: [{ on: ['n1', 'n2'] }] } });
});

test('the ways between zones take as long as the head says, from the beginning', async () => {
  const head = 'zones: { east: [n1], west: [n2], north: [n3], latencyMs: 40 }';
  const { set } = await play(['advance: 1s'], undefined, undefined, head);
  expect(set.did.filter((each) => each.startsWith('link'))).toEqual(
    ['n1 n2', 'n1 n3', 'n2 n1', 'n2 n3', 'n3 n1', 'n3 n2'].map((way) => `link ${way} {"latencyMs":[40,40]}`),
  );
});

test('a set whose zones lie far apart elects a primary, and a write waits for the way there and back', async () => {
  const text = `
name: A majority write goes to the other coast
zones: { east: [n1], west: [n2, n3], latencyMs: 100 }
steps:
  - eventually: { within: 30s, primary: n1 }
  - advance: 5s
  - run: { db: a, command: { insert: b, documents: [{ _id: 1 }], writeConcern: { w: majority } }, took: { $gte: 200 } }
`;
  const { failure } = await playScenario(parseScenario(text, 'a.yaml'), (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});

function mistakesOf(head: string, step: string): unknown {
  try {
    parseScenario(`name: a\n${head}\nsteps:\n  - ${step}\n`, 'a.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map((each) => [`${each.line}:${each.column}`, each.message, each.suggestion]);
  }
  return [];
}

test.for<[name: string, head: string, step: string, place: string, message: string, suggestion?: string]>([
  ['a misspelt zone', ZONES, 'kill: esat', '4:11', 'no member is called "esat"', 'did you mean "east"?'],
  ['a stranger beside a zone', ZONES, 'kill: [east, n9, n3]', '4:18', 'no member is called "n9"', 'did you mean "n1"?'],
  [
    'a zone of nobody',
    'zones: { east: [n9] }',
    'advance: 1s',
    '2:17',
    'no member is called "n9"',
    'did you mean "n1"?',
  ],
  [
    'two places',
    'zones: { east: [n1], west: [n2, n1] }',
    'advance: 1s',
    '2:33',
    'n1 is already in east',
    'name it in one of them',
  ],
  ['a word', 'zones: { all: [n1] }', 'advance: 1s', '2:10', '"all" means something already', 'call the zone otherwise'],
  ['a zone that is no list', 'zones: { east: n1 }', 'advance: 1s', '2:16', 'expected a list of members: [n1, n2]'],
  [
    'a latency between one',
    'zones: { east: [n1], latencyMs: 5 }',
    'advance: 1s',
    '2:33',
    'a latency between zones needs two of them',
  ],
  ['both sides', ZONES, 'partition: [east, [n1, n3]]', '4:24', 'n1 is on two sides', 'name it on one of them'],
])('%s', ([, head, step, place, message, suggestion]) => {
  expect(mistakesOf(head, step)).toEqual([[place, message, suggestion]]);
});
