import type { LogLine } from '@replsim/protocol';

/**
 * The monitor's log lines with upstream's ids and severities; the words are ours. 22535 is for an index that stands in one
 * catalog and not in the other, the durable one and that in memory; a member has one here, and forgets what is not in it.
 * 22531, of 7.0, is for a write conflict that comes out of a delete; here every delete tries its own again.
 * Upstream: ttl_monitor.cpp.
 */
const LINES = {
  22528: ['D3', 'TTL monitor woke up'],
  22529: ['D1', 'TTL monitor is disabled'],
  22530: ['D3', 'TTL monitor found the member fsync-locked'],
  22533: ['D1', 'TTL monitor visits an index'],
  22534: ['I', 'TTL monitor hangs at a fail point, holding its lock'],
  22536: ['D1', 'TTL deletion done'],
  22537: ['W', 'TTL pass interrupted'],
  22538: ['E', 'TTL index could not be worked'],
  22540: ['E', 'TTL index on more than one field, passed over'],
  22541: ['E', 'TTL index of a special type, passed over'],
  22542: ['E', 'TTL index whose expireAfterSeconds is not numeric, passed over'],
  5400702: ['I', 'TTL deletion in a clustered collection done'],
  5400703: ['E', 'TTL deletion failed'],
  5400704: ['D1', 'TTL monitor visits a clustered collection'],
  5479200: ['I', 'TTL deletion through an index done'],
  6909100: ['E', 'TTL index with an invalid spec, passed over'],
  9736801: ['D1', 'TTL monitor visits a time-series collection with an extended range'],
  7005501: ['I', 'TTL monitor sleeps until another time'],
  3684100: ['I', 'TTL monitor shuts down'],
  3684101: ['I', 'TTL monitor has shut down'],
} as const satisfies Record<number, readonly [LogLine['severity'], string]>;

export type TtlLogId = keyof typeof LINES;

/**
 * One log line of the monitor; the member writes 22533, 22534, 5400704 and 9736801 itself when a visit reaches the collection.
 * @param attr names as in mongod's log, units of durations included
 */
export function ttlLog(id: TtlLogId, attr: LogLine['attr'] = {}): LogLine {
  const [severity, msg] = LINES[id];
  return { severity, component: 'INDEX', id, ctx: OF_SHUTDOWN.has(id) ? 'SignalHandler' : 'TTLMonitor', msg, attr };
}

/** What the thread says that waits for the monitor's to end. */
const OF_SHUTDOWN: ReadonlySet<TtlLogId> = new Set([3684100, 3684101]);
