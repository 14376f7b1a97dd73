import type { BuildStats } from '@replsim/database';
import type { RunningOperation } from '@replsim/operations';
import { indexCount } from '@replsim/pipeline';
import { type CommandError, formatUuid, required, uuidAttr } from '@replsim/protocol';
import type { CollectionView, IndexSpec, UnfinishedIndexesView } from '@replsim/storage';

/**
 * How a build is led to its end. `twoPhase`: all members build at once, and the primary commits for all. `alone`: nobody
 * hears of it before it is done, on a standalone and in `local`, and on a primary before 4.4. `behind`: a secondary before
 * 4.4 builds what its primary has built. Upstream: IndexBuildProtocol.
 */
export type BuildProtocol = 'twoPhase' | 'alone' | 'behind';

/** How a build ended on this member; `left`: it did not, and starts over on a member that finds it in the catalog. */
export type BuildOutcome =
  | { readonly type: 'committed'; readonly stats: BuildStats }
  | { readonly type: 'aborted'; readonly error: CommandError }
  | { readonly type: 'left' };

/** One index build on this member, from the catalog entry to its outcome. Upstream: repl_index_build_state.h. */
export class IndexBuild {
  readonly collection: CollectionView;
  readonly uuid: Uint8Array;
  readonly specs: readonly IndexSpec[];
  readonly protocol: BuildProtocol;
  /** Everybody who wants to use the database waits meanwhile: a foreground build, before 4.4. */
  readonly locksDatabase: boolean;
  readonly numIndexesBefore: number;
  /** Documents when the scan began. */
  documentsToScan = 0;
  /** The operation that builds. */
  operation: RunningOperation | undefined;
  /** On a primary: enough members have voted. */
  quorumSatisfied = false;
  /** A majority knows that this member is ready. */
  hasVoted = false;
  /** This member cannot finish it, and waits for the primary to end it. */
  failed = false;
  outcome: BuildOutcome | undefined;

  constructor(
    collection: CollectionView,
    uuid: Uint8Array,
    specs: readonly IndexSpec[],
    protocol: BuildProtocol,
    options: { readonly locksDatabase: boolean } = { locksDatabase: false },
  ) {
    this.collection = collection;
    this.uuid = uuid;
    this.specs = specs;
    this.protocol = protocol;
    this.locksDatabase = options.locksDatabase;
    this.numIndexesBefore = indexCount(collection);
  }

  /** As logs and messages show it. */
  get id(): string {
    return formatUuid(this.uuid);
  }

  get ns(): string {
    return this.collection.ns;
  }

  get collectionUuid(): Uint8Array {
    return this.collection.uuid;
  }

  /** Of the index that its log lines name: every build has one. */
  get firstName(): string {
    return required(this.specs[0], 'spec in the build').name;
  }

  get names(): string[] {
    return this.specs.map(({ name }) => name);
  }

  /** What storage has of it; undefined once it is over, or the collection gone. */
  get progress(): UnfinishedIndexesView | undefined {
    return this.collection.unfinished.find(({ uuid }) => sameUuid(uuid, this.uuid));
  }

  get isScanned(): boolean {
    return this.progress?.isScanned ?? true;
  }

  /** What most log lines of a build begin with. */
  get logAttrs(): Readonly<Record<string, unknown>> {
    return { buildUUID: uuidAttr(this.uuid), collectionUUID: uuidAttr(this.collectionUuid), namespace: this.ns };
  }
}

export function sameUuid(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || (a.length === b.length && a.every((byte, i) => byte === b[i]));
}
