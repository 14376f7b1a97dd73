import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../src/index.ts';

// What rs.conf() prints can be pasted: a number in Extended JSON may stand wherever a number may.

const parse = (head: string, step = 'advance: 1s') =>
  parseScenario(`name: a\n${head}\nsteps: [ { ${step} } ]\n`, 'a.yaml');

test.for([
  ['priority', '{ $numberInt: "0" }', 0],
  ['votes', '{ $numberInt: "1" }', 1],
  ['secondaryDelaySecs', '{ $numberLong: "30" }', 30],
  ['priority', '{ $numberDouble: "0.0" }', 0],
])('of a member: %s: %s', ([key, text, number]) => {
  const rest = key === 'priority' ? '' : 'priority: 0, ';
  const { options } = parse(`replicaSet: { members: [n1, { name: n2, ${rest}${key}: ${text} }] }`);
  expect(options.members[1]!.config).toMatchObject({ [key!]: number });
});

test('of settings, costs, the network and the seed', () => {
  const { options, seed } = parse(
    'seed: { $numberLong: "7" }\nnetwork: { latencyMs: [{ $numberInt: "1" }, { $numberDouble: "2.5" }] }\n' +
      'replicaSet: { settings: { electionTimeoutMillis: { $numberLong: "5000" } } }',
  );
  expect(seed).toBe(7);
  expect(options.network).toMatchObject({ latencyMs: [1, 2.5] });
  expect(options.settings).toMatchObject({ electionTimeoutMillis: 5000 });
});

test.for([
  ['insert: { into: a.b, document: {}, count: { $numberInt: "3" } }'],
  ['freeze: { on: n1, seconds: { $numberLong: "5" } }'],
  ['repeat: { times: { $numberInt: "2" }, steps: [ { advance: 1s } ] }'],
  ['link: { between: [n1, n2], latencyMs: { $numberInt: "5" } }'],
])('of a step: %s', ([step]) => {
  expect(() => parse('', step)).not.toThrow();
});

test.for([
  ['priority: { $numberInt: "x" }'],
  ['priority: { $numberInt: "1", a: 1 }'],
  ['secondaryDelaySecs: { $numberLong: "9007199254740993" }'],
  ['votes: { $numberDouble: "NaN" }'],
])('what is none is a mistake: %s', ([field]) => {
  expect(() => parse(`replicaSet: { members: [n1, { name: n2, ${field} }] }`)).toThrow(InvalidScenario);
});

test('a duration has a unit', () => {
  expect(() => parse('', 'advance: { $numberInt: "5" }')).toThrow(/expected a duration/);
});

test('latencies between zones may be a range', () => {
  const { steps } = parse('zones: { east: [n1, n2], west: [n3], latencyMs: [30, 50] }', 'kill: east');
  expect(steps[0]!.text).toBe('link: {between: [east, west], latencyMs: [30,50]}');
});

test.for([
  ['replicaSet: { members: [a, 1] }', 'kill: b'],
  ['replicaSet: { members: [a, null, { host: "a:1" }], spares: [2] }', 'kill: b'],
  ['zones: { east: [n1, 1] }', 'kill: b'],
  ['zones: { latencyMs: [a, b] }', 'kill: n9'],
  ['zones: [n1]', 'kill: { a: 1 }'],
])('%s is a mistake, whoever the steps mean', ([head, step]) => {
  expect(() => parse(head!, step)).toThrow(InvalidScenario);
});
