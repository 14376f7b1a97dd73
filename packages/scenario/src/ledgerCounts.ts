/** How long a client had to do without, which grows with time alone. Unit: ms. */
const LEDGER_TIMES = ['unservedMs', 'longestUnservedMs', 'withoutPrimaryMs', 'longestWithoutPrimaryMs'] as const;
export type LedgerTime = (typeof LEDGER_TIMES)[number];

/** What can be counted in a ledger; `expect: { workload: … }` asks by these names. */
export const LEDGER_COUNTS = [
  'sent',
  'acknowledged',
  'lost',
  'errors',
  'unknown',
  'reads',
  'dirtyReads',
  'staleReads',
  'aborted',
  'sums',
  'tornSums',
  ...LEDGER_TIMES,
] as const;
export type LedgerCount = (typeof LEDGER_COUNTS)[number];

/** How long operations took until their application was told: percentiles, and the longest. Unit: ms. */
export const LATENCY_NAMES = ['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const;
export type LatencyName = (typeof LATENCY_NAMES)[number];

/** Of which operations of a run a latency can be asked. */
export const PHASES = [
  'beforeFaults',
  'duringFaults',
  'afterFaults',
  'beforeTtlPasses',
  'ttlPass',
  'afterTtlPasses',
  'betweenTtlPasses',
] as const;
export type Phase = (typeof PHASES)[number];
