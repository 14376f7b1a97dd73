import { compareTimestamps, type OpTime, type Term, type Timestamp } from '@replsim/protocol';

/**
 * The next `count` optimes of a writer, as one reservation.
 * Upstream: vector_clock_mutable.cpp, tickClusterTime; local_oplog_info.cpp, getNextOpTimes.
 * @param clusterTime the greatest timestamp that this member has seen
 * @param wallMs the writer's wall clock; behind the cluster time it does not move `ts` back
 * @returns the first reserved timestamp, and the cluster time afterwards
 */
export function reserveTimestamps(
  clusterTime: Timestamp,
  wallMs: number,
  count: number,
): { readonly first: Timestamp; readonly clusterTime: Timestamp } {
  const wallSecs = Math.floor(wallMs / 1000);
  const first = wallSecs > clusterTime.t ? { t: wallSecs, i: 1 } : { t: clusterTime.t, i: clusterTime.i + 1 };
  return { first, clusterTime: count === 1 ? first : { t: first.t, i: first.i + count - 1 } };
}

/** The n-th optime of a reservation. */
export function reservedOpTime(first: Timestamp, offset: number, term: Term): OpTime {
  return { ts: offset === 0 ? first : { t: first.t, i: first.i + offset }, t: term };
}

/** The later of two cluster times. */
export function maxTimestamp(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) >= 0 ? a : b;
}
