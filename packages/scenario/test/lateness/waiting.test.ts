import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Leadership } from '../../src/lateness/leaders.ts';
import { MonitorLine } from '../../src/lateness/monitorLine.ts';
import { type Waits, waitsOf } from '../../src/lateness/waiting.ts';

/** What a monitor did, seconds; a sleep says when it is to end, and goes on with the one before it unless it is new. */
type Record = readonly [at: number, phase: 'off' | 'sleeping' | 'hanging' | 'inPass', wake?: number, since?: number];

const S = 1_000_000;

function lineOf(...records: Record[]): MonitorLine {
  const line = new MonitorLine();
  for (const [at, phase, wake, since = at] of records)
    line.observe(at * S, {
      type: 'ttlMonitor',
      phase,
      ...(wake !== undefined && { sinceMicros: since * S, wakeMicros: wake * S }),
    });
  return line;
}

const leads = (member: string, from: number, to = Number.POSITIVE_INFINITY): Leadership => ({
  member,
  fromMicros: from * S,
  toMicros: to * S,
});

function waits(due: number, deleted: number, leaders: Leadership[], lines: { [member: string]: MonitorLine }): Waits {
  const { backlog, disabled, election, sleep } = waitsOf(due * S, deleted * S, leaders, (name) => lines[name]!);
  return { sleep: sleep / S, election: election / S, disabled: disabled / S, backlog: backlog / S };
}

const none: Waits = { sleep: 0, election: 0, disabled: 0, backlog: 0 };
const minute: Record[] = [
  [0, 'sleeping', 60],
  [60, 'inPass'],
  [65, 'sleeping', 125],
  [125, 'inPass'],
];

const alone: [name: string, due: number, deleted: number, records: Record[], expected: Partial<Waits>][] = [
  ['it sleeps, then works', 20, 63, minute, { sleep: 40, backlog: 3 }],
  ['due in the middle of the pass that deletes it', 61, 64, minute, { backlog: 3 }],
  ['due in the middle of a pass that leaves it', 62, 126, minute, { backlog: 4, sleep: 60 }],
  ['a pass that should have taken it did not', 20, 126, minute, { sleep: 40, backlog: 6, disabled: 60 }],
  [
    'a wake-up that leads to no pass',
    20,
    121,
    [
      [0, 'sleeping', 60],
      [60, 'sleeping', 120],
      [120, 'inPass'],
    ],
    { sleep: 40, disabled: 60, backlog: 1 },
  ],
  [
    'the sleep is made shorter: no wake-up by itself',
    20,
    41,
    [
      [0, 'sleeping', 60],
      [30, 'sleeping', 40, 0],
      [40, 'inPass'],
    ],
    { sleep: 20, backlog: 1 },
  ],
  [
    'it hangs between waking and the pass',
    20,
    100,
    [
      [0, 'sleeping', 60],
      [60, 'hanging'],
      [95, 'inPass'],
    ],
    { sleep: 40, disabled: 35, backlog: 5 },
  ],
];

test.for(alone)('one leader: %s', ([, due, deleted, records, expected]) => {
  expect(waits(due, deleted, [leads('n1', 5)], { n1: lineOf(...records) })).toEqual({ ...none, ...expected });
});

test('paused while it sleeps: it was to wake at 60', () => {
  const n1 = lineOf([0, 'sleeping', 60]);
  n1.stop(30 * S, 'paused');
  n1.resume(90 * S, 'paused');
  n1.observe(90 * S, { type: 'ttlMonitor', phase: 'inPass' });
  expect(waits(20, 100, [leads('n1', 5)], { n1 })).toEqual({ ...none, sleep: 40, disabled: 30, backlog: 10 });
});

test('a clock that was set back lets it sleep longer', () => {
  const n1 = lineOf([0, 'sleeping', 60], [90, 'inPass']);
  expect(waits(20, 100, [leads('n1', 5)], { n1 })).toEqual({ ...none, sleep: 70, backlog: 10 });
});

test('a pass of a leader that was replaced was in vain', () => {
  const n1 = lineOf([0, 'sleeping', 60], [60, 'inPass'], [61, 'sleeping', 121]);
  const leaders = [leads('n1', 5, 80), leads('n2', 70)];
  expect(waits(50, 91, leaders, { n1, n2 })).toEqual({ ...none, sleep: 10, backlog: 2, election: 29 });
});

