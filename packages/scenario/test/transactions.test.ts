import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario, Transcript } from '../src/index.ts';

/** Plays steps on a set of one. */
async function played(...steps: readonly string[]) {
  const text = [
    'name: t',
    'replicaSet: { members: [n1], spares: [n2] }',
    'begin: with a primary',
    'steps:',
    '  - insert: { into: a.c, documents: [{ _id: 1, n: 0 }] }',
    ...steps.map((step) => `  - ${step}`),
  ].join('\n');
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(parseScenario(text, 't.yaml'), (options) => ReplSet.create(options), {
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  return { failure: result.failure, lines: lines.map((line) => line.trim()) };
}

const INC = 'update: { in: a.c, filter: { _id: 1 }, update: { $inc: { n: 1 } }';
const reads = (n: number) => `find: { in: a.c, is: [{ _id: 1, n: ${n} }] }`;

test('the steps of a transaction are its statements, and nobody sees them before its commit', async () => {
  const { failure, lines } = await played(
    `transaction: { session: s, steps: [{ ${INC} } }, { find: { in: a.c, is: [{ _id: 1, n: 1 }] } }, { find: { session: other, in: a.c, is: [{ _id: 1, n: 0 }] } }] }`,
    reads(1),
  );
  expect(failure).toBeUndefined();
  expect(lines.some((line) => /writes transaction of 1: update of a\.c/.test(line))).toBe(true);
});

test('one that is not to be committed leaves nothing', async () => {
  const { failure } = await played(`transaction: { session: s, commit: false, steps: [{ ${INC} } }] }`, reads(0));
  expect(failure).toBeUndefined();
});

test('a commit that is said again is answered again, one after an abort is not', async () => {
  const begun = ['startTransaction: { session: s }', `${INC}, session: s }`];
  const { failure } = await played(
    ...begun,
    'commitTransaction: { session: s }',
    'commitTransaction: { session: s }',
    reads(1),
    ...begun,
    'abortTransaction: { session: s }',
    'commitTransaction: { session: s, error: NoSuchTransaction }',
    reads(1),
  );
  expect(failure).toBeUndefined();
});

test.for([
  [['commitTransaction: { session: s }'], 'none was begun in this session'],
  [['startTransaction: { session: s }', 'abortTransaction: { session: s }'], 'it has sent nothing'],
  [['startTransaction: { session: s }', 'startTransaction: { session: s }'], 'commit it or abort it first'],
])('%j fails: %s', async ([steps, complaint]) => {
  const { failure } = await played(...(steps as string[]));
  expect(`${failure?.title}\n${failure?.detail}`).toContain(complaint);
});

test('what fails in a transaction is told with its own line', async () => {
  const { failure } = await played('transaction:\n      session: s\n      steps:\n        - find: { in: a.c, is: [] }');
  expect(failure).toMatchObject({ line: 9 });
  expect(failure?.title).toContain('in the transaction');
});

describe('a transaction that is open when the scenario is over', () => {
  const begun = ['startTransaction: { session: s }', `${INC}, session: s }`];

  test('fails the run, by the step that began it', async () => {
    const { failure } = await played(...begun, 'advance: 1s');
    expect(failure).toMatchObject({ index: 2, line: 6, got: 'it is open on n1' });
  });

  test('in which nothing was sent, too', async () => {
    const { failure } = await played('startTransaction: { session: s }', reads(0));
    expect(failure).toMatchObject({ index: 2, got: 'nothing was sent in it' });
  });

  test.for([
    [['abortTransaction: { session: s }']],
    [['kill: n1']],
    [['advance: 2m']],
    [['insert: { session: s, into: a.c, documents: [{ _id: 1 }], error: DuplicateKey }']],
  ])('is none that %j has ended', async ([ends]) => {
    const { failure } = await played(...begun, ...(ends as string[]));
    expect(failure).toBeUndefined();
  });
});

test('options go where drivers send them: a commit that takes too long is given up', async () => {
  const { failure } = await played(
    'addMember: { name: n2, priority: 0, votes: 0 }',
    'eventually: { within: 1m, state: { n2: SECONDARY } }',
    'pause: n2',
    'startTransaction: { session: s, options: { writeConcern: { w: 2 }, readPreference: primary, maxCommitTimeMS: 500 } }',
    `${INC}, session: s }`,
    'commitTransaction: { session: s, error: MaxTimeMSExpired, took: { $gte: 500, $lt: 510 } }',
    'let: { then: { on: n1, command: { ping: 1 }, path: operationTime } }',
    `${INC} }`,
    'transaction: { session: later, options: { readConcern: { level: snapshot, atClusterTime: $then } }, steps: [{ find: { in: a.c, is: [{ _id: 1, n: 1 }] } }] }',
  );
  expect(failure).toBeUndefined();
});

test('a transaction holds no other', () => {
  const step = '{ find: { in: a.c } }';
  const text = `name: t\nreplicaSet: { members: [n1] }\nsteps:\n  - transaction: { session: s, steps: [{ transaction: { session: t, steps: [${step}] } }] }`;
  expect(() => parseScenario(text, 't.yaml')).toThrow(InvalidScenario);
  expect(() => parseScenario(text, 't.yaml')).toThrow(/holds no other/);
});
