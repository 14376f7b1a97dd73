import type { ConcernDefaults, FsyncLock, Scheduler } from '@replsim/operations';
import type { OpTimeAndWall } from '@replsim/oplog';
import type { ParameterStore, ValidationRules } from '@replsim/pipeline';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { Journal } from '../data/journal.ts';
import type { LocalDocuments } from '../data/local.ts';
import type { LocalOplog } from '../data/localOplog.ts';
import type { Writes } from '../data/writes.ts';
import type { Heartbeats } from '../topology/heartbeats.ts';
import type { Liveness } from '../topology/liveness.ts';
import type { FollowerMode } from '../topology/memberState.ts';
import type { CommitmentHost, ConfigCommitment } from './configCommitment.ts';
import type { ConfigEvent } from './configMachine.ts';

/** The configuration as those see it who change it. */
export interface ConfigChange {
  /** One of the machine's states, such as `steady` or `reconfiguring`. */
  readonly state: string;
  /** No change is under way: the only time for elections and for the next change. */
  readonly isSteady: boolean;
  readonly commitment: ConfigCommitment;
  readonly validationRules: ValidationRules;
  send(event: ConfigEvent): void;
}

/** What the configuration asks of those above it, and whom it tells that another one is in force. */
export interface ConfigHost extends CommitmentHost {
  readonly core: Core;
  readonly configuration: ConfigChange;
  readonly heartbeats: Heartbeats;
  readonly liveness: Liveness;
  readonly localOplog: LocalOplog;
  readonly local: LocalDocuments;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly parameters: ParameterStore;
  readonly defaults: ConcernDefaults;
  readonly metrics: { readonly reconfig: { numAutoReconfigsForRemovalOfNewlyAddedFields: number } };
  readonly progress: CommitmentHost['progress'] & {
    positionsChanged(): void;
    initiated(entry: OpTimeAndWall): void;
  };
  readonly initialSyncer: { start(): void };
  readonly elections: {
    readonly isLeader: boolean;
    readonly isCandidate: boolean;
    readonly isDraining: boolean;
    readonly acceptsWrites: boolean;
    configChanged(): void;
  };
  follow(mode: FollowerMode): void;
  tryBecomeSecondary(): void;
}
