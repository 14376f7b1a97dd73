import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario } from '../../src/index.ts';

// What clients saw of documents that they write and read back, and of lists to which they append.

const HEAD = 'name: t\nreplicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }\nbegin: with a primary\nsteps:\n';
const SET = 'update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }';
const INSERT = 'insert: { into: app.c, document: { _id: $i } }';

async function played(...steps: readonly string[]) {
  const events: TraceEvent[] = [];
  const scenario = parseScenario(HEAD + steps.map((step) => `  - ${step}\n`).join(''), 't.yaml');
  const { failure, workloads } = await playScenario(scenario, (options) => ReplSet.create(options), {
    onTrace: (event) => events.push(event),
  });
  const calls = events.flatMap((event) => (event.type === 'clientCalled' ? [event] : []));
  const returns = events.flatMap((event) => (event.type === 'clientReturned' ? [event] : []));
  return { failure, workloads, events, calls, returns };
}

function mistakesOf(...steps: readonly string[]): string[] {
  try {
    parseScenario(HEAD + steps.map((step) => `  - ${step}\n`).join(''), 't.yaml');
  } catch (error) {
    if (error instanceof InvalidScenario)
      return error.mistakes.map(({ message, suggestion }) => [message, suggestion].filter(Boolean).join('; '));
    throw error;
  }
  return [];
}

test('another client reads the document now and then, with its own times', async () => {
  const { failure, calls, returns } = await played(
    `workload: { name: w, every: 100ms, ${SET}, writeConcern: { w: majority }, reads: { every: 70ms, readConcern: { level: linearizable } } }`,
    'advance: 2s',
    'stop: w',
    'expect: { workload: w, history: linearizable, acknowledged: { $gt: 15 }, reads: { $gt: 20 }, dirtyReads: 0, staleReads: 0 }',
    'expect: { workload: w, history: monotonicReads }',
  );
  expect(failure?.detail).toBeUndefined();
  expect(new Set(calls.map(({ client, kind }) => `${client} ${kind}`))).toEqual(new Set(['w write', 'w/reads read']));
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['1']));
  expect(returns.every(({ outcome }) => outcome === 'ok')).toBe(true);
  expect(returns.find(({ client, value }) => client === 'w/reads' && value !== undefined)?.value).toBe('1');
  // Each client does one thing after the other.
  for (const client of ['w', 'w/reads']) {
    const [called, returned] = [calls, returns].map((all) => all.filter((each) => each.client === client));
    expect(returned!.map(({ call }) => call)).toEqual(called!.map(({ call }) => call));
    for (const [i, next] of called!.entries())
      if (i > 0) expect(next.atMicros).toBeGreaterThanOrEqual(returned![i - 1]!.atMicros);
  }
});

test('the client that writes reads after each write', async () => {
  const { failure, calls } = await played(
    `workload: { name: w, every: 100ms, ${INSERT}, writeConcern: { w: majority }, reads: { every: write } }`,
    'advance: 1s',
    'stop: w',
    'expect: { workload: w, history: readYourWrites }',
  );
  expect(failure?.detail).toBeUndefined();
  expect(calls.slice(0, 4).map(({ client, kind, key }) => [client, kind, key])).toEqual([
    ['w', 'write', '1'],
    ['w', 'read', '1'],
    ['w', 'write', '2'],
    ['w', 'read', '2'],
  ]);
});

const LAGGING = ['hold: { on: n2, part: fetch }', 'hold: { on: n3, part: fetch }'];
const RELEASED = ['release: { on: n2 }', 'release: { on: n3 }', 'advance: 5s', 'stop: w'];

