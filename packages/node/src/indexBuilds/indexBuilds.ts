import type { Operation } from '@replsim/operations';
import { type CommitQuorum, indexCount } from '@replsim/pipeline';
import { CommandError, databaseOf, isReplicated, toHex } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { runBuild } from './builder.ts';
import { BUILD_DESC, logBuild } from './buildLog.ts';
import { BuildTrace } from './buildTrace.ts';
import { writeAbort, writeCommit, writeCommitAlone, writeStart } from './buildWrites.ts';
import { currentOpOf } from './currentOp.ts';
import { type BuildOutcome, type BuildProtocol, IndexBuild, sameUuid } from './indexBuild.ts';
import type { BuildingSet, IndexBuildsHost, MemberBuilds } from './memberBuilds.ts';
import { ReadinessEntries } from './readiness.ts';
import { checkQuorum } from './votes.ts';

/**
 * The index builds of one member. What is being built stands in the catalog; this holds the operations that build it, and
 * what waits for them. Upstream: index_builds_coordinator.cpp, index_builds_coordinator_mongod.cpp.
 */
export class IndexBuilds implements MemberBuilds {
  readonly host: IndexBuildsHost;
  readonly core: Core;
  readonly readiness: ReadinessEntries;
  readonly #trace: BuildTrace;
  readonly #builds = new Map<string, IndexBuild>();

  constructor(host: IndexBuildsHost) {
    this.host = host;
    this.core = host.core;
    this.readiness = new ReadinessEntries(host.core, host.writes);
    this.#trace = new BuildTrace(host.core);
  }

  get set(): BuildingSet | undefined {
    return this.host.buildingSet;
  }

  get isPrimary(): boolean {
    return this.host.acceptsWrites();
  }

  // --- what is under way ---

  get running(): Iterable<IndexBuild> {
    return this.#builds.values();
  }

  get count(): number {
    return this.#builds.size;
  }

  find(uuid: Uint8Array): IndexBuild | undefined {
    return this.#builds.get(toHex(uuid));
  }

  of(collection: CollectionView): IndexBuild[] {
    return [...this.#builds.values()].filter(({ collectionUuid }) => sameUuid(collectionUuid, collection.uuid));
  }

  /** A foreground build, before 4.4, keeps everybody else out of its database. */
  locks(db: string): boolean {
    if (this.core.traits.twoPhaseIndexBuilds) return false;
    for (const { locksDatabase, ns } of this.#builds.values())
      if (locksDatabase && ns.startsWith(`${db}.`)) return true;
    return false;
  }

  *awaitDatabase(db: string): Operation<void> {
    if (this.locks(db)) yield { type: 'wait', what: 'lock', ready: () => !this.locks(db) };
  }

  // --- the beginning ---

  /** On a member that accepts writes: enters the indexes in the catalog and begins. Throws NotWritablePrimary 10107. */
  start(collection: CollectionView, specs: readonly IndexSpec[], quorum: CommitQuorum | undefined): IndexBuild {
    const { twoPhaseIndexBuilds } = this.core.traits;
    const replicated = this.set !== undefined && isReplicated(collection.ns);
    const protocol = replicated && twoPhaseIndexBuilds ? 'twoPhase' : 'alone';
    const locksDatabase = !twoPhaseIndexBuilds && specs.some((spec) => !spec.background);
    const uuid = this.core.ids.uuid();
    const build = new IndexBuild(collection, uuid, specs, protocol, { locksDatabase });
    writeStart(this, build, quorum);
    this.begin(build);
    return build;
  }

  /** Starts, or restarts, the builds that the catalog lists. */
  begin(build: IndexBuild): void {
    this.#builds.set(toHex(build.uuid), build);
    const { core, host } = this;
    core.engine.beginBuild(build.ns, build.uuid);
    build.documentsToScan = build.collection.count;
    logBuild(this.core, build, 20384, 'Index build: starting', {
      properties: build.firstName,
      numSpecs: build.specs.length,
      method: 'Hybrid',
    });
    this.#trace.phase(build, 'started', { documents: build.documentsToScan });
    if (!core.traits.twoPhaseIndexBuilds) this.#showToMonitor(build);
    const labels = {
      desc: BUILD_DESC,
      ns: build.ns,
      commandName: 'createIndexes',
      killable: 'never',
      details: () => currentOpOf(build),
    } as const;
    build.operation = host.scheduler.run(labels, host.fsyncLock.stop(runBuild(this, build)), () => core.wake());
  }

  /** Before 4.4 the TTL monitor already uses an index while it is built in the background. */
  #showToMonitor(build: IndexBuild): void {
    if (!build.locksDatabase) for (const name of build.names) this.host.observer.indexChanged(build.ns, name);
  }

  // --- the scan ---

  /** Throws what drawing keys throws on a primary; others leave such documents to it. */
  scanNext(build: IndexBuild, limit: number): void {
    this.core.engine.scanForBuild(build.ns, build.uuid, limit, { lenient: !this.isPrimary });
  }

  scanned(build: IndexBuild): void {
    const { progress } = build;
    logBuild(this.core, build, 20391, 'Index build: collection scan done', {
      totalRecords: progress?.documentsScanned,
    });
    this.#trace.phase(build, 'scanned', { documents: progress?.documentsScanned ?? 0 });
    if (build.protocol === 'twoPhase') {
      logBuild(this.core, build, 3856203, 'Index build: waits to hear how it ends');
    }
    this.core.wake();
    // Oplog application may have got to the commit already.
    this.set?.resumeApplier();
  }

  // --- the end ---

  /** The quorum is there: checks what was let pass, and commits for everybody, or aborts. */
  commitAsPrimary(build: IndexBuild): void {
    const error = this.#makeReady(build, false);
    if (error) return this.abort(build, error);
    writeCommit(this, build);
    this.#committed(build);
    this.readiness.remove(build);
  }

  commitAlone(build: IndexBuild): void {
    const behind = build.protocol === 'behind';
    if (!behind && !this.host.acceptsWritesFor(databaseOf(build.ns))) {
      return this.abort(build, new CommandError('NotWritablePrimary', 'not primary'));
    }
    const error = this.#makeReady(build, behind);
    if (error) return this.abort(build, error);
    if (!behind) writeCommitAlone(this, build);
    this.#committed(build);
    this.set?.resumeApplier();
  }

  /** The primary has committed it. The scan must be over. */
  commitByOplog(build: IndexBuild): void {
    logBuild(this.core, build, 3856205, 'Index build: commits as the oplog says');
    this.#makeReady(build, true);
    this.#committed(build);
  }

  #makeReady(build: IndexBuild, lenient: boolean): CommandError | undefined {
    try {
      this.core.engine.finishBuild(build.ns, build.uuid, { lenient });
      return undefined;
    } catch (error) {
      if (error instanceof CommandError) return error;
      throw error;
    }
  }

