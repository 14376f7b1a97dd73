import { expect, test } from 'vitest';
import { play } from './playing.ts';

// What a placeholder comes to in the end may be no value at all: then the step fails, wherever it stands.

const WRONG: Readonly<Record<string, string>> = {
  'not to be added': '{ $plus: [1, a] }',
  'two dates': '{ $plus: [$now, $now] }',
  'beyond all dates': '{ $plus: [$now, { $numberLong: "9007199254740993" }] }',
  'a date of NaN': '{ $plus: [$now, { $numberDouble: "NaN" }] }',
  'NaN times': '{ $now: { minus: 1h, times: { $numberDouble: "NaN" } } }',
  'a timestamp below 0': '{ $plus: [{ $timestamp: { t: 1, i: 1 } }, -2] }',
  'half a timestamp': '{ $plus: [{ $timestamp: { t: 1, i: 1 } }, 0.5] }',
};
const STEPS: Readonly<Record<string, (value: string) => string>> = {
  insert: (value) => `insert: { into: a.b, document: { x: ${value} } }`,
  run: (value) => `run: { on: n1, command: { ping: ${value} } }`,
  matches: (value) => `expect: { on: n1, command: { ping: 1 }, matches: { x: ${value} } }`,
  count: (value) => `expect: { on: n1, count: a.b, filter: { x: ${value} }, is: 0 }`,
  is: (value) => `expect: { on: n1, count: a.b, is: { $lt: ${value} } }`,
  oplog: (value) => `expect: { on: n1, oplog: { o.x: ${value} }, count: 0 }`,
  log: (value) => `expect: { on: n1, log: { attr.x: ${value} }, count: 0 }`,
  eventually: (value) => `eventually: { within: 1s, on: n1, command: { ping: 1 }, matches: { x: ${value} } }`,
  always: (value) => `always: { for: 1s, on: n1, command: { ping: 1 }, matches: { x: ${value} } }`,
};

test.for(Object.entries(WRONG))('%s: the step fails', async ([, value]) => {
  for (const [name, step] of Object.entries(STEPS)) {
    const { result } = await play([step(value)]);
    expect(result.ok, name).toBe(false);
  }
});
