import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { parseScenario, playScenario } from '../src/index.ts';

/** Plays steps behind a stream that a member refuses. */
async function played(...steps: readonly string[]) {
  const lines = [
    'name: t',
    'replicaSet: { members: [n1] }',
    'begin: with a primary',
    'steps:',
    '  - watch: { name: s, in: a.c, pipeline: [{ $mach: {} }] }',
    ...steps.map((step) => `  - ${step}`),
  ];
  return playScenario(parseScenario(lines.join('\n'), 't.yaml'), (options) => ReplSet.create(options));
}

const ENDS = 'Location40324 (40324)';

test('an error of a stream that no check expects fails the run as soon as it is known', async () => {
  const { failure, steps } = await played('advance: 1s', 'advance: 1h');
  expect(failure).toMatchObject({ line: 5, asked: 's goes on' });
  expect(failure?.got).toContain(ENDS);
  expect(failure?.detail).toContain(
    'if this is intended: "- eventually: { within: 10s, stream: s, error: Location40324 }"',
  );
  expect(steps).toBe(2);
});

test('one that a check expects does not, be it looked at later', async () => {
  const { failure } = await played('advance: 1s', 'note: later', 'expect: { stream: s, error: Location40324 }');
  expect(failure).toBeUndefined();
});

test('another one than is expected fails the run at its end', async () => {
  const { failure } = await played(
    'advance: 1s',
    'expect: { not: { stream: s, error: ChangeStreamHistoryLost } }',
    'note: the end',
  );
  expect(failure).toMatchObject({ line: 5 });
  expect(failure?.got).toContain(ENDS);
});

test('one that finds no server has ended with an error, too', async () => {
  const steps = ['kill: n1', 'watch: { name: late, in: a.c }', 'advance: 31s'];
  const isExpected = 'expect: { stream: s, error: any }';
  expect((await played(...steps, isExpected)).failure).toMatchObject({ line: 7, asked: 'late goes on' });
  const { failure } = await played(...steps, isExpected, 'expect: { stream: late, error: HostUnreachable }');
  expect(failure).toBeUndefined();
});
