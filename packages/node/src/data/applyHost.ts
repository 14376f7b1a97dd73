import type { ServerCounters } from '@replsim/operations';
import type { MemberState, OplogEntry, OplogOperation, OpTime } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { RelaxedConstraints } from './relaxedConstraints.ts';
import type { WriteObserver } from './writeObserver.ts';

/**
 * How strict application is. In `steady` state an update of a missing document makes one; in `recovery` and
 * `initialSync` it is left out, since a later entry settles it. Upstream: OplogApplication::Mode.
 */
export type ApplyMode = 'steady' | 'recovery' | 'initialSync';

/** What entries are applied to: a member, or a copy of its data. */
export type ApplyTarget = Pick<Core, 'engine' | 'traits' | 'tracing' | 'trace'>;

/** What the application of entries asks of its member. */
export interface ApplyHost {
  readonly counters: ServerCounters;
  readonly relaxed: RelaxedConstraints;
  readonly observer: WriteObserver;
  /** False on a member that builds no index but `_id_`. */
  readonly buildsIndexes: boolean;
  readonly builds: OplogBuilds;
  /** An entry of this member's oplog. */
  findEntry(opTime: OpTime): OplogEntry | undefined;
  memberState(): MemberState | 'STANDALONE';
  acceptsWrites(): boolean;
}

/** Index builds as the oplog tells of them. */
export interface OplogBuilds {
  /** Carries out a `startIndexBuild`, `commitIndexBuild` or `abortIndexBuild`. */
  apply(operation: OplogOperation, collection: CollectionView | undefined, mode: ApplyMode): void;
  /** Whether a build of this member sees to an index that a `createIndexes` entry names. */
  seesTo(collection: CollectionView, indexName: string): boolean;
  /** An entry has made an index at once, as its collection was empty where the entry was written. */
  madeAtOnce(collection: CollectionView, spec: IndexSpec): void;
  /** An entry drops the collection: what is being built on it is left alone. */
  leave(collection: CollectionView): void;
}
