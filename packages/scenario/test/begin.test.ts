import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario, Transcript } from '../src/index.ts';
import { play } from './playing.ts';

const MEMBERS =
  'replicaSet: { members: [n1, n2, { name: n3, priority: 0, secondaryDelaySecs: 60 }, { name: n4, arbiterOnly: true }] }';

async function played(head: string, seed = 1, steps = ['note: begins']) {
  const text = ['name: a', 'begin: with a primary', head, 'steps:', ...steps.map((step) => `  - ${step}`)].join('\n');
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(parseScenario(text, 'a.yaml'), (options) => ReplSet.create(options), {
    seed,
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  return { result, lines: [...lines, ...transcript.end()].map((line) => line.trim()) };
}

test('"at" before the set stands is late, and the run says so', async () => {
  const text = 'name: a\nbegin: with a primary\nsteps:\n  - { at: 1ms, kill: n2 }\n  - advance: 1s\n';
  const { failure } = await playScenario(parseScenario(text, 'a.yaml'), (options) => ReplSet.create(options));
  expect(failure).toMatchObject({ line: 4, asked: '0.001s after time zero' });
  expect(failure?.got).toMatch(/^it is .* already$/);
});

test.for<[head: string, failure: { readonly asked: string; readonly got: RegExp; readonly advice: RegExp }]>([
  [
    'network: { latencyMs: 20000 }',
    {
      asked: 'that the first member initiates the set (replSetInitiate)',
      got: /^NodeNotFound: replSetInitiate failed/,
      advice: /try: {3}a network in which members can answer: a round trip takes 40000 ms/,
    },
  ],
  [
    'replicaSet: { members: 3, settings: { electionTimeoutMillis: 1000 } }\nmeanwhile: [ { at: 500ms, kill: [n2, n3] } ]',
    {
      asked: 'a set with a primary and no lag within 1m',
      got: /^nobody is primary$/,
      advice: /asked: a set with a primary/,
    },
  ],
])('a set that never stands fails, with what to do: %s', async ([head, { asked, got, advice }]) => {
  const { failure } = (await played(head)).result;
  expect(failure?.asked).toBe(asked);
  expect(failure?.got).toMatch(got);
  expect(failure?.detail).toMatch(advice);
});

describe('a run that begins with a set that stands', () => {
  test('tells the start in one line', async () => {
    const { lines, result } = await played(MEMBERS);
    expect(result.failure?.detail).toBeUndefined();
    expect(lines).toEqual([
      '0.000s rs0: n1, n2, n3, n4; mongod 8.0, seed 1',
      expect.stringMatching(
        /^0\.000s > begin: with a primary → n1 is primary; n2, n3 are secondaries; n4 is an arbiter \(after \d\d\.\d+ s\)$/,
      ),
      expect.stringMatching(/^\d\d\.\d+s # begins$/),
    ]);
  });

  test('nothing of the start is left: all have it, and a majority is known to', async () => {
    const { result, lines } = await played('replicaSet: { members: 3 }', 1, [
      'run: { on: primary, command: { replSetGetStatus: 1 }, as: status }',
      'expect: { same: all }',
      'expect: { on: secondaries, command: { hello: 1 }, matches: { secondary: true } }',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }',
    ]);
    expect(result.failure?.detail).toBeUndefined();
    expect(lines.filter((line) => line.includes('what a new set needs'))).toEqual([]);
    // Whoever would still have to look for a sync source would need up to a second.
    expect(lines.at(-1)).toMatch(/< 1 inserted \(after \d+ ms\)$/);
  });

  test('is drawn by chance as any other', async () => {
    const elections = async (head: string, seed: number) => {
      const won: TraceEvent[] = [];
      const scenario = parseScenario(`name: a\n${head}\nsteps: [ advance: { to: 30s } ]\n`, 'a.yaml');
      await playScenario(scenario, (options) => ReplSet.create(options), {
        seed,
        onTrace: (event) => event.type === 'electionWon' && won.push(event),
      });
      return won;
    };
    const all = [];
    for (const seed of [1, 2, 3]) {
      const won = await elections('begin: with a primary', seed);
      expect(won).toEqual(await elections('', seed));
      all.push(won[0]!.atMicros);
    }
    expect(new Set(all).size).toBe(3);
  });

  test('that never stands, fails before the first step', async () => {
    const { result } = await play(['advance: 1s'], (set) => set.primaries.clear(), {}, 'begin: with a primary');
    expect(result).toMatchObject({ ok: false, steps: 0, virtualMicros: 600_000_000 });
    expect(result.failure).toMatchObject({
      title: 'before the first step, line 2: begin: with a primary',
      asked: 'a set with a primary and no lag within 10m',
      got: 'nobody is primary',
    });
  });
});

test.for([
  ['begin: with primary', 'steps: [ advance: 1s ]', '2:8 expected "with a primary" (did you mean "with a primary"?)'],
  [
    'begin: with a primary\nreplicaSet: { initiate: false }',
    'steps: [ advance: 1s ]',
    '2:8 a set that is not initiated gets no primary (leave out "initiate: false", or "begin")',
  ],
  [
    'begin: with a primary\nreplicaSet: { members: [{ name: n1, standalone: true }] }',
    'steps: [ advance: 1s ]',
    '2:8 there is no set that could get a primary (leave "begin" out)',
  ],
  [
    'begin: with a primary',
    'steps: [ { at: 30s, kill: n1 }, { at: 20s, start: n1 } ]',
    '3:39 "at" counts from time zero, and the steps before this one last until 30s at least (write the steps in the order of time)',
  ],
  [
    'begin: with a primary',
    'steps: [ { advance: { to: 30s } }, { advance: 5s }, { at: 34s, kill: n1 } ]',
    '3:59 "at" counts from time zero, and the steps before this one last until 35s at least (write the steps in the order of time)',
  ],
])('%s\n%s', ([head, steps, mistake]) => {
  let mistakes: string[] = [];
  try {
    parseScenario(`name: a\n${head}\n${steps}\n`, 'a.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    mistakes = error.mistakes.map(
      ({ line, column, message, suggestion }) => `${line}:${column} ${message}${suggestion ? ` (${suggestion})` : ''}`,
    );
  }
  expect(mistakes).toEqual([mistake]);
});
