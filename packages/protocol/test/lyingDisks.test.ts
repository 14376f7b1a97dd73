import { expect, test } from 'vitest';
import { LyingDisks } from '../src/lyingDisks.ts';
import type { TraceEvent } from '../src/trace.ts';

const disk = (settings: object) => ({ type: 'diskChanged', member: 'n1', atMicros: 0, ...settings }) as TraceEvent;
const elsewhere = { type: 'writeMisdirected', member: 'n1', atMicros: 0, over: 'checkpoint' } as TraceEvent;
const stopped = (how: string, member = 'n1') => ({ type: 'processStopped', member, atMicros: 0, how }) as TraceEvent;

test.each<[string, TraceEvent[], boolean[]]>([
  ['a sound disk keeps its word', [disk({ latencyMs: 5 }), stopped('killed')], [false, false]],
  [
    'one that loses writes forgets at every kill',
    [disk({ lost: true }), stopped('killed'), stopped('killed')],
    [false, true, true],
  ],
  [
    'unless its cache was written',
    [disk({ lost: true }), disk({ lost: false }), stopped('killed')],
    [false, false, false],
  ],
  [
    'one that tears a write does so once',
    [disk({ torn: true }), stopped('killed'), stopped('killed')],
    [false, true, false],
  ],
  [
    'a process that ends by itself has lost no power',
    [disk({ lost: true, torn: true }), stopped('fatal'), stopped('shutdown')],
    [false, false, false],
  ],
  [
    'what it wrote elsewhere is missed however the process ends, once',
    [disk({ misdirected: true }), elsewhere, stopped('fatal'), stopped('killed')],
    [false, false, true, false],
  ],
  [
    'a process may be ended before it writes elsewhere',
    [disk({ misdirected: true }), stopped('shutdown')],
    [false, true],
  ],
  [
    'or the fault may be over by then',
    [disk({ misdirected: true }), disk({ misdirected: false }), stopped('killed')],
    [false, false, false],
  ],
  ['another member is not concerned', [disk({ lost: true }), stopped('killed', 'n2')], [false, false]],
  [
    'one fault leaves the other',
    [disk({ lost: true }), disk({ torn: false }), stopped('killed')],
    [false, false, true],
  ],
])('%s', (_, events, expected) => {
  const disks = new LyingDisks();
  expect(events.map((event) => disks.observe(event))).toEqual(expected);
});
