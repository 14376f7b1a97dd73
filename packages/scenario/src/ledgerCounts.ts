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
] as const;
export type LedgerCount = (typeof LEDGER_COUNTS)[number];