test('without a causally consistent session a client does not find its write on a secondary that lags', async () => {
  const reading = (more: string) =>
    played(
      `workload: { name: w, every: 100ms, ${INSERT}, writeConcern: { w: 1 }, reads: { every: write, readPreference: secondary, ${more} } }`,
      'advance: 2s',
      ...LAGGING,
      'advance: 8s',
      ...RELEASED,
      'expect: { workload: w, history: readYourWrites }',
    );
  expect((await reading('causalConsistency: false')).failure?.detail).toMatch(
    /w: history readYourWrites\n.*own write not read: w read nothing in document \d+ at .*, and had written it there before/,
  );
  expect((await reading('causalConsistency: true')).failure?.detail).toBeUndefined();
});

test('a write without an answer is unknown, and one that cannot have been carried out failed', async () => {
  const { returns } = await played(
    `workload: { name: w, every: 100ms, near: n1, ${SET}, writeConcern: { w: majority, wtimeout: 300 }, reads: { every: 70ms }, options: { retryWrites: false, serverSelectionTimeoutMS: 500 } }`,
    'advance: 1s',
    'partition: [[n1], [n2, n3]]',
    'advance: 30s',
    'stop: w',
  );
  const outcomes = returns.flatMap(({ client, outcome }) => (client === 'w' ? [outcome] : []));
  expect(new Set(outcomes)).toEqual(new Set(['ok', 'info', 'fail']));
  expect(outcomes.at(-1)).toBe('fail');
});

test('several workloads of one collection share one history', async () => {
  const { failure } = await played(
    `workload: { name: a, every: 90ms, ${SET}, writeConcern: { w: majority }, reads: { every: 70ms, readConcern: { level: linearizable } } }`,
    `workload: { name: b, every: 110ms, ${SET.replace('$i', '{ $plus: [$i, 1000] }')}, writeConcern: { w: majority }, reads: { every: 50ms, readConcern: { level: linearizable } } }`,
    'advance: 3s',
    'expect: { workload: a, history: linearizable }',
    'expect: { workload: b, history: linearizable }',
  );
  expect(failure?.detail).toBeUndefined();
});

test('transactions over lists are of snapshots, which allow write skew', async () => {
  const append = (name: string) =>
    `workload: { name: ${name}, every: 30ms, append: { in: app.lists, lists: 3 }, writeConcern: { w: majority } }`;
  const { failure, workloads } = await played(
    ...['a', 'b', 'c'].map(append),
    'advance: 5s',
    'expect: { workload: a, history: snapshotIsolation }',
    'expect: { workload: a, history: readCommitted }',
    'expect: { not: { workload: a, history: serializable } }',
    'expect: { workload: a, anomalies: [G2-item] }',
    'expect: { not: { workload: a, anomalies: none } }',
    'expect: { not: { workload: a, anomalies: [G0, G2-item] } }',
  );
  expect(failure?.detail).toBeUndefined();
  expect(
    workloads.map(({ operation, counts: { acknowledged, aborted } }) => [operation, acknowledged > 50, aborted > 0]),
  ).toEqual(Array(3).fill(['append', true, true]));
});

test('a history in which nothing was read is neither right nor wrong', async () => {
  const workload = `workload: { name: w, every: 1s, ${SET}, reads: { every: 10s } }`;
  for (const check of ['workload: w, history: linearizable', 'not: { workload: w, history: linearizable }']) {
    const { failure } = await played(workload, 'advance: 2s', `expect: { ${check} }`);
    expect(failure?.got).toBe('it cannot be judged: nothing was read');
  }
});

