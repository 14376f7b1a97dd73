import { expect, test } from 'vitest';
import { parseScenario } from '../../src/index.ts';

const STARTED = `name: a
steps:
  - workload: { name: one, every: 1s, find: { in: a.b } }
  - workload: { name: two, every: 1s, find: { in: a.b } }
  - watch: { name: seen, in: a.b }
`;

test.for<[stop: string, names: readonly string[]]>([
  ['one', ['one']],
  ['seen', ['seen']],
  ['[two, seen]', ['two', 'seen']],
  ['all', ['one', 'two', 'seen']],
])('stop: %s', ([stop, names]) => {
  const { steps } = parseScenario(`${STARTED}  - stop: ${stop}\n`, 'a.yaml');
  expect(steps.at(-1)?.action).toEqual({ kind: 'stop', names });
});

test('a client that is called all is one', () => {
  const text = `${STARTED}  - workload: { name: all, every: 1s, find: { in: a.b } }\n  - stop: all\n`;
  expect(parseScenario(text, 'a.yaml').steps.at(-1)?.action).toEqual({ kind: 'stop', names: ['all'] });
});

test.for<[stop: string, message: string]>([
  ['[one, tow]', 'did you mean "two"?'],
  ['[]', 'expected at least one name'],
  ['5', 'expected the name of a workload or a stream, a list of names, or all'],
])('stop: %s is a mistake', ([stop, message]) => {
  expect(() => parseScenario(`${STARTED}  - stop: ${stop}\n`, 'a.yaml')).toThrow(message);
});

test('nothing can be stopped before something was started', () => {
  expect(() => parseScenario('name: a\nsteps: [ stop: all ]\n', 'a.yaml')).toThrow(
    'no earlier step started a workload or a stream',
  );
});
