import type { TraceEvent } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numbersNear } from '../../../src/core/lesson/asked.ts';
import { quizOf } from '../../../src/core/lesson/quiz.ts';
import { type Seen, seenOf } from '../../../src/core/lesson/seen.ts';
import { traceOf } from './traced.ts';

const FILES = [
  'election/failover-on-kill',
  'election/no-majority-no-primary',
  'oplog/majority-cannot-be-reached',
  'oplog/unreplicated-write-is-rolled-back',
  'ttl/two-primaries-one-deletes',
  'ttl/half-a-minute-late',
  'clients/w1-writes-lost-at-a-partition',
];
const runs = await Promise.all(FILES.flatMap((file) => [1, 2].map((seed) => traceOf(file, seed))));
const anyRun = fc.constantFrom(...runs);

test('there is something to ask', () => {
  for (const run of runs) expect(quizOf(run).length).toBeGreaterThan(0);
});

describe('of any run, or of its beginning', () => {
  const anyBeginning = fc
    .tuple(anyRun, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([run, share]) => run.slice(0, Math.ceil(share * run.length)));

  test('an answer is among its choices, which differ', () => {
    fc.assert(
      fc.property(anyBeginning, (run) => {
        for (const { choices, answer } of quizOf(run)) {
          expect(choices).toContain(answer);
          expect(new Set(choices).size).toBe(choices.length);
          expect(choices.length).toBeGreaterThan(1);
        }
      }),
    );
  });

  test('there are twelve questions at most, and none is put before the one before it is answered', () => {
    fc.assert(
      fc.property(anyBeginning, (run) => {
        const asked = quizOf(run);
        expect(asked.length).toBeLessThanOrEqual(12);
        asked.slice(1).forEach((each, i) => {
          expect(each.atMicros).toBeGreaterThan(asked[i]!.atMicros);
          expect(each.seenEvents).toBeGreaterThanOrEqual(asked[i]!.knownEvents);
        });
      }),
    );
  });

  test('an answer is not known before its instant: a run that ends there asks no such question', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (run, which, share) => {
        const asked = quizOf(run);
        const each = asked[which % asked.length]!;
        expect(each.knownEvents).toBeGreaterThan(each.seenEvents);
        expect(each.knownMicros).toBeGreaterThanOrEqual(each.atMicros);
        const length = each.seenEvents + Math.floor(share * (each.knownEvents - 1 - each.seenEvents));
        expect(quizOf(run.slice(0, length)).map(({ seenEvents }) => seenEvents)).not.toContain(each.seenEvents);
      }),
    );
  });
});

const everyQuestion = runs.flatMap((run, i) =>
  quizOf(run).map((asked) => [`${FILES[i >> 1]}: ${asked.text}`, run, asked] as const),
);

test.for(everyQuestion)('what is seen gives nothing away: %s', ([, run, asked]) => {
  const before = seenOf(run, asked.seenEvents);
  const after = seenOf(run, asked.knownEvents);
  const [last, next] = [run[asked.seenEvents - 1]!, run[asked.seenEvents]!];
  expect(before.history.endMicros).toBe(asked.atMicros);
  if (asked.text.startsWith('An election')) {
    // Not even who stands is seen.
    expect(next).toMatchObject({ type: 'electionStarted' });
    expect(count(before, VOTING)).toBeLessThan(count(after, VOTING));
  } else if (asked.text.startsWith('The TTL')) {
    expect(last).toMatchObject({ type: 'ttlMonitor', phase: 'inPass' });
    expect(ofType(run.slice(asked.seenEvents, asked.knownEvents), 'ttlPassEnded')).not.toEqual([]);
  } else {
    if (last.type !== 'oplogWritten') throw new Error(`a ${last.type} is no write`);
    const holders = ({ history }: Seen) =>
      history.memberNames.filter((name) =>
        history.oplogs.at(name, asked.knownMicros, 5000).some(({ entry }) => entry === last.entries.at(-1)),
      );
    expect(holders(before)).toEqual([last.member]);
    if (asked.text.includes('Who else') && asked.answer !== 'nobody') expect(holders(after)).toContain(asked.answer);
  }
});

/** Lines of the story that an election makes. */
const VOTING = /asks for votes|votes? for|wins term/;
const count = ({ lines }: Seen, what: RegExp) => lines.filter(({ text }) => what.test(text)).length;
const ofType = (events: readonly TraceEvent[], type: TraceEvent['type']) => events.filter((each) => each.type === type);

test('numbers stand in order beside the right one, which stands in any place', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(), (answer, salt) => {
      const numbers = numbersNear(answer, salt).map(Number);
      expect(numbers).toContain(answer);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    }),
  );
  expect(new Set([0, 1, 2, 3].map((salt) => numbersNear(40, salt).indexOf('40'))).size).toBe(4);
});

describe('what is asked of a failover', async () => {
  const asked = quizOf(await traceOf('election/failover-on-kill'));

  test('who wins, who copies, and whether a majority has it', () => {
    expect(asked.map(({ text, answer }) => `${text} ${answer}`)).toEqual([
      'An election begins. Who wins it? n1',
      'n1 has written an insert into app.orders at (10,18 t1). Which other member has it first, within 10 s? n2',
      'An election begins. Who wins it? n2',
      'n2 has written an insert into app.orders at (21,3 t2). Within 10 s, does a majority have it, and does the primary know? yes',
    ]);
  });
});

test('how a set starts is not asked where it is folded away', async () => {
  const [first] = quizOf(await traceOf('ttl/two-primaries-one-deletes'));
  expect(first?.text).toMatch(/^n1 has written an insert into app\.sessions/);
});

test('a cut-off write reaches nobody, an election without a majority nobody', async () => {
  const answers = async (file: string) => quizOf(await traceOf(file)).map(({ answer }) => answer);
  expect(await answers('oplog/majority-cannot-be-reached')).toEqual(['n1', 'nobody', 'n2']);
  expect(await answers('ttl/two-primaries-one-deletes')).toContain('nobody');
});

test('a pass deletes what it deletes, on whoever may', async () => {
  const passes = quizOf(await traceOf('ttl/two-primaries-one-deletes')).filter(({ text }) => text.includes('TTL'));
  expect(passes.map(({ text, answer }) => `${text} ${answer}`)).toEqual([
    'The TTL monitor of n2 begins a pass. How many documents does it delete? 5',
    ...Array(3).fill('The TTL monitor of n2 begins a pass. How many documents does it delete? 0'),
  ]);
});
