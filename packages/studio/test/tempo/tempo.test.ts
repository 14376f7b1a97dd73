import type { TraceEvent } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LONGEST_IDLE_MS, piecesOf } from '../../src/tempo/pieces.ts';
import type { Span } from '../../src/tempo/span.ts';
import { filmOf, type Tempo, tempoOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

/** Rounding: a film of hours is counted in ms. */
const CLOSE_MS = 1e-3;

const anySpan = fc
  .record({
    fromMicros: fc.nat(60_000_000),
    lengthMicros: fc.integer({ min: 1, max: 5_000_000 }),
    filmMs: fc.integer({ min: 100, max: 3000 }),
  })
  .map(
    ({ fromMicros, lengthMicros, filmMs }): Span => ({
      kind: 'any',
      fromMicros,
      toMicros: fromMicros + lengthMicros,
      filmMs,
    }),
  );
const anySpans = fc.array(anySpan, { maxLength: 40 });

describe('spans laid out as film', () => {
  const endMicros = 70_000_000;

  test('virtual time and film both grow strictly, to their ends', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const { micros, millis } = piecesOf(spans, endMicros);
        expect(micros[0]).toBe(0);
        expect(micros.at(-1)).toBe(endMicros);
        for (let i = 1; i < micros.length; i++) {
          expect(micros[i]!).toBeGreaterThan(micros[i - 1]!);
          expect(millis[i]!).toBeGreaterThan(millis[i - 1]!);
        }
      }),
    );
  });

  test('each span has its time at least, all have the sum at most, and none that is idle lasts too long', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const tempo = tempoOfSpans(spans, endMicros);
        for (const { fromMicros, toMicros, filmMs } of spans)
          expect(tempo.filmMillisAt(toMicros) - tempo.filmMillisAt(fromMicros)).toBeGreaterThan(filmMs - CLOSE_MS);
        const sum = spans.reduce((ms, { filmMs }) => ms + filmMs, 0);
        expect(tempo.endFilmMillis).toBeLessThan(sum + (spans.length + 1) * LONGEST_IDLE_MS + CLOSE_MS);
      }),
    );
  });
});

const SCENARIOS = [
  'election/failover-on-kill',
  'lessons/02-how-an-election-goes',
  'lessons/05-what-a-rollback-takes-away',
  'lessons/06-who-deletes-expired-documents',
  'election/seven-voters-three-ways',
  'faults/a-client-cut-off-for-seconds-sees-no-error',
];

describe.for(SCENARIOS)('the tempo of %s', (file) => {
  const traced = traceOf(file);

  test('there and back is where one was, in order, at any zoom', async () => {
    const events = await traced;
    const tempo = tempoOf({ events });
    const endMicros = events.at(-1)!.atMicros;
    fc.assert(
      fc.property(fc.nat(endMicros), fc.nat(endMicros), (a, b) => {
        expect(Math.abs(tempo.atMicrosOf(tempo.filmMillisAt(a)) - a)).toBeLessThan(1);
        const ms = (tempo.endFilmMillis * a) / endMicros;
        expect(tempo.filmMillisAt(tempo.atMicrosOf(ms))).toBeCloseTo(ms, 3);
        if (a < b) expect(tempo.filmMillisAt(a)).toBeLessThan(tempo.filmMillisAt(b));
      }),
    );
  });

  test('it stands as it was when the run has gone on, up to its last stretch', async () => {
    const events = await traced;
    const whole = tempoOf({ events });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length }), (size) => {
        const begun = { events: events.slice(0, size) };
        const before = tempoOf(begun);
        const settled = settledMicros(begun.events);
        for (const at of [settled / 3, settled / 2, settled])
          expect(before.filmMillisAt(at)).toBeCloseTo(whole.filmMillisAt(at), 3);
      }),
      { numRuns: 25 },
    );
  });

  test('a history that grows has the tempo of one that came at once', async () => {
    const events = await traced;
    const growing: TraceEvent[] = [];
    const history = { events: growing };
    for (const event of events) {
      growing.push(event);
      if (growing.length % 997 === 0) tempoOf(history);
    }
    expect(tempoOf(history).endFilmMillis).toBe(tempoOf({ events }).endFilmMillis);
  });

  test('where no span is, at most a second goes by', async () => {
    const events = await traced;
    const history = { events };
    const tempo = tempoOf(history);
    let reached = 0;
    for (const { fromMicros, toMicros } of [...filmOf(history).spans].sort((a, b) => a.fromMicros - b.fromMicros)) {
      if (fromMicros > reached)
        expect(tempo.filmMillisAt(fromMicros) - tempo.filmMillisAt(reached)).toBeLessThanOrEqual(
          LONGEST_IDLE_MS + CLOSE_MS,
        );
      reached = Math.max(reached, toMicros);
    }
    expect(tempo.endFilmMillis - tempo.filmMillisAt(reached)).toBeLessThanOrEqual(LONGEST_IDLE_MS + CLOSE_MS);
  });
});

