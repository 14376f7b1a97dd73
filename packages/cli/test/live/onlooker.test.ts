import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { KeptRecording } from '../../src/studio/live/keptRecording.ts';
import { KeptTrace } from '../../src/studio/live/keptTrace.ts';
import { Onlooker } from '../../src/studio/live/onlooker.ts';

/** A connection that takes what is sent, or says that it is full after each part. */
class Connection extends EventEmitter {
  readonly heard: { event: string; data: Record<string, unknown> }[] = [];
  slow = false;
  writableEnded = false;

  write(text: string): boolean {
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)\n\n$/.exec(text) ?? [];
    this.heard.push({ event, data: JSON.parse(data) });
    return !this.slow;
  }

  end(): void {
    this.writableEnded = true;
  }
}

function looking() {
  const connection = new Connection();
  const trace = new KeptTrace({ events: 5000, bytes: 1e6 });
  const recording = new KeptRecording(false);
  let calls = 0;
  const watched = { trace, recording, header: '# all of it\nsteps:\n' };
  const onlooker = new Onlooker(connection as unknown as ServerResponse, watched, () => calls++);
  const sent = () => connection.heard.flatMap(({ data }) => (data.events as TraceEvent[] | undefined) ?? []);
  const add = (from: number, to: number) => {
    for (let i = from; i < to; i++) trace.add({ atMicros: i, member: 'n1', type: 'termChanged', from: i - 1, to: i });
  };
  const all = () => {
    while (onlooker.next());
  };
  return { connection, onlooker, recording, sent, add, all, calls: () => calls };
}

test('it gets every event once, in order', () => {
  const { sent, add, all, connection } = looking();
  add(0, 2500);
  all();
  add(2500, 4000);
  all();
  all();
  expect(sent().map(({ atMicros }) => atMicros)).toEqual(Array.from({ length: 4000 }, (_, i) => i));
  expect(connection.heard.filter(({ event }) => event === 'begin')).toHaveLength(1);
});

test('one that is slow is waited for, and keeps nothing; what it missed it is told', () => {
  const { sent, add, all, connection, onlooker, calls } = looking();
  connection.slow = true;
  add(0, 2500);
  for (let i = 0; i < 10; i++) onlooker.next();
  // The beginning alone went out, and waits.
  expect(sent()).toEqual([]);
  add(2500, 30_000);
  expect(onlooker.next()).toBe(false);
  connection.slow = false;
  connection.emit('drain');
  expect(calls()).toBe(1);
  all();
  const begun = connection.heard.filter(({ event }) => event === 'begin').map(({ data }) => data);
  expect(begun).toHaveLength(2);
  expect(begun[1]?.forgotten).toBeGreaterThanOrEqual(24_000);
  expect(sent().at(-1)?.atMicros).toBe(29_999);
});

test('over one stream no more goes than both ends may remember: then it begins anew', () => {
  const { add, all, connection } = looking();
  for (let at = 0; at < 450_000; at += 1000) {
    add(at, at + 1000);
    all();
  }
  expect(connection.heard.filter(({ event }) => event === 'begin').map(({ data }) => data)).toEqual([
    { forgotten: 0 },
    { forgotten: expect.any(Number), forgottenMicros: expect.any(Number) },
  ]);
});

test('the recording goes line by line, and anew when clients’ part is gone', () => {
  const { recording, all, connection } = looking();
  const records = () => connection.heard.filter(({ event }) => event === 'recording').map(({ data }) => data);
  recording.add({ type: 'kill', member: 'n1', atMicros: 1 });
  all();
  recording.add({ type: 'kill', member: 'n2', atMicros: 2 });
  all();
  expect(records()).toEqual([
    { text: '  - { at: 0.000001s, kill: n1 }\n', begun: { isWhole: true, head: '# all of it\nsteps:\n' } },
    { text: '  - { at: 0.000002s, kill: n2 }\n' },
  ]);
  for (let i = 0; i < 5000; i++) recording.add({ type: 'hangUp', connection: 1, atMicros: 3 });
  all();
  const last = records().at(-1) as { text: string; begun: { isWhole: boolean; head: string } };
  expect(last.text.split('\n')).toHaveLength(3);
  expect(last.begun.isWhole).toBe(false);
  expect(last.begun.head).toMatch(/^# What clients sent is left out.*\nsteps:\n$/);
});

test('the end comes behind all that there was', () => {
  const { add, all, onlooker, connection } = looking();
  add(0, 4000);
  onlooker.end('shut down');
  all();
  expect(connection.heard.at(-1)).toEqual({ event: 'ended', data: { text: 'shut down' } });
  expect(connection.heard.filter(({ event }) => event === 'trace').length).toBeGreaterThan(3);
  expect(connection.writableEnded).toBe(true);
});
