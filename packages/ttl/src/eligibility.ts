import { isReadable, type MemberState, type VersionTraits } from '@replsim/protocol';

/** What the monitor asks of its member; the member keeps it up to date by `memberChanged`. */
export interface TtlMember {
  readonly memberState: MemberState | 'STANDALONE';
  /** Writes to replicated namespaces: true on a standalone, false on a primary that still drains. */
  readonly acceptsWrites: boolean;
  readonly fsyncLocked: boolean;
}

/** How the process came up; looked at once. */
export interface ProcessFacts {
  readonly mode: 'replSet' | 'standalone';
  /** `local.system.replset` holds a document. */
  readonly hasReplSetConfig: boolean;
  /** Started read-only, as `queryableBackupMode` does. */
  readonly readOnly?: boolean;
}

/**
 * The first gate: whether the process starts a monitor at all. A standalone on a replica set's data does not: no oplog would record
 * what it deletes, so that back in the set it would silently lack documents that the others have. Removing the
 * config document helps from the next start on. Upstream: startup_recovery.cpp, setReplSetMemberInStandaloneMode; mongod_main.cpp.
 */
export function shouldStartMonitor({ mode, hasReplSetConfig, readOnly = false }: ProcessFacts): boolean {
  return !readOnly && (mode === 'replSet' || !hasReplSetConfig);
}

/**
 * The second gate, at each wake-up: `skip` counts nothing, `count` ends a pass without a sub-pass, `run` goes on.
 * Line B lets only a primary or standalone begin; line A only counts where nobody can read; the monitor before 6.1 does not even count there.
 * Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLPass.
 */
export function passGate(memberState: TtlMember['memberState'], traits: VersionTraits): 'skip' | 'count' | 'run' {
  if (memberState === 'STANDALONE' || memberState === 'PRIMARY') return 'run';
  if (!traits.ttlCountsPassesOnSecondaries) return 'skip';
  if (isReadable(memberState)) return 'run';
  return traits.ttlBatched ? 'count' : 'skip';
}

/** Whether a sub-pass begins; otherwise the pass is over. Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLSubPass. */
export function maySubPass(memberState: TtlMember['memberState']): boolean {
  return memberState === 'STANDALONE' || isReadable(memberState);
}

/**
 * The innermost gate, index by index: deleting needs a member that accepts writes to that namespace. `local` takes writes
 * on every member, so line A serves TTL indexes there on secondaries, and nothing of it is replicated.
 * Upstream: ReplicationCoordinatorImpl::canAcceptWritesFor.
 */
export function mayDelete({ acceptsWrites }: TtlMember, index: { readonly local: boolean }): boolean {
  return acceptsWrites || index.local;
}
