import type { FsyncLock, Operation, Profiler, Scheduler, ServerCounters } from '@replsim/operations';
import type { ParameterStore, Reply } from '@replsim/pipeline';
import type { MemberState } from '@replsim/protocol';
import type { Writes } from '../data/writes.ts';

/** What the TTL monitor asks of its member. */
export interface TtlHost {
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly writes: Writes;
  readonly counters: ServerCounters;
  readonly parameters: ParameterStore;
  readonly profiler: Profiler;
  /** Why this process writes nothing to its data, if it does not. */
  readonly readOnly: 'queryableBackup' | 'recoveredFromOplog' | undefined;
  memberState(): MemberState | 'STANDALONE';
  acceptsWrites(): boolean;
  acceptsWritesFor(db: string): boolean;
  /** Waits while a foreground build, before 4.4, keeps everybody else out of a database. */
  awaitBuildsOf(db: string): Operation<void>;
}

/** What a visit asks of the monitor that makes it. */
export interface VisitingMonitor {
  /** This is a standalone on a replica set's data. */
  readonly standaloneOnReplSetData: boolean;
  /** What `currentOp` shows of the visit under way: `op`, `ns`, `planSummary`. */
  shown: Reply;
  /** `metrics.ttl`, as int64s. */
  metricsReply(): Record<string, bigint>;
}
