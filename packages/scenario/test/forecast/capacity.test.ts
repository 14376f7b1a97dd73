import { expect, test } from 'vitest';
import { capacityOf } from '../../src/forecast/capacity.ts';
import { parseForecast } from '../../src/forecast/parseForecast.ts';

const capacity = (more: string) => capacityOf(parseForecast(`name: A\n${more}`, 'a.yaml'));

/** A hundred milliseconds a document, and nothing else: ten a second. */
const TEN_A_SECOND = 'costs: { deleteMicros: 100000, indexKeyMicros: 0, scanKeyMicros: 0, commitMicros: 0 }';

test.for([
  // 20 + 2 × 2 + 1, and a tenth of a transaction of 100.
  { more: '', deleteMicros: 35 },
  { more: 'indexes: 3', deleteMicros: 41 },
  { more: 'parameters: { ttlMonitorBatchDeletes: false }', deleteMicros: 125 },
  { more: 'version: "3.2"', deleteMicros: 125 },
  { more: 'parameters: { batchedDeletesTargetBatchDocs: 50 }', deleteMicros: 27 },
  // Five milliseconds are over with the third document, so that ten take four transactions.
  { more: 'costs: { deleteMicros: 2000 }', deleteMicros: 2000 + 5 + 40 },
  { more: TEN_A_SECOND, deleteMicros: 100_000 },
])('a document takes $deleteMicros µs: $more', ({ more, deleteMicros }) => {
  const { perSecond, ...rest } = capacity(`insert: 1\nduration: 1h\nexpireAfterSeconds: 60\n${more}\n`);
  expect(rest.deleteMicros).toBeCloseTo(deleteMicros, 9);
  expect(perSecond).toBeCloseTo(1_000_000 / deleteMicros, 6);
});

test('deletions that cost nothing have no limit', () => {
  const { perSecond, verdict } = capacity(
    'insert: 1000\nduration: 1h\nexpireAfterSeconds: 60\ncosts: { deleteMicros: 0, indexKeyMicros: 0, scanKeyMicros: 0, commitMicros: 0 }\n',
  );
  expect([perSecond, verdict]).toEqual([undefined, 'keeps up']);
});

test.for([
  { what: 'a steady rate', more: 'insert: 9', mean: 9, peak: 9, verdict: 'keeps up' },
  { what: 'just as many', more: 'insert: 10', mean: 10, peak: 10, verdict: 'keeps up' },
  { what: 'more', more: 'insert: 20', mean: 20, peak: 20, verdict: 'never catches up' },
  // Up and down between 0 and 16: eight on average.
  {
    what: 'a peak',
    more: 'insert: [{ at: "00:00", rate: 0 }, { at: "12:00", rate: 16 }]',
    mean: 8,
    peak: 16,
    verdict: 'falls behind at peaks',
  },
  // In the first hour expires what was there, 36 a second; 23 hours at 2 a second follow.
  {
    what: 'a backlog',
    more: 'insert: 2\ndocumentsAtStart: 129600',
    mean: (36 + 23 * 2) / 24,
    peak: 36,
    verdict: 'falls behind at peaks',
  },
] as const)('against ten a second: $what', ({ more, mean, peak, verdict }) => {
  const result = capacity(`duration: 24h\nexpireAfterSeconds: 3600\n${TEN_A_SECOND}\n${more}\n`);
  expect(result.meanLoadPerSecond).toBeCloseTo(mean, 3);
  expect(result.peakLoadPerSecond).toBeCloseTo(peak, 0);
  expect(result.verdict).toBe(verdict);
});
