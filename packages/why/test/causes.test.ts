import type { TraceEvent } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { Causes } from '../src/causes.ts';

const HEADER: TraceEvent = {
  atMicros: 0,
  type: 'runStarted',
  traceVersion: 2,
  seed: 1,
  version: '8.0',
  setName: 'rs0',
  members: ['n1', 'n2'],
  epochMs: 0,
};

/** The causes of a trace, told by the types of its events. */
function heard(...events: TraceEvent[]): Causes {
  const causes = new Causes((_, told) => told.map(({ type }) => type));
  for (const event of [HEADER, ...events]) causes.observe(event);
  return causes;
}

const timer = (atMicros: number, turn: number, cause: number, what = 'noop', member = 'n2'): TraceEvent => ({
  atMicros,
  member,
  type: 'turn',
  turn,
  cause,
  kind: 'timer',
  what,
});
const message = (atMicros: number, turn: number, cause: number, what: string): TraceEvent => ({
  atMicros,
  member: 'n2',
  type: 'turn',
  turn,
  cause,
  kind: 'message',
  peer: 'n1:27017',
  what,
});
const kill = (atMicros: number, turn: number): TraceEvent[] => [
  { atMicros, type: 'input', turn, kind: 'fault', what: 'kill: n1' },
  { atMicros, member: 'n1', type: 'processStopped', how: 'killed' },
];
const texts = (causes: Causes, turn: number) => causes.chain(turn)?.map((link) => link.text);

test('a chain goes back to what came from outside, each link with what it did', () => {
  const causes = heard(
    { atMicros: 5, type: 'input', turn: 2, kind: 'command', what: 'insert to n1' },
    message(9, 3, 2, 'find'),
    { atMicros: 9, member: 'n2', type: 'journalFlushed', opTime: { ts: { t: 1, i: 1 }, t: 1 } },
  );
  expect(causes.chain(3)).toEqual([
    { turn: 3, atMicros: 9, text: 'find of n1 reaches n2; journalFlushed' },
    { turn: 2, atMicros: 5, text: 'somebody outside sends insert to n1' },
  ]);
});

test('where nothing came from outside, it ends at time zero', () => {
  expect(texts(heard(timer(7, 2, 0)), 2)).toEqual([
    'n2: it is time for a periodic no-op',
    'time zero: the set is started',
  ]);
  // The set is initiated before anybody can listen.
  expect(texts(heard(timer(7, 2, 1)), 2)?.at(-1)).toBe('time zero: the set is started');
});

test('where the beginning of the trace is not there, it says so', () => {
  expect(texts(heard(timer(7, 900, 899)), 900)?.at(-1)).toBe('the cause is not in this part of the trace');
});

describe('what repeats is told once', () => {
  test.for([
    [2, ['time', 'time', 'zero']],
    [3, ['time', '2 more times, since 0.000s', 'zero']],
    [50, ['time', '49 more times, since 0.000s', 'zero']],
  ] as const)('%d times the same', ([times, expected]) => {
    const causes = heard(...Array.from({ length: times }, (_, i) => timer(i, i + 2, i === 0 ? 0 : i + 1)));
    const told = texts(causes, times + 1) ?? [];
    expect(told).toHaveLength(expected.length);
    for (const [i, part] of expected.entries()) expect(told[i]).toContain(part);
  });

  test('a round of several links, but not what did something of its own', () => {
    const rounds = Array.from({ length: 5 }, (_, i) => [
      message(2 * i, 2 * i + 2, i === 0 ? 0 : 2 * i + 1, 'replSetHeartbeat'),
      timer(2 * i + 1, 2 * i + 3, 2 * i + 2, 'hb:1'),
    ]).flat();
    expect(texts(heard(...rounds), 11)).toEqual([
      'n2: it is time for a heartbeat',
      'replSetHeartbeat of n1 reaches n2',
      'the same 2, 4 more times, since 0.000s',
      'time zero: the set is started',
    ]);
    const told = rounds.flatMap((event) => [
      event,
      ...(event.atMicros === 5 ? [{ atMicros: 5, member: 'n2', type: 'processPaused' } as const] : []),
    ]);
    expect(texts(heard(...told), 11)).toContain('n2: it is time for a heartbeat; processPaused');
  });
});

describe('an election comes of what was not heard', () => {
  const leads: TraceEvent = { atMicros: 1, member: 'n1', type: 'acceptsWrites', value: true, term: 1 };
  const asks = (atMicros: number): TraceEvent => ({
    atMicros,
    member: 'n2',
    type: 'sent',
    peer: 'n1:27017',
    what: 'replSetHeartbeat',
  });
  const answer: TraceEvent = {
    atMicros: 4_000,
    member: 'n2',
    type: 'delivered',
    peer: 'n1:27017',
    what: 'heartbeat reply',
  };
  const election = timer(9_000_000, 9, 3, 'election');

  test('the leader’s death ends the chain, not whatever set the timer', () => {
    const causes = heard(leads, timer(2, 3, 0), ...kill(3_000, 4), asks(5_000), asks(6_000), asks(7_000), election);
    expect(texts(causes, 9)).toEqual([
      'n2: its election timeout has passed, as 3 heartbeats to n1 went unanswered since 0.005s',
      'kill: n1; processStopped',
    ]);
  });

  test('so does a wall', () => {
    const wall: TraceEvent[] = [
      { atMicros: 3_000, type: 'input', turn: 4, kind: 'fault', what: 'partition: [[n1], [n2]]' },
      { atMicros: 3_000, type: 'partitioned', groups: [['n1'], ['n2']] },
    ];
    expect(texts(heard(leads, ...wall, asks(5_000), asks(6_000), election), 9)?.at(-1)).toBe('partition: [[n1], [n2]]');
  });

  test('an answer ends the silence, and who never led is not missed', () => {
    for (const events of [
      [leads, timer(2, 3, 0), asks(1_000), asks(2_000), answer, election],
      [timer(2, 3, 0), ...kill(3_000, 4), asks(5_000), asks(6_000), election],
    ])
      expect(texts(heard(...events), 9)).toEqual([
        'n2: its election timeout has passed',
        'n2: it is time for a periodic no-op',
        'time zero: the set is started',
      ]);
  });
});

test('the last thing of which there is something to tell', () => {
  const causes = heard(timer(1, 2, 0), ...kill(2, 3), timer(3, 4, 2));
  expect(causes.latest()).toBe(3);
  expect(causes.latest('n1')).toBe(3);
  expect(causes.latest('n2')).toBeUndefined();
  expect(causes.range).toEqual([2, 4]);
  expect(causes.chain(5)).toBeUndefined();
  expect(heard().range).toBeUndefined();
});
