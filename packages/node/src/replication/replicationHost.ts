import type {
  ConcernDefaults,
  CursorStore,
  FsyncLock,
  Operation,
  Scheduler,
  SessionCatalog,
} from '@replsim/operations';
import type { ParameterStore } from '@replsim/pipeline';
import type { OpTime } from '@replsim/protocol';
import type { DiskFile } from '@replsim/storage';
import type { ApplyHost } from '../data/applyHost.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { Journal } from '../data/journal.ts';
import type { LocalDocuments } from '../data/local.ts';
import type { OplogCap } from '../data/oplogCap.ts';
import type { Writes } from '../data/writes.ts';
import type { AppliedBuilds } from '../indexBuilds/appliedBuilds.ts';
import type { IndexBuilds } from '../indexBuilds/indexBuilds.ts';
import type { TtlMonitorThread } from '../ttl/ttlMonitorThread.ts';
import type { ConsistencyMarkers } from './consistencyMarkers.ts';

/** What replication asks of the process that it is a part of. */
export interface ReplicationHost extends ApplyHost {
  readonly journal: Journal;
  readonly local: LocalDocuments;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly ttl: TtlMonitorThread;
  readonly indexBuilds: IndexBuilds;
  readonly builds: AppliedBuilds;
  readonly cursors: CursorStore;
  readonly parameters: ParameterStore;
  readonly defaults: ConcernDefaults;
  readonly sessions: SessionCatalog;
  readonly oplogCap: OplogCap;
  readonly consistencyMarkers: ConsistencyMarkers;
  /** What rollbacks removed, of earlier processes too. */
  readonly rollbackFiles: DiskFile[];
  /** Whether the process votes no more, and whether it stands no more. */
  readonly shutdown: { readonly isTerminal: boolean; readonly isLeaving: boolean };
  /** Ends the connections of all clients, as a rollback does. */
  closeClientConnections(): void;
  /** Waits until a majority has an entry; throws what ends the wait. */
  awaitMajority(opTime: OpTime): Operation<void>;
}