  #committed(build: IndexBuild): void {
    const { collection, names, ns } = build;
    for (const index of names) logBuild(this.core, build, 20345, 'Index build: done building', { index });
    for (const name of names) this.host.observer.indexChanged(ns, name);
    this.#trace.ready(build);
    const { numIndexesBefore } = build;
    this.#decide(build, {
      type: 'committed',
      stats: { numIndexesBefore, numIndexesAfter: indexCount(collection) },
    });
    logBuild(this.core, build, 20663, 'Index build: completed successfully', {
      indexesBuilt: names,
      numIndexesBefore,
      numIndexesAfter: indexCount(collection),
    });
  }

  /** Ends a build for good, on a primary for everybody. Its client gets the error. */
  abort(build: IndexBuild, error: CommandError): void {
    if (build.outcome) return;
    this.core.engine.abandonBuild(build.ns, build.uuid);
    if (build.protocol === 'twoPhase' && this.isPrimary) {
      writeAbort(this, build, error);
      this.readiness.remove(build);
    }
    this.abandoned(build, error);
  }

  /** The catalog has lost it already. */
  abandoned(build: IndexBuild, error: CommandError): void {
    this.set?.resumeApplier();
    logBuild(this.core, build, 465611, 'Index build: nothing of it is left');
    this.#trace.phase(build, 'aborted', { cause: error.message });
    this.#decide(build, { type: 'aborted', error });
  }

  /** Stops building, and leaves the builds in the catalog to be restarted. */
  leave(build: IndexBuild): void {
    this.#trace.phase(build, 'left');
    this.set?.resumeApplier();
    this.#decide(build, { type: 'left' });
  }

  #decide(build: IndexBuild, outcome: BuildOutcome): void {
    build.outcome = outcome;
    this.#builds.delete(toHex(build.uuid));
    this.core.wake();
  }

  // --- what others do to it ---

  /** Upstream: abortCollectionIndexBuilds. @param reason as the client is told it */
  abortAll(collection: CollectionView, reason: string): void {
    const builds = this.of(collection);
    const [first] = builds;
    if (!first) return;
    logBuild(this.core, first, 23879, 'All index builds are aborted', { reason });
    for (const build of builds) this.abort(build, new CommandError('IndexBuildAborted', reason));
  }

  /** Stops all that is under way: at a rollback, and where an initial sync drops everything. */
  stopAll(): void {
    for (const build of [...this.#builds.values()]) this.leave(build);
  }

  /** Restarts the builds that were in progress according to the catalog: at startup, and after a rollback. A standalone leaves it alone. */
  restartAll(): void {
    if (!this.set) return;
    for (const collection of this.core.engine.collections()) {
      for (const { uuid, indexes } of collection.unfinished) {
        if (this.find(uuid)) continue;
        const protocol: BuildProtocol = this.core.traits.twoPhaseIndexBuilds ? 'twoPhase' : 'behind';
        const specs = indexes.map(({ spec }) => spec);
        const build = new IndexBuild(collection, uuid, specs, protocol);
        logBuild(this.core, build, 20660, 'Index build: restarting');
        this.begin(build);
      }
    }
  }

  // --- the set ---

  /**
   * This member accepts writes now, or who has to be ready is another matter with a new config: whatever has been voted for
   * may be committed. Upstream: IndexBuildsCoordinator::onStepUp, which looks at no reconfig.
   */
  checkQuorums(): void {
    if (!this.isPrimary) return;
    for (const build of [...this.#builds.values()]) if (build.protocol === 'twoPhase') checkQuorum(this, build);
  }

  /** A build that no other member knows ends with its client, which the step-down interrupts. */
  onSteppedDown(): void {
    for (const build of this.#builds.values()) build.quorumSatisfied = false;
  }
}
