/** How often a member looks for transactions that have lasted too long. Upstream: periodic_runner_job_abort_expired_transactions.cpp. */
const SHORTEST_PERIOD_MICROS = 1_000_000;
const LONGEST_PERIOD_MICROS = 60_000_000;

/** @param lifetimeSecs the parameter `transactionLifetimeLimitSeconds`. Unit: µs */
export function expiryPeriodMicros(lifetimeSecs: number): number {
  return Math.min(Math.max(lifetimeSecs * 500_000, SHORTEST_PERIOD_MICROS), LONGEST_PERIOD_MICROS);
}

/** When the job runs next: it has run each period since the process started. Both of the monotonic clock, µs. */
export function nextExpiryRun(startedMicros: number, nowMicros: number, periodMicros: number): number {
  return startedMicros + (Math.floor((nowMicros - startedMicros) / periodMicros) + 1) * periodMicros;
}