describe('a failover', () => {
  const traced = traceOf('election/failover-on-kill');

  test('takes some 25 s from the kill to the first majority of the new term', async () => {
    const history = { events: await traced };
    const tempo = tempoOf(history);
    const { captions } = filmOf(history);
    const killed = captions.find(({ kind }) => kind === 'stop')!;
    const safe = captions.findLast(({ kind }) => kind === 'first majority of a term')!;
    const tookMs = tempo.filmMillisAt(safe.atMicros) - tempo.filmMillisAt(killed.atMicros);
    expect(tookMs).toBeGreaterThan(17_000);
    expect(tookMs).toBeLessThan(28_000);
  });

  test('shows each vote on its way for 600 to 1200 ms, or somewhat longer where others are under way', async () => {
    const history = { events: await traced };
    const tempo = tempoOf(history);
    const flights = filmOf(history).spans.filter(({ kind }) => kind === 'vote flight');
    expect(flights.length).toBeGreaterThan(8);
    for (const { fromMicros, toMicros, filmMs } of flights) {
      expect(filmMs).toBeGreaterThanOrEqual(600);
      expect(filmMs).toBeLessThanOrEqual(1200);
      expect(tempo.filmMillisAt(toMicros) - tempo.filmMillisAt(fromMicros)).toBeLessThan(5000);
    }
  });
});

function tempoOfSpans(spans: readonly Span[], endMicros: number): Tempo {
  const { micros, millis } = piecesOf(spans, endMicros);
  const filmMillisAt = (at: number) => {
    const i = Math.max(
      1,
      micros.findIndex((each) => each >= at),
    );
    const share = (at - micros[i - 1]!) / (micros[i]! - micros[i - 1]!);
    return millis[i - 1]! + share * (millis[i]! - millis[i - 1]!);
  };
  return { filmMillisAt, atMicrosOf: () => 0, endFilmMillis: millis.at(-1)! };
}

/** Up to here nothing can be changed by what comes: the last span ends the last stretch, and a message on its way may yet be seen to have flown. */
function settledMicros(events: readonly TraceEvent[]): number {
  const open = new Map<string, number[]>();
  for (const event of events) {
    if (event.type !== 'sent' && event.type !== 'delivered' && event.type !== 'lost') continue;
    const other = event.peer.replace(/:27017$/, '');
    const [from, to] = event.type === 'delivered' ? [other, event.member] : [event.member, other];
    const way = `${from} ${to} ${event.what}`;
    if (event.type === 'sent') open.set(way, [...(open.get(way) ?? []), event.atMicros]);
    else open.get(way)?.shift();
  }
  const last = filmOf({ events }).spans.reduce((to, { fromMicros }) => Math.max(to, fromMicros), 0);
  return Math.min(last, events.at(-1)!.atMicros, ...[...open.values()].flat());
}
