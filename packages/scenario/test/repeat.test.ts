import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario, Transcript } from '../src/index.ts';
import { complaint, play } from './playing.ts';

test('steps are done again and again, and each turn says which it is', async () => {
  const { result, set, events } = await play([
    'repeat: { times: 2, steps: [{ kill: n1 }, { start: n1 }, { advance: 1s }] }',
  ]);
  expect(result).toMatchObject({ ok: true, steps: 1, virtualMicros: 2_000_000 });
  expect(set.did).toEqual(['kill n1', 'start n1 {}', 'kill n1', 'start n1 {}']);
  const transcript = new Transcript();
  const lines = [...events.flatMap((event) => transcript.observe(event)), ...transcript.end()];
  expect(lines.map((line) => line.trim()).slice(1)).toEqual([
    '0.000s > repeat: {times: 2}',
    '0.000s # turn 1 of 2',
    '0.000s > kill: n1',
    '0.000s > start: n1',
    '0.000s > advance: 1s',
    '1.000s # turn 2 of 2',
    '1.000s > kill: n1',
    '1.000s > start: n1',
    '1.000s > advance: 1s',
    '2.000s < 2 turns (after 2 s)',
  ]);
});

test.for([
  ['3s', '2s', 2],
  ['4s', '2s', 2],
  ['5s', '2s', 3],
  ['1s', '2s', 1],
] as const)('for %s, in turns of %s: the turn in which it is over is the last', async ([duration, turn, turns]) => {
  const { result } = await play([`repeat: { for: ${duration}, steps: [{ advance: ${turn} }] }`]);
  expect(result).toMatchObject({ ok: true, virtualMicros: turns * 2_000_000 });
});

test('a turn that takes no time would go on for ever', async () => {
  const played = await play(['repeat: { for: 5s, steps: [{ expect: { primary: n1 } }] }']);
  expect(complaint(played)).toEqual([
    '5s that pass',
    'turn 1 took no time, and so would all after it: advance in it, or write "times"',
  ]);
});

test('a repetition within a repetition', async () => {
  const { result } = await play([
    'repeat: { times: 3, steps: [{ repeat: { for: 2s, steps: [{ advance: 1s }] } }, { advance: 1s }] }',
  ]);
  expect(result.virtualMicros).toBe(9_000_000);
});

describe('what fails in a turn', () => {
  const steps = (inner: string) => [`repeat:\n      times: 3\n      steps:\n        - advance: 1s\n        - ${inner}`];

  test('is told with its own line, and the turn', async () => {
    const { result, events } = await play(steps('kill: n2'));
    expect(result.failure).toMatchObject({
      title: 'step 1 in turn 2, line 8: kill: n2',
      index: 1,
      line: 8,
      got: 'n2 is not running',
    });
    expect(events.filter(({ type }) => type === 'stepEnded').slice(-2)).toMatchObject([
      { outcome: 'failed', returned: 'n2 is not running' },
      { outcome: 'failed', returned: 'in turn 2', sinceMicros: 0 },
    ]);
  });

  test('with the turns around it', async () => {
    const { result } = await play(steps('repeat: { times: 2, steps: [{ kill: n2 }] }'));
    expect(result.failure!.title).toBe('step 1 in turn 1, in turn 2, line 8: kill: n2');
  });

  test('a check says why', async () => {
    const { result } = await play(steps('expect: { primary: n2 }'));
    expect(result.failure).toMatchObject({ title: 'step 1 in turn 1, line 8: expect: {primary: n2}' });
    expect(result.failure!.reasons.length).toBeGreaterThan(0);
  });

  test('a broken invariant ends it where it happens', async () => {
    let notes = 0;
    const observer = (event: { type: string }) =>
      event.type === 'note' && ++notes === 3 ? { name: 'few', detail: 'three notes' } : undefined;
    const { result } = await play(steps('note: again'), undefined, { observers: [observer] });
    expect(result.failure).toMatchObject({ title: 'step 1 in turn 2, line 7: advance: 1s', got: 'three notes' });
    expect(result.virtualMicros).toBe(2_000_000);
  });
});

test('on a real set: what is counted, and which answer is looked at', async () => {
  const text = `
name: Again and again
begin: with a primary
steps:
  - workload: { name: w, every: 100ms, insert: { into: app.c, document: { turn: $i } } }
  - repeat:
      times: 2
      steps:
        - stepDown: primary
        - eventually: { within: 30s, primary: any }
        - run: { command: { ping: 1 }, as: pong }
        - eventually: { within: 1s, reply: pong }
  - eventually: { within: 10s, on: primary, command: { replSetGetStatus: 1 }, matches: { term: 3 } }
  - expect: { workload: w, sent: { $gte: 1 }, acknowledged: { $gte: 0 }, lost: 0 }
`;
  const { failure } = await playScenario(parseScenario(text, 'a.yaml'), (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});

function mistakesOf(step: string): string[] {
  try {
    parseScenario(`name: a\nsteps:\n  - ${step}\n`, 'a.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map(
      ({ line, column, message, suggestion }) => `${line}:${column} ${message}${suggestion ? ` (${suggestion})` : ''}`,
    );
  }
}

test.for([
  [
    'repeat: { steps: [{ advance: 1s }] }',
    '3:5 "repeat" needs a number of turns or a time (add "times: 3" or "for: 2m")',
  ],
  [
    'repeat: { times: 2, for: 2s, steps: [{ advance: 1s }] }',
    '3:25 "times" and "for" do not go together (leave one of them out)',
  ],
  ['repeat: { times: 0, steps: [{ advance: 1s }] }', '3:22 expected 1 or more'],
  ['repeat: { times: 2, steps: [] }', '3:32 expected at least one step'],
  ['repeat: { times: 2, steps: [{ advnce: 1s }] }', '3:35 unknown key "advnce" in a step (did you mean "advance"?)'],
  ['repeat: { times: 2, steps: [{ kill: n9 }] }', '3:41 no member is called "n9" (did you mean "n1"?)'],
  [
    'repeat: { times: 2, steps: [{ kill: n1, start: n1 }] }',
    '3:45 a step does one thing, and this one has "kill" already (begin a new step: "- start: …")',
  ],
  [
    'repeat: { times: 2, steps: [{ workload: { name: w, every: 1s, find: { in: app.c } } }] }',
    '3:35 "workload" is done once, and each turn would do it again (do it before the "repeat")',
  ],
  [
    'repeat: { times: 2, steps: [{ at: 1s, kill: n1 }] }',
    '3:35 an instant comes only once (leave "at" out, or take the step out of "repeat")',
  ],
  [
    'repeat: { times: 2, steps: [{ failPoint: { on: n1, name: nothing, mode: off } }] }',
    '3:62 no fail point is called "nothing" (docs/faults.md lists them)',
  ],
])('%s', ([step, mistake]) => {
  expect(mistakesOf(step!)).toEqual([mistake]);
});

test('a repetition has no instant of its own', () => {
  expect(mistakesOf('{ at: 1s, repeat: { times: 2, steps: [{ kill: n1 }] } }')).toHaveLength(1);
});

test('warnings look into it', () => {
  const text = `
name: a
steps:
  - repeat: { times: 2, steps: [{ insert: { into: app.orders, documents: [{ a: 1 }] } }, { partition: [n1, n2] }] }
  - expect: { on: n1, count: app.order, is: 2 }
`;
  expect(parseScenario(text, 'a.yaml').warnings.map(({ message }) => message)).toEqual([
    'n3 stands on no side, and so alone',
    'no step writes or creates app.order',
  ]);
});
