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
