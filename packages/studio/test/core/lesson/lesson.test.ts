import { describe, expect, test } from 'vitest';
import { type Asked, turnBefore } from '../../../src/core/lesson/asked.ts';
import { lessonOf } from '../../../src/core/lesson/lesson.ts';
import { seenOf, withoutStart } from '../../../src/core/lesson/seen.ts';
import {
  answeredAt,
  isBehind,
  openQuestion,
  placeAt,
  type Stop,
  saidAt,
  scoreOf,
  stopsOf,
} from '../../../src/core/lesson/walk.ts';
import { traceOf, traceOfText } from './traced.ts';

/** A lesson of which everything is told here. */
export const TEXT = `name: Two of three are enough
description: One dies, two are left.
begin: with a primary
hide: start
replicaSet: { members: [n1, n2, n3] }
steps:
  - act: Somebody dies
  - note: n1 takes writes.
  - focus: [n1, set]
  - kill: n1
  - ask: { question: Who takes writes 15 s later?, answer: primary, in: 15s }
  - note: It is quiet now.
  - advance: 20s
  - act: Somebody else takes over
  - note: They have voted.
  - focus: story
  - ask: { question: In which term is n2?, answer: { term: n2 }, choices: [0, 1, 2] }
  - expect: { primary: any }
  - expect: { state: { n1: DOWN } }
`;
const events = await traceOfText(TEXT);
const lesson = lessonOf(events);
const killed = events.find(({ type }) => type === 'processStopped')!.atMicros;
const later = killed + 20_000_000;

test('chapters, captions and where to look stand at their instants', () => {
  expect(lesson.chapters.map(({ text, atMicros }) => [text, atMicros])).toEqual([
    ['Somebody dies', killed],
    ['Somebody else takes over', later],
  ]);
  expect(lesson.captions.map(({ text, atMicros }) => [text, atMicros])).toEqual([
    ['n1 takes writes.', killed],
    ['It is quiet now.', killed],
    ['They have voted.', later],
  ]);
  expect(lesson.focuses.map(({ on }) => on)).toEqual([['n1', 'set'], ['story']]);
  expect(lesson.start).toEqual({ atMicros: killed, events: lesson.chapters[0]!.events });
});

/** Whether an event came of a turn. */
function isOfTurn(turn: number): (event: (typeof events)[number], i: number) => boolean {
  return (_, i) => turnBefore(events, i + 1) === turn;
}

describe('questions', () => {
  const [quiet, term] = lesson.asks;

  test('one about later is put when it is asked', () => {
    expect(quiet).toMatchObject({ text: 'Who takes writes 15 s later?', choices: ['n1', 'n2', 'n3', 'nobody'] });
    expect(quiet).toMatchObject({ atMicros: killed, knownMicros: killed + 15_000_000, dueMicros: killed + 15_000_000 });
    expect(term!.dueMicros).toBeUndefined();
    expect(events[quiet!.seenEvents - 1]).toMatchObject({ type: 'asked', number: 1 });
    expect(quiet!.choices).toContain(quiet!.answer);
  });

  test('lead to the reason that fits, or to none', () => {
    const reasonOf = ({ why }: Pick<Asked, 'why'>) =>
      why?.kind === 'event' ? events.filter(isOfTurn(why.turn)).map(({ type }) => type) : why;
    expect(reasonOf(quiet!)).toContain('electionWon');
    expect(reasonOf(term!)).toContain('electionWon');
    expect(lesson.checks.map(reasonOf).at(-1)).toMatchObject({ kind: 'state', member: 'n1' });
  });

  test('one about now is put before the step that led to it', () => {
    expect(term).toMatchObject({ text: 'In which term is n2?', answer: '2', atMicros: killed, knownMicros: later });
    expect(events[term!.seenEvents - 1]).toMatchObject({ type: 'step', text: 'advance: 20s' });
  });

  test('checks can be asked as well, and what holds need not be guessed', () => {
    expect(lesson.checks.map(({ text, answer }) => [text, answer])).toEqual([
      ['Who accepts writes then?', expect.stringMatching(/^n[23]$/)],
      ['What state is n1 in then?', 'DOWN'],
    ]);
  });

  test('are put in order; behind an open one nothing is seen', () => {
    const first = openQuestion(lesson.asks, new Map());
    expect(first).toBe(quiet);
    expect(openQuestion(lesson.asks, new Map([[quiet!, 'n2']]))).toBe(term);
    const all = new Map([quiet!, term!].map((each) => [each, each.answer]));
    expect(openQuestion(lesson.asks, all)).toBeUndefined();
    expect(scoreOf(new Map([...all, [term!, undefined]]))).toEqual({ right: 1, asked: 2 });
    const { history, lines } = seenOf(events, quiet!.seenEvents);
    expect(history.endMicros).toBe(killed);
    expect(lines.map(({ text }) => text).join('\n')).not.toMatch(/wins term 2|They have voted|It is quiet/);
  });

  test('the page waits at what is said and put, one behind the other, and no further than is seen', () => {
    const secondsOf = (stops: readonly Stop[]) => stops.map(({ atMicros }) => (atMicros - killed) / 1e6);
    const end = { atMicros: killed, events: quiet!.seenEvents };
    expect(secondsOf(stopsOf(lesson, lesson.asks, new Map(), end))).toEqual([0, 0, 0]);
    const all = new Map(lesson.asks.map((each) => [each, each.answer]));
    const stops = stopsOf(lesson, lesson.asks, all, { atMicros: later, events: events.length });
    // The beginning, a caption, a question, a caption, a question; an answer; a caption, an answer.
    expect(secondsOf(stops)).toEqual([0, 0, 0, 0, 0, 15, 20, 20]);
    stops.slice(1).forEach((stop, i) => {
      expect(isBehind(stop, stops[i]!)).toBe(true);
    });
  });
});