describe('mistakes', () => {
  const reads = 'reads: { every: 1s }';
  test.for<[string, string[], string]>([
    [
      'a check of a history that is not kept',
      [`workload: { name: w, every: 1s, ${SET} }`, 'expect: { workload: w, history: linearizable }'],
      'nothing that w writes is read back, so there is no history to judge; reads: { every: 200ms } in the workload, or append: { in: app.lists }',
    ],
    [
      'anomalies of a history that is not kept',
      [`workload: { name: w, every: 1s, ${SET} }`, 'expect: { workload: w, anomalies: none }'],
      'nothing that w writes is read back, so there is no history to judge; reads: { every: 200ms } in the workload, or append: { in: app.lists }',
    ],
    [
      'single documents as if they were lists',
      [`workload: { name: w, every: 1s, ${SET}, ${reads} }`, 'expect: { workload: w, history: serializable }'],
      'w writes single documents; history: linearizable, readYourWrites, monotonicReads',
    ],
    [
      'lists as if they were single documents',
      ['workload: { name: w, every: 1s, append: { in: app.l } }', 'expect: { workload: w, history: linearizable }'],
      'w appends to lists in transactions; history: readCommitted, snapshotIsolation, serializable',
    ],
    [
      'reads beside what writes nothing',
      [`workload: { name: w, every: 1s, find: { in: app.c }, ${reads} }`],
      '"reads" goes with an insert, or an update of one document; update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }',
    ],
    [
      'a document without an _id',
      [`workload: { name: w, every: 1s, insert: { into: app.c, document: { a: 1 } }, ${reads} }`],
      'a document without _id cannot be read back; { _id: $i }',
    ],
    [
      'an update of more than one document',
      [`workload: { name: w, every: 1s, ${SET.replace('_id: 1', '_id: { $gt: 1 }')}, ${reads} }`],
      'what is read back is one document, by its _id alone; filter: { _id: 1 }',
    ],
    [
      'an update that does not set a field',
      [`workload: { name: w, every: 1s, ${SET.replace('$set: { value: $i }', '$inc: { value: 1 }')}, ${reads} }`],
      'what is read back is one field, which $set sets; { $set: { value: $i } }',
    ],
    [
      'an update that may find nothing',
      [`workload: { name: w, every: 1s, ${SET.replace(', upsert: true', '')}, ${reads} }`],
      'without upsert an update may find nothing, and say that all is well; upsert: true',
    ],
    [
      'linearizable reads in a session',
      [
        `workload: { name: w, every: 1s, ${SET}, reads: { every: 1s, readConcern: { level: linearizable }, causalConsistency: true } }`,
      ],
      'linearizable reads cannot be in a causally consistent session',
    ],
    [
      'linearizable reads from a secondary',
      [
        `workload: { name: w, every: 1s, ${SET}, reads: { every: 1s, readConcern: { level: linearizable }, readPreference: secondary } }`,
      ],
      'only a primary answers linearizable reads; leave it out',
    ],
    [
      'reads after each write from elsewhere',
      [`workload: { name: w, every: 1s, ${SET}, reads: { every: write, near: n2 } }`],
      'after each write the client of the writes reads; near: beside "every"',
    ],
    [
      'a level that there is not',
      [`workload: { name: w, every: 1s, ${SET}, reads: { every: 1s, readConcern: { level: majorty } } }`],
      '"majorty" is not a read concern level; did you mean "majority"?',
    ],
    [
      'another step that writes there',
      [`workload: { name: w, every: 1s, ${SET}, ${reads} }`, 'insert: { into: app.c, documents: [{ _id: 9 }] }'],
      'only workloads with a history write to app.c: w keeps one; give the workload a collection of its own',
    ],
    [
      'another workload that writes there and reads nothing back',
      [`workload: { name: w, every: 1s, ${SET}, ${reads} }`, `workload: { name: v, every: 1s, ${INSERT} }`],
      'only workloads with a history write to app.c: w keeps one; give the workload a collection of its own',
    ],
    [
      'another field of the same documents',
      [
        `workload: { name: w, every: 1s, ${SET}, ${reads} }`,
        `workload: { name: v, every: 1s, ${SET.replace('value', 'other')}, ${reads} }`,
      ],
      'w keeps a history of app.c, of the field value; write the same in both, or give each a collection of its own',
    ],
    [
      'no rhythm',
      [`workload: { name: w, every: 1s, ${SET}, reads: { every: 0s } }`],
      'a turn takes some time; for example every: 100ms',
    ],
  ])('%s', ([, steps, mistake]) => {
    expect(mistakesOf(...steps)).toEqual([mistake]);
  });
});
