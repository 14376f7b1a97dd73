import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { parseScenario, playScenario, Transcript } from '../src/index.ts';
import type { Command, FakeSet } from './fakeSet.ts';
import { complaint, play } from './playing.ts';

type Asked = Extract<TraceEvent, { type: 'asked' }>;
type Answered = Extract<TraceEvent, { type: 'answered' }>;
const of = <E extends TraceEvent>(events: readonly TraceEvent[], type: E['type']) =>
  events.filter((event): event is E => event.type === type);

/** Members that are secondaries of term 7, with three documents each, two of which are done. */
function talking(set: FakeSet): void {
  set.talk = ({ replSetGetStatus, count, query }: Command) => {
    if (replSetGetStatus) return { ok: 1, myState: 2, term: 7 };
    return count ? { ok: 1, n: query && Object.keys(query).length > 0 ? 2 : 3 } : { ok: 1 };
  };
}

test.for<[answer: string, choices: readonly unknown[], answer: unknown, form: unknown, given?: string]>([
  ['primary', ['n1', 'n2', 'n3', 'nobody'], 'n1', 'primary'],
  ['primary', ['n1', 'n2'], 'n1', 'primary', '[n1, n2]'],
  [
    '{ state: n2 }',
    ['PRIMARY', 'SECONDARY', 'RECOVERING', 'ROLLBACK', 'STARTUP2', 'DOWN'],
    'SECONDARY',
    { state: 'n2' },
  ],
  ['{ term: n2 }', [6, 7], 7, { term: 'n2' }, '[6, 7]'],
  ['{ term: primary }', [6, 7], 7, { term: 'primary' }, '[6, 7]'],
  ['{ count: { in: a.b } }', [0, 3], 3, { count: { in: 'a.b', on: 'primary' } }, '[0, 3]'],
  [
    '{ count: { in: a.b, on: n3, where: { done: true } } }',
    [2, 3],
    2,
    { count: { in: 'a.b', on: 'n3', where: '{done: true}' } },
    '[2, 3]',
  ],
  ['{ holds: { primary: n1 } }', ['yes', 'no'], 'yes', { holds: 'primary: n1' }],
  ['{ holds: { not: { primary: n1 } } }', ['yes', 'no'], 'no', { holds: 'not: {primary: n1}' }],
])('%s', async ([form, choices, answer, told, given]) => {
  const step = `ask: { question: What?, answer: ${form}${given ? `, choices: ${given}` : ''} }`;
  const { result, events } = await play([step], talking);
  expect(result.failure).toBeUndefined();
  expect(events.slice(1, 3)).toEqual([
    { atMicros: 0, type: 'asked', number: 1, question: 'What?', choices, form: told },
    { atMicros: 0, type: 'answered', number: 1, question: 'What?', answer },
  ]);
});

test('nobody is an answer, and so is DOWN', async () => {
  const { events } = await play(
    ['kill: [n1, n2]', 'ask: { question: Who?, answer: primary }', 'ask: { question: What?, answer: { state: n2 } }'],
    talking,
  );
  expect(of<Answered>(events, 'answered').map(({ number, answer }) => [number, answer])).toEqual([
    [1, 'nobody'],
    [2, 'DOWN'],
  ]);
});

test('an answer is looked at when its time has come, while another step is done', async () => {
  const { result, events } = await play(
    ['ask: { question: Who?, answer: primary, in: 3s }', 'kill: n1', 'advance: 2s', 'advance: 5s'],
    (set) => set.at(2_999_999, () => set.primaries.set('n3', 2)),
  );
  expect(result.failure).toBeUndefined();
  expect(of<Asked>(events, 'asked')[0]!.dueMicros).toBe(3_000_000);
  expect(of<Answered>(events, 'answered')).toMatchObject([{ atMicros: 3_000_000, answer: 'n3' }]);
});