test('a verdict stands where a question was put and where its answer comes true, and not beside the next question', () => {
  const [quiet, term] = lesson.asks;
  const answers = new Map([[quiet!, 'n1']]);
  const at = (atMicros: number, events: number) => answeredAt(answers, { atMicros, events });
  expect(at(quiet!.atMicros, quiet!.seenEvents)).toBe(quiet);
  expect(at(quiet!.knownMicros, quiet!.knownEvents)).toBe(quiet);
  expect(at(term!.atMicros, term!.seenEvents)).toBeUndefined();
  expect(at(quiet!.knownMicros + 1, 0)).toBeUndefined();
});

test('a chapter is nothing to stop for where something else was just said', () => {
  const stop = (events: number) => ({ atMicros: 5, events });
  const chapters = [{ text: 'Another one', ...stop(3) }];
  const bare = { ...lesson, chapters, captions: [], asks: [], start: { atMicros: 0, events: 0 } };
  const end = { atMicros: 9, events: 9 };
  expect(stopsOf(bare, [], new Map(), end)).toContainEqual(expect.objectContaining(stop(3)));
  const said = { ...bare, captions: [{ text: 'So it is.', ...stop(2) }] };
  expect(stopsOf(said, [], new Map(), end)).not.toContainEqual(expect.objectContaining(stop(3)));
});

test('a reader hears one thing after the other, as far as it is seen', () => {
  const [first, second, third] = lesson.captions;
  const said = (place: Stop, seen = events.length) => saidAt(lesson.captions, place, seen)?.text;
  expect(said({ atMicros: killed - 1, events: 0 })).toBeUndefined();
  expect(said(first!)).toBe('n1 takes writes.');
  expect(said(second!)).toBe('It is quiet now.');
  expect(said(second!, lesson.asks[0]!.seenEvents)).toBe('n1 takes writes.');
  expect(said({ atMicros: later - 1, events: 0 })).toBe('It is quiet now.');
  expect(said(third!)).toBe('They have voted.');
});

test('a reader stands where one was, or before all that is said at an instant', () => {
  const [first, second] = lesson.captions;
  const stops = [first!, second!];
  expect(placeAt(stops, killed, undefined)).toBe(first);
  expect(placeAt(stops, killed, second)).toBe(second);
  expect(placeAt(stops, killed + 1, second)).toEqual({ atMicros: killed + 1, events: 0 });
});

test('any scenario can be walked through: its checks are its questions, each put before its answer', async () => {
  const trace = await traceOf('election/failover-on-kill');
  const { asks, checks, start } = lessonOf(trace);
  expect([asks, start.atMicros]).toEqual([[], 0]);
  expect(checks.map(({ text, answer }) => `${text} ${answer}`)).toEqual([
    'Who accepts writes then? n1',
    'Who accepts writes then? nobody',
    'Who accepts writes then? n2',
    'How many documents of app.orders does primary have then? 1',
  ]);
  for (const { choices, answer, seenEvents, knownEvents } of checks) {
    expect(choices).toContain(answer);
    expect(seenEvents).toBeLessThan(knownEvents);
  }
});

test('the story of the start is one line where it is hidden', async () => {
  const trace = await traceOfText(
    TEXT.replace('begin: with a primary\n', '').replace(
      'steps:',
      'steps:\n  - eventually: { within: 30s, primary: n1 }',
    ),
  );
  const { start } = lessonOf(trace);
  const all = seenOf(trace, trace.length);
  const { lines } = withoutStart(all, start.events);
  expect(lines[0]?.text).toMatch(/^▸ \d+ lines: how the set starts/);
  expect(lines[1]?.text).toBe('## Somebody dies');
  expect(lines.slice(1)).toEqual(all.lines.slice(-lines.length + 1));
  expect(withoutStart(all, 0)).toEqual({ history: all.history, lines: all.lines });
});
