/**
 * How long a single write waits before it is tried again that met another's: the first times not at all.
 * @param attempt how many have failed, from 1 on. Unit: µs. Upstream: write_conflict_exception.cpp, logAndBackoff.
 */
export function backoffMicros(attempt: number): number {
  if (attempt < 4) return 0;
  if (attempt < 10) return 1_000;
  if (attempt < 100) return 5_000;
  return attempt < 200 ? 10_000 : 100_000;
}
