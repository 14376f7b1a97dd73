import { OplogEntry, type TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { KeptTrace } from '../../src/studio/live/keptTrace.ts';

const state = (i: number): TraceEvent => ({ atMicros: i, member: 'n1', type: 'termChanged', from: i - 1, to: i });

function entry(bytes: number, i: number): OplogEntry {
  return new OplogEntry({ op: 'i', ns: 'a.b', o: new Uint8Array(bytes) }, { ts: { t: 1, i }, t: 1 }, 0);
}

const written = (i: number, bytes: number): TraceEvent => ({
  atMicros: i,
  member: 'n1',
  type: 'oplogWritten',
  entries: [entry(bytes, i)],
  origin: 'self',
  acceptsWrites: true,
});

function all(trace: KeptTrace): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (;;) {
    const next = trace.from(trace.forgotten + events.length);
    if (next.length === 0) return events;
    events.push(...next);
  }
}

test('all of it is kept while it is short, and nothing is said to be missing', () => {
  const trace = new KeptTrace({ events: 5000, bytes: 1e6 });
  for (let i = 0; i < 5000; i++) trace.add(state(i));
  expect([trace.end, trace.forgotten, trace.forgottenMicros]).toEqual([5000, 0, undefined]);
  expect(all(trace).map(({ atMicros }) => atMicros)).toEqual(Array.from({ length: 5000 }, (_, i) => i));
});

test('of a long one the newest part is kept, with what the rest has come to', () => {
  const trace = new KeptTrace({ events: 5000, bytes: 1e6 });
  for (let i = 0; i < 20_500; i++) trace.add(state(i));
  expect(trace.forgotten).toBeGreaterThanOrEqual(15_000);
  const kept = all(trace);
  expect(kept.length).toBe(trace.end - trace.forgotten);
  expect(kept[0]?.atMicros).toBe(trace.forgotten);
  expect(trace.forgottenMicros).toBe(trace.forgotten - 1);
  expect(trace.standing).toEqual([state(trace.forgotten - 1)]);
});

test('entries are kept within bounds as well, however few events they come in', () => {
  const trace = new KeptTrace({ events: 1e6, bytes: 8e6 });
  for (let i = 1; i <= 100; i++) trace.add(written(i, 1e6));
  const bytes = all(trace).length * 1e6;
  expect(bytes).toBeGreaterThan(5e6);
  expect(bytes).toBeLessThan(11e6);
});