test.for<[name: string, steps: string[], complaint: [string, string], line: number]>([
  [
    'the run is over before',
    ['note: first', 'ask: { question: Who?, answer: primary, in: 3s }', 'advance: 1s'],
    ['the answer at 3.000s', 'the run is over at 1.000s, so there is no answer'],
    5,
  ],
  [
    'nobody answers',
    ['kill: n2', 'ask: { question: Which?, answer: { term: n2 }, choices: [1, 2] }'],
    ['an answer', 'n2 is not running'],
    5,
  ],
  [
    'nobody answers a check',
    [
      'kill: n2',
      'ask: { question: Any?, answer: { holds: { on: n2, count: a.b, is: 0 } } }',
      'insert: { into: a.b, documents: [{ _id: 1 }] }',
    ],
    ['an answer', 'n2 is not running'],
    5,
  ],
  [
    'a paused member has no state',
    ['pause: n2', 'ask: { question: Which?, answer: { state: n2 } }'],
    ['an answer', 'n2 is paused and does not answer'],
    5,
  ],
  [
    'the answer was not thought of',
    ['ask: { question: Which?, answer: { term: n2 }, choices: [1, 2] }'],
    ['one of 1, 2', '7'],
    4,
  ],
  [
    'it goes wrong while another step is done',
    ['ask: { question: Which?, answer: { term: n2 }, choices: [1, 2], in: 1s }', 'advance: 2s', 'kill: n1'],
    ['one of 1, 2', '7'],
    4,
  ],
])('%s: the run fails at the question', async ([, steps, expected, line]) => {
  const played = await play(steps, talking);
  expect(complaint(played)).toEqual(expected);
  expect(played.result).toMatchObject({ ok: false, failure: { line } });
  expect(played.set.did).not.toContain('kill n1');
  expect(played.events.at(-1)).toMatchObject({ type: 'runEnded', held: false });
  expect(of(played.events, 'checked')).toMatchObject([{ held: false, detail: expected[1] }]);
});

test('what fails before its time comes fails for itself', async () => {
  const played = await play(['ask: { question: Who?, answer: primary, in: 3s }', 'expect: { primary: n2 }']);
  expect(complaint(played)).toEqual(['n2 is primary', 'n1 says so']);
});

test('a question sees what was remembered when it was asked', async () => {
  const remember = (n: number) => `let: { x: { on: n${n}, command: { whichever: 1 }, path: n } }`;
  const { events } = await play(
    [
      remember(1),
      'ask: { question: One?, answer: { holds: { on: n1, command: { ping: 1 }, matches: { n: $x } } }, in: 1s }',
      remember(2),
      'ask: { question: Two?, answer: { holds: { on: n1, command: { ping: 1 }, matches: { n: $x } } }, in: 1s }',
      'advance: 2s',
    ],
    (set) => {
      set.talk = (_command, member) => ({ ok: 1, n: Number(member.slice(1)) });
    },
  );
  expect(of<Answered>(events, 'answered').map(({ answer }) => answer)).toEqual(['yes', 'no']);
});

test('what only a question asks for is measured: how late TTL deletes', async () => {
  const events = await traced(`
name: a
begin: with a primary
steps:
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 1 } }
  - insert: { into: app.s, count: 5, document: { _id: $i, at: { $now: 0s } } }
  - ask: { question: All five?, answer: { holds: { ttl: { index: ttl, lateness: { count: 5 } } } }, in: 2m }
  - advance: 2m
`);
  expect(of<Answered>(events, 'answered')).toMatchObject([{ answer: 'yes' }]);
});

test('the time of a question may come with the end of the run', async () => {
  const { result, events } = await play(['ask: { question: Who?, answer: primary, in: 3s }', 'advance: 3s']);
  expect(result.failure).toBeUndefined();
  expect(of<Answered>(events, 'answered')).toHaveLength(1);
});

test('chapters, and where to look', async () => {
  const { events } = await play(['act: One', 'focus: n2', 'focus: [n3, ttl]'], talking, {}, 'hide: start');
  expect(events.slice(1, -1)).toEqual([
    { atMicros: 0, type: 'hidden', what: 'start' },
    { atMicros: 0, type: 'act', title: 'One' },
    { atMicros: 0, type: 'focused', on: ['n2'] },
    { atMicros: 0, type: 'focused', on: ['n3', 'ttl'] },
  ]);
});

test('a transcript repeats the question where its answer comes later', async () => {
  const { events } = await play(
    [
      'act: One',
      'focus: n2',
      'ask: { question: Who in a second?, answer: primary, in: 1s }',
      'ask: { question: Who now?, answer: primary }',
      'advance: 1s',
    ],
    talking,
  );
  const transcript = new Transcript();
  const lines = [...events.flatMap((event) => transcript.observe(event)), ...transcript.end()];
  expect(lines.slice(1).map((line) => line.trim())).toEqual([
    '0.000s ## One',
    '0.000s ? Who in a second?',
    '0.000s ? Who now?',
    '0.000s ? answer: n1',
    '0.000s > advance: 1s',
    '1.000s ? answer: n1 (Who in a second?)',
  ]);
});

