import type { VersionTraits } from '@replsim/protocol';

/**
 * Whether this release has the old monitor, which 3.2 stands for. Beside deleting document by document it
 * - sleeps a plain number of seconds: a new `ttlMonitorSleepSecs` waits for the next sleep, and there is no millisecond more;
 * - asks whether the member is readable before it counts the pass, and has no sub-passes to count;
 * - takes any number for `expireAfterSeconds`: NaN means 0, and a negative one expires ahead of time;
 * - leaves compound indexes to the monitor, which complains at every pass;
 * - goes on to the next index after any error, even an interruption;
 * - cannot turn a plain index into a TTL index by collMod.
 * Upstream: ttl.cpp of that time, TTLMonitor::run and doTTLPass.
 */
export function isLegacyMonitor(traits: VersionTraits): boolean {
  return !traits.ttlBatched;
}
