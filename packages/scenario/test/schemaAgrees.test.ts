import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { forecastJsonSchema, parseForecast, parseScenario, scenarioJsonSchema } from '../src/index.ts';

// What the parser accepts an editor must not flag.

const ajv = new Ajv2020({ allErrors: true, strict: false });
const scenario = ajv.compile(scenarioJsonSchema());
const forecast = ajv.compile(forecastJsonSchema());

/** What the schema finds wrong with a text. */
function flagged(validate: typeof scenario, text: string): unknown[] {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message, params }) => [instancePath, message, params]);
}

const top = new URL('../../../', import.meta.url);
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`);
const read = (file: string) => readFileSync(new URL(file, top), 'utf8');

test('all scenarios', () => {
  const files = [...filesIn('scenarios'), 'packages/scenario/test/everyStep.yaml'];
  expect(files.length).toBeGreaterThan(350);
  for (const file of files) expect(flagged(scenario, read(file)), file).toEqual([]);
});

test('all forecasts', () => {
  for (const file of filesIn('forecasts')) expect(flagged(forecast, read(file)), file).toEqual([]);
});

const NUMBERS = [
  '1',
  '{ $numberInt: "1" }',
  '{ $numberLong: "1" }',
  '{ $numberDouble: "1.0" }',
  '{ $numberDouble: " 1 " }',
];

test.for([
  ['a whole number', 'seed: N\nsteps: [{ advance: 1s }]'],
  ['one of two', 'replicaSet: { members: [n1, { name: n2, votes: N }] }\nsteps: [{ advance: 1s }]'],
  ['one within bounds', 'replicaSet: { members: [n1, { name: n2, priority: N }] }\nsteps: [{ advance: 1s }]'],
  ['one that stands for a list', 'replicaSet: { members: N }\nsteps: [{ advance: 1s }]'],
  [
    'one with something below it',
    'replicaSet: { members: [{ name: n1, tags: { dc: a } }], settings: { getLastErrorModes: { m: { dc: N } } } }\nsteps: [{ advance: 1s }]',
  ],
  ['a setting that may be off', 'replicaSet: { settings: { catchUpTimeoutMillis: N } }\nsteps: [{ advance: 1s }]'],
  ['a cost', 'costs: { insertMicros: N }\nsteps: [{ advance: 1s }]'],
  ['a latency', 'network: { latencyMs: N, loss: N }\nsteps: [{ advance: 1s }]'],
  ['latencies', 'zones: { a: [n1], b: [n2, n3], latencyMs: [N, N] }\nsteps: [{ advance: 1s }]'],
  ['of a step', 'steps: [{ freeze: { on: n1, seconds: N } }, { insert: { into: a.b, document: {}, count: N } }]'],
  ['of a step in a step', 'steps: [{ repeat: { times: N, steps: [{ stepDown: { stepDownSecs: N } }] } }]'],
  [
    'of a fault',
    'steps: [{ link: { between: [n1, n2], latencyMs: [N, N], loss: N } }, { clock: { on: n1, drift: N } }]',
  ],
  ['of a fail point', 'steps: [{ failPoint: { on: n1, name: failCommand, mode: { times: N }, data: {} } }]'],
  ['an error', 'steps: [{ find: { in: a.b, error: N } }]'],
  ['of a check', 'steps: [{ expect: { log: { id: 1 }, count: N } }, { expect: { count: a.b, is: N } }]'],
  ['of a client', 'steps: [{ workload: { name: w, every: 1s, find: { in: a.b, limit: N }, maxTimeMS: N } }]'],
])('a number in Extended JSON is one: %s', ([, body]) => {
  for (const number of NUMBERS) {
    const text = `name: x\n${body!.replaceAll('N', number)}\n`;
    expect(() => parseScenario(text, 'x.yaml'), text).not.toThrow();
    expect(flagged(scenario, text), text).toEqual([]);
  }
});

test('and in a forecast', () => {
  for (const number of NUMBERS) {
    const text = `name: x\nduration: 1h\ninsert: ${number}\nexpireAfterSeconds: 60\nindexes: ${number}\n`;
    expect(() => parseForecast(text, 'x.yaml'), text).not.toThrow();
    expect(flagged(forecast, text), text).toEqual([]);
  }
});

test.for([
  '{ $numberInt: 1 }',
  '{ $numberInt: "1", a: 1 }',
  '{ $numberDecimal: "1" }',
  '{ $numberInt: "" }',
  '{}',
  'x',
])('what is none is none here too: %s', (number) => {
  const text = `name: x\nseed: ${number}\nsteps: [{ advance: 1s }]\n`;
  expect(() => parseScenario(text, 'x.yaml')).toThrow();
  expect(flagged(scenario, text)).not.toEqual([]);
});
