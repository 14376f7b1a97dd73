import type { FsyncLock, Scheduler } from '@replsim/operations';
import type { ParameterStore } from '@replsim/pipeline';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { Journal } from '../data/journal.ts';
import type { Replication } from '../replication/replication.ts';
import type { TtlMonitorThread } from '../ttl/ttlMonitorThread.ts';

/** What the end of a process asks of its parts. */
export interface ShutdownHost {
  readonly core: Core;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly ttl: TtlMonitorThread;
  readonly parameters: ParameterStore;
  /** Missing on a standalone. */
  readonly repl: Replication | undefined;
}