test('paused in the middle of a pass', () => {
  const n1 = lineOf([0, 'sleeping', 60], [60, 'inPass']);
  n1.stop(61 * S, 'paused');
  n1.resume(71 * S, 'paused');
  expect(waits(50, 72, [leads('n1', 5)], { n1 })).toEqual({ ...none, sleep: 10, backlog: 2, disabled: 10 });
});

const n2 = lineOf([0, 'sleeping', 90], [90, 'inPass'], [91, 'sleeping', 151], [151, 'inPass']);
const killed = lineOf([0, 'sleeping', 60], [40, 'off']);

const failovers: [name: string, due: number, deleted: number, expected: Partial<Waits>][] = [
  ['due before: the planned wake-up is sleep, the rest the election', 20, 91, { sleep: 40, election: 30, backlog: 1 }],
  ['due while nobody led: its wake-ups are counted on', 45, 91, { sleep: 15, election: 30, backlog: 1 }],
  ['due under the new one', 55, 91, { sleep: 35, backlog: 1 }],
];

test.for(failovers)('a failover from 40 to 50: %s', ([, due, deleted, expected]) => {
  const leaders = [leads('n1', 5, 40), leads('n2', 50)];
  expect(waits(due, deleted, leaders, { n1: killed, n2 })).toEqual({ ...none, ...expected });
});

test('a failover to one that happens to wake earlier costs nothing', () => {
  const early = lineOf([0, 'sleeping', 55], [55, 'inPass']);
  const leaders = [leads('n1', 5, 40), leads('n2', 50)];
  expect(waits(20, 56, leaders, { n1: killed, n2: early })).toEqual({ ...none, sleep: 35, backlog: 1 });
});

test('a primary that comes back keeps its own rhythm', () => {
  const n1 = lineOf([0, 'sleeping', 60], [60, 'sleeping', 120], [120, 'inPass']);
  expect(waits(20, 121, [leads('n1', 5, 40), leads('n1', 80)], { n1 })).toEqual({
    ...none,
    sleep: 40,
    election: 60,
    backlog: 1,
  });
});

test('two failovers: whoever led for a moment without waking changes nothing', () => {
  const n3 = lineOf([0, 'sleeping', 200], [200, 'inPass']);
  const leaders = [leads('n1', 5, 40), leads('n3', 50, 70), leads('n2', 80)];
  expect(waits(20, 91, leaders, { n1: killed, n2, n3 })).toEqual({ ...none, sleep: 40, election: 30, backlog: 1 });
});

test('before anybody led', () => {
  expect(waits(20, 91, [leads('n2', 50)], { n2 })).toEqual({ ...none, election: 70, backlog: 1 });
});

/** A monitor that turns to something else every few seconds, whether that makes sense or not. */
const anyLine = fc
  .array(
    fc.record({
      after: fc.integer({ min: 0, max: 40 }),
      phase: fc.constantFrom('off', 'sleeping', 'hanging', 'inPass', 'stop', 'resume'),
      sleep: fc.integer({ min: 0, max: 50 }),
      again: fc.boolean(),
    }),
  )
  .map((steps) => {
    const line = new MonitorLine();
    let at = 0;
    let since = 0;
    for (const { after, again, phase, sleep } of steps) {
      at += after * S;
      if (phase === 'stop') line.stop(at, 'paused');
      else if (phase === 'resume') line.resume(at, 'paused');
      else if (phase === 'sleeping') {
        since = again ? since : at;
        line.observe(at, { type: 'ttlMonitor', phase, sinceMicros: since, wakeMicros: since + sleep * S });
      } else line.observe(at, { type: 'ttlMonitor', phase });
    }
    return line;
  });
const anyLeaders = fc.array(
  fc.record({
    member: fc.constantFrom('n1', 'n2', 'n3'),
    after: fc.integer({ min: 0, max: 100 }),
    for: fc.integer({ min: 0, max: 100 }),
  }),
);

test('whatever happens, the parts add up to the whole, and none is negative', () => {
  fc.assert(
    fc.property(
      fc.tuple(anyLine, anyLine, anyLine),
      anyLeaders,
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 300 }),
      ([n1, n2, n3], terms, due, late) => {
        let from = 0;
        const leaders = terms.map((term) => {
          from += term.after;
          return leads(term.member, from, from + term.for);
        });
        const parts = waits(due, due + late, leaders, { n1, n2, n3 });
        for (const part of Object.values(parts)) expect(part).toBeGreaterThanOrEqual(0);
        expect(parts.sleep + parts.election + parts.disabled + parts.backlog).toBe(late);
      },
    ),
    { numRuns: 500 },
  );
});
