import type { FsyncLock, Operation, Scheduler } from '@replsim/operations';
import type { ParameterStore } from '@replsim/pipeline';
import type { CommandError, OpTime, ReplSetConfig } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { WriteObserver } from '../data/writeObserver.ts';
import type { Writes } from '../data/writes.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { ReadinessEntries } from './readiness.ts';

/** What index builds ask of their member. */
export interface IndexBuildsHost {
  readonly core: Core;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly writes: Writes;
  readonly parameters: ParameterStore;
  readonly observer: WriteObserver;
  /** False on a member that builds no index but `_id_`. */
  readonly buildsIndexes: boolean;
  /** Missing on a standalone. */
  readonly buildingSet: BuildingSet | undefined;
  acceptsWrites(): boolean;
  acceptsWritesFor(db: string): boolean;
}

/** The set as its index builds see it. */
export interface BuildingSet {
  readonly config: ReplSetConfig | undefined;
  readonly primaryHost: string | undefined;
  /** The newest entry of this member's oplog. */
  readonly lastWritten: OpTime;
  /** What a majority is known to have. */
  readonly commitPoint: OpTime;
  /** Waits until a majority has it; throws what ends the wait. */
  awaitMajority(opTime: OpTime): Operation<void>;
  /** Oplog application may be held up by a build that has just moved. */
  resumeApplier(): void;
}

/** The builds of one member, as those see it who carry one out. */
export interface MemberBuilds {
  readonly core: Core;
  readonly host: IndexBuildsHost;
  readonly set: BuildingSet | undefined;
  readonly readiness: ReadinessEntries;
  readonly isPrimary: boolean;
  find(uuid: Uint8Array): IndexBuild | undefined;
  scanNext(build: IndexBuild, limit: number): void;
  scanned(build: IndexBuild): void;
  commitAsPrimary(build: IndexBuild): void;
  commitAlone(build: IndexBuild): void;
  abort(build: IndexBuild, error: CommandError): void;
  leave(build: IndexBuild): void;
}
