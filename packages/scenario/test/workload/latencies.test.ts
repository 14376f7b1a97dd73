import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario, playScenario } from '../../src/index.ts';
import { PHASES } from '../../src/ledgerCounts.ts';
import { latencyOf, Phases } from '../../src/workload/latencies.ts';

const took = (...ms: number[]) => ms.map((each) => ({ sentMicros: 5e6, toldMicros: 5e6 + each * 1000 }));

test.for([
  [took(), undefined],
  [took(7), { operations: 1, p50Ms: 7, p95Ms: 7, p99Ms: 7, maxMs: 7 }],
  [took(4, 2, 3, 1), { operations: 4, p50Ms: 2, p95Ms: 4, p99Ms: 4, maxMs: 4 }],
  [took(...Array.from({ length: 200 }, (_, i) => i + 1)), { operations: 200, p50Ms: 100, p95Ms: 190, p99Ms: 198, maxMs: 200 }], // biome-ignore format: a line each
] as const)('%j', ([answered, latency]) => {
  expect(latencyOf(answered)).toEqual(latency);
});

test('phases: before, during and after faults; before, in and after TTL passes that deleted something', () => {
  const phases = new Phases();
  const member = { member: 'n1', acceptsWrites: true, subPasses: 1, byIndex: [], memberState: 'PRIMARY' } as const;
  phases.observe({ atMicros: 10e6, type: 'partitioned', groups: [] });
  phases.observe({ atMicros: 20e6, type: 'healed', members: 'all' });
  phases.observe({ atMicros: 60e6, type: 'ttlMonitor', member: 'n1', phase: 'inPass' });
  phases.observe({ atMicros: 61e6, type: 'ttlPassEnded', ...member, deleted: 5 });
  phases.observe({ atMicros: 120e6, type: 'ttlMonitor', member: 'n1', phase: 'inPass' });
  phases.observe({ atMicros: 121e6, type: 'ttlPassEnded', ...member, deleted: 0 });
  const of = (from: number, to: number) =>
    PHASES.filter((phase) => phases.has(phase, { sentMicros: from * 1e6, toldMicros: to * 1e6 }));
  expect(of(1, 2)).toEqual(['beforeFaults', 'beforeTtlPasses', 'betweenTtlPasses']);
  expect(of(9, 11)).toEqual(['duringFaults', 'beforeTtlPasses', 'betweenTtlPasses']);
  expect(of(15, 25)).toEqual(['duringFaults', 'beforeTtlPasses', 'betweenTtlPasses']);
  expect(of(20, 25)).toEqual(['afterFaults', 'beforeTtlPasses', 'betweenTtlPasses']);
  expect(of(60.5, 62)).toEqual(['afterFaults', 'ttlPass']);
  expect(of(59, 60)).toEqual(['afterFaults', 'beforeTtlPasses', 'betweenTtlPasses']);
  expect(of(61, 62)).toEqual(['afterFaults', 'afterTtlPasses', 'betweenTtlPasses']);
  expect(of(120.5, 121)).toEqual(['afterFaults', 'afterTtlPasses', 'betweenTtlPasses']);
  phases.observe({ atMicros: 180e6, type: 'ttlMonitor', member: 'n1', phase: 'inPass' });
  phases.observe({ atMicros: 180.5e6, type: 'ttlPassEnded', ...member, deleted: 1 });
  expect(of(179, 181)).toEqual(['afterFaults', 'ttlPass']);
  expect(of(121, 122)).toEqual(['afterFaults', 'afterTtlPasses', 'betweenTtlPasses']);
});

test.for([
  { type: 'diskChanged', member: 'n1', latencyMs: 20 },
  { type: 'clockChanged', member: 'n1', jumpMs: 5, wallMs: 5 },
] as const)('a fault: %j', (event) => {
  const phases = new Phases();
  phases.observe({ atMicros: 10e6, ...event });
  expect(phases.has('beforeFaults', { sentMicros: 9e6, toldMicros: 11e6 })).toBe(false);
});

const play = async (...steps: string[]) =>
  playScenario(
    parseScenario(
      ['name: x', 'replicaSet: { members: 1 }', 'steps:', ...steps.map((step) => `  - ${step}`)].join('\n'),
      'x',
    ),
    (options) => ReplSet.create(options),
  );
const WORKLOAD =
  'workload: { name: w, every: 100ms, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }';

test('a check asks for percentiles, of all or of a phase', async () => {
  const { failure, workloads } = await play(
    'eventually: { within: 30s, primary: any }',
    WORKLOAD,
    'advance: 5s',
    'expect: { workload: w, acknowledged: { $gt: 40 } }',
    'expect: { workload: w, p50Ms: { $gt: 0 }, p99Ms: { $lt: 50 } }',
    'expect: { workload: w, phase: beforeFaults, maxMs: { $lt: 50 } }',
  );
  expect(failure).toBeUndefined();
  expect(workloads[0]!.latency.all).toMatchObject({ operations: expect.any(Number), p50Ms: expect.any(Number) });
});

test.for([
  [['expect: { workload: w, p99Ms: { $lt: 50 } }'], 'nothing was acknowledged or answered'],
  [['eventually: { within: 30s, primary: any }', 'advance: 3s', 'expect: { workload: w, phase: ttlPass, p99Ms: { $lt: 50 } }'], 'nothing was acknowledged or answered in that phase'], // biome-ignore format: a line each
  [
    ['eventually: { within: 30s, primary: any }', 'advance: 3s', 'expect: { workload: w, p99Ms: { $gt: 5000 } }'],
    'p99Ms',
  ],
])('of nothing no percentile holds, nor a wrong one: %j', async ([steps, got]) => {
  const { failure } = await play(WORKLOAD, ...(steps as string[]));
  expect(failure?.detail).toContain(got);
});

test.for([
  ['expect: { workload: v, p99Ms: { $lt: 50 } }', /v/],
  ['expect: { workload: w, phase: ttlPass }', /needs a number to look at/],
  ['expect: { workload: w, phase: ttlPass, lost: 0 }', /"phase" applies only to latencies/],
  ['expect: { workload: w, phase: during, p99Ms: 1 }', /expected one of beforeFaults, duringFaults/],
  ['expect: { primary: any, p99Ms: { $lt: 50 } }', /needs to know what to ask/],
  ['expect: { workload: w, p98Ms: { $lt: 50 } }', /p98Ms/],
] as const)('%s is a mistake', async ([step, message]) => {
  const thrown = await play(WORKLOAD, step).catch((error) => error);
  expect(thrown).toBeInstanceOf(InvalidScenario);
  expect(thrown.mistakes.map((each: { message: string }) => each.message).join('; ')).toMatch(message);
});