test.for<[check: string, form: unknown, found: unknown]>([
  ['{ primary: n1 }', 'primary', 'n1'],
  ['{ primary: any }', 'primary', 'n1'],
  ['{ state: { n2: SECONDARY } }', { state: 'n2' }, 'SECONDARY'],
  ['{ state: { n2: SECONDARY, n3: SECONDARY } }', { holds: 'state: {n2: SECONDARY, n3: SECONDARY}' }, 'yes'],
  ['{ on: n2, count: a.b, is: 3 }', { count: { in: 'a.b', on: 'n2' } }, 3],
  [
    '{ count: a.b, filter: { done: true }, is: { $gt: 1 } }',
    { count: { in: 'a.b', on: 'primary', where: '{done: true}' } },
    2,
  ],
  ['{ on: all, count: a.b, is: 3 }', { holds: 'on: all, count: a.b, is: 3' }, 'yes'],
  // What is drawn by chance would be drawn again.
  ['{ count: a.b, filter: { x: $rand }, is: 2 }', { holds: 'count: a.b, filter: {x: $rand}, is: 2' }, 'yes'],
  ['{ primary: n1, count: a.b, is: 3 }', { holds: 'primary: n1, count: a.b, is: 3' }, 'yes'],
])('a check that could be asked: %s', async ([check, form, found]) => {
  const { events } = await play(['insert: { into: a.b, documents: [{ _id: 1 }] }', `expect: ${check}`], talking);
  expect(of(events, 'checked')).toMatchObject([{ held: true, form, found }]);
});

test('a check that nobody answers is no question, nor is one that lasts', async () => {
  const { events } = await play([
    'always: { for: 1s, primary: n1 }',
    'kill: n2',
    'expect: { on: n2, count: a.b, is: 3 }',
  ]);
  expect(of(events, 'checked').map((event) => 'form' in event)).toEqual([false, false]);
});

/** Asks at every turn, and by chance: whoever draws or waits in between would move something. */
const WITHOUT = `
name: a
replicaSet: { members: 3 }
steps:
  - eventually: { within: 30s, primary: any }
  - workload: { name: w, every: 130ms, near: n2, insert: { into: app.w, document: { r: $rand } }, writeConcern: { w: majority } }
  - insert: { into: app.a, count: 5, document: { _id: $i, r: $rand } }
  - kill: primary
  - eventually: { within: 30s, workload: w, unservedMs: { $gt: 7130 } }
  - repeat: { times: 3, steps: [{ advance: 701ms }, { insert: { into: app.a, documents: [{ r: $rand }] } }] }
  - always: { for: 3s, primary: any }
  - stop: w
  - insert: { into: app.a, documents: [{ _id: last, r: $rand }] }
  - advance: 2s
`;
const QUESTIONS = [
  'act: A chapter',
  'focus: [n2, ttl]',
  'ask: { question: Who?, answer: primary, in: 1.234567s }',
  'ask: { question: Who now?, answer: primary }',
  'ask: { question: How many?, answer: { count: { in: app.a, on: n2, where: { _id: { $gte: { $rand: [1, 1] } } } } }, in: 1500ms, choices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }',
  'ask: { question: Same?, answer: { holds: { not: { workload: w, sent: $rand } } }, in: 900ms }',
];

async function traced(text: string): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const scenario = parseScenario(text, 'a.yaml');
  const { failure } = await playScenario(scenario, (options) => ReplSet.create({ ...options, causes: true }), {
    onTrace: (event) => events.push(event),
  });
  expect(failure?.detail).toBeUndefined();
  return events;
}

describe('questions leave the run as it is', () => {
  test('event by event, cause by cause', async () => {
    const withQuestions = WITHOUT.replaceAll(
      /^ {2}- (?=insert|kill|eventually: .*unserved|repeat|always|stop)/gm,
      (step) => [...QUESTIONS.slice(0, 6).map((question) => `  - ${question}`), step].join('\n'),
    );
    const said = new Set(['act', 'focused', 'asked', 'answered', 'hidden']);
    const plain = await traced(WITHOUT);
    const asking = await traced(withQuestions);
    expect(of(asking, 'answered').length).toBe(7 * 4);
    // Steps have other numbers; nothing else differs.
    const numberless = (event: TraceEvent) => ({ ...event, index: undefined });
    expect(asking.filter(({ type }) => !said.has(type)).map(numberless)).toEqual(plain.map(numberless));
  });
});
