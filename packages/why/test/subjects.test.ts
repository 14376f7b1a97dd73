import { encodeDocument, OplogEntry, type TraceEvent } from '@replsim/protocol';
import { beforeEach, expect, test } from 'vitest';
import { Subjects } from '../src/index.ts';

let subjects: Subjects;

function observe(atMicros: number, event: Record<string, unknown>): void {
  subjects.observe({ atMicros, ...event } as unknown as TraceEvent);
}

function write(atMicros: number, op: 'c' | 'i', ns: string, o: Record<string, unknown>): void {
  const entry = new OplogEntry({ op, ns, o: encodeDocument(o) }, { ts: { t: 5, i: 1 }, t: 1 }, 0);
  observe(atMicros, { type: 'oplogWritten', member: 'n1', origin: 'self', entries: [entry] });
}

const start = (atMicros: number, t: number, mode = 'replSet') =>
  observe(atMicros, { type: 'processStarted', member: 'n1', mode, lastApplied: { ts: { t, i: t }, t } });

beforeEach(() => {
  subjects = new Subjects();
  observe(0, { type: 'processStarted', member: 'n1', mode: 'replSet', lastApplied: { ts: { t: 0, i: 0 }, t: -1 } });
});

test('a collection is there from its creation to its drop, and again', () => {
  write(1e6, 'c', 'app.$cmd', { create: 'a' });
  write(2e6, 'i', 'app.a', { _id: 1 });
  write(3e6, 'c', 'app.$cmd', { drop: 'a' });
  write(5e6, 'c', 'app.$cmd', { create: 'a' });
  expect([0, 1e6, 2e6, 4e6, 6e6].map((now) => subjects.whyAbsent('app.a', now))).toEqual([
    'app.a does not exist yet: it is created at 1.000s',
    undefined,
    undefined,
    'app.a was dropped at 3.000s; it is created again at 5.000s',
    undefined,
  ]);
  expect(subjects.collections).toEqual(['app.a']);
  expect(['app.a', 'app.b', 'local.oplog.rs', 'app.system.views'].map((ns) => subjects.mayHave(ns))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test('a renamed one, a view and a time series have their names too', () => {
  write(1e6, 'c', 'app.$cmd', { create: 'a' });
  write(2e6, 'c', 'app.$cmd', { renameCollection: 'app.a', to: 'app.b' });
  write(3e6, 'i', 'app.system.views', { _id: 'app.seen', viewOn: 'b' });
  write(3e6, 'c', 'app.$cmd', { create: 'system.buckets.t' });
  expect(subjects.collections).toEqual(['app.a', 'app.b', 'app.seen', 'app.t']);
  expect(subjects.whyAbsent('app.a', 9e6)).toBe('app.a was renamed to app.b at 2.000s');
});

test('a set with data from before, and what a standalone writes: there may be any', () => {
  start(9e6, 3);
  expect(subjects.mayHave('app.x')).toBe(false);
  start(9e6, 3, 'standalone');
  expect(subjects.mayHave('app.x')).toBe(true);
  subjects = new Subjects();
  start(0, 3);
  expect(subjects.mayHave('app.x')).toBe(true);
  expect(subjects.collections).toBeUndefined();
});
