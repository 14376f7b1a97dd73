import type { ConcernDefaults, FsyncLock, Scheduler, ServerCounters } from '@replsim/operations';
import type { Core } from '../../core/core.ts';
import type { Journal } from '../../data/journal.ts';
import type { Replication } from '../replication.ts';

/** What read and write concerns are judged by. */
export interface ConcernsHost {
  readonly core: Core;
  readonly counters: ServerCounters;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly fsyncLock: FsyncLock;
  readonly defaults: ConcernDefaults;
  /** Missing on a standalone. */
  readonly repl: Replication | undefined;
}
