import type { ConcernDefaults, Connections, SessionCatalog } from '@replsim/operations';
import type { Oplog } from '@replsim/oplog';
import type { ParameterStore } from '@replsim/pipeline';
import type { CommandError } from '@replsim/protocol';
import type { DiskFile } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { Journal } from '../data/journal.ts';
import type { OplogCap } from '../data/oplogCap.ts';
import type { Writes } from '../data/writes.ts';
import type { Replication } from '../replication/replication.ts';

/** What replica set commands need from the process that runs them. */
export interface ReplCommandHost {
  readonly core: Core;
  /** Missing on a standalone. */
  readonly repl: Replication | undefined;
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly defaults: ConcernDefaults;
  readonly parameters: ParameterStore;
  readonly sessions: SessionCatalog;
  readonly connections: Connections;
  /** What rollbacks removed, of earlier processes too. */
  readonly rollbackFiles: DiskFile[];
  readonly userWriteBlock: { readonly isBlocking: boolean };
  readonly shutdown: { readonly isQuiescing: boolean; readonly inQuiesceMode: boolean; quiesceError(): CommandError };
}
