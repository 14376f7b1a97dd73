/** How a new primary's catch-up ended; each has its counter. Upstream: PrimaryCatchUpConclusionReason. */
export type CatchUpConclusion =
  | 'Succeeded'
  | 'AlreadyCaughtUp'
  | 'Skipped'
  | 'TimedOut'
  | 'FailedWithError'
  | 'FailedWithNewTerm'
  | 'FailedWithReplSetAbortPrimaryCatchUpCmd';
