import type { ConcernDefaults, FsyncLock, Operation, Scheduler } from '@replsim/operations';
import { type Oplog, Positions, ReplicationMetrics } from '@replsim/oplog';
import type { ParameterStore } from '@replsim/pipeline';
import {
  compareOpTimes,
  type DataHash,
  isLocal,
  isNullOpTime,
  type MemberState,
  type OpTime,
  type ReplSetConfig,
  type Term,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import type { ConfigHost } from '../config/configHost.ts';
import { Configuration } from '../config/configuration.ts';
import type { Core } from '../core/core.ts';
import { Threads } from '../core/threads.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { Journal } from '../data/journal.ts';
import type { LocalDocuments } from '../data/local.ts';
import { LocalOplog, type LocalOplogHost } from '../data/localOplog.ts';
import type { OplogCap } from '../data/oplogCap.ts';
import { createSetCollections } from '../data/systemCollections.ts';
import type { Writes } from '../data/writes.ts';
import { Drain } from '../election/drain.ts';
import type { ElectionHost } from '../election/electionHost.ts';
import { Elections } from '../election/elections.ts';
import { VoteRequests } from '../election/voteRequests.ts';
import type { BuildingSet } from '../indexBuilds/memberBuilds.ts';
import { HeartbeatRequests } from '../topology/heartbeatRequests.ts';
import { Heartbeats } from '../topology/heartbeats.ts';
import { Liveness } from '../topology/liveness.ts';
import type { FollowerMode } from '../topology/memberState.ts';
import { Topology } from '../topology/topology.ts';
import type { TopologyHost } from '../topology/topologyHost.ts';
import { fixInvalidIndexes } from '../ttl/invalidIndexFixer.ts';
import { CloneServer } from './cloneServer.ts';
import { SnapshotHistory } from './concerns/snapshotHistory.ts';
import { EntryWaiters } from './entryWaiters.ts';
import { InitialSyncer } from './initialSync/initialSyncer.ts';
import { NoopWriter } from './noopWriter.ts';
import { OperationKiller } from './operationKiller.ts';
import { OplogServer } from './oplogServer.ts';
import { Progress } from './progress.ts';
import type { ReplicationHost } from './replicationHost.ts';
import { Replicator } from './replicator.ts';
import { Divergence } from './rollback/divergence.ts';
import { Staleness } from './staleness.ts';
import { SyncSources } from './syncSources.ts';

/** A primary steps down without it; in the others nothing is fetched yet. */
const NO_PRODUCER: ReadonlySet<MemberState> = new Set(['PRIMARY', 'STARTUP', 'STARTUP2', 'REMOVED']);

/**
 * One member's part in the set: what holds topology, elections, oplog and progress together.
 * Upstream: replication_coordinator_impl.cpp.
 */
export class Replication implements BuildingSet, LocalOplogHost, TopologyHost, ConfigHost, ElectionHost {
  readonly core: Core;
  readonly host: ReplicationHost;
  readonly journal: Journal;
  readonly local: LocalDocuments;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly parameters: ParameterStore;
  readonly defaults: ConcernDefaults;
  readonly oplogCap: OplogCap;
  readonly shutdown: ReplicationHost['shutdown'];
  readonly oplog: Oplog;
  readonly positions: Positions;
  readonly topology: Topology;
  readonly heartbeats: Heartbeats;
  readonly heartbeatRequests: HeartbeatRequests;
  readonly liveness: Liveness;
  readonly configuration: Configuration;
  readonly elections: Elections;
  readonly progress: Progress;
  readonly syncSources: SyncSources;
  readonly staleness: Staleness;
  readonly replicator: Replicator;
  readonly initialSyncer: InitialSyncer;
  readonly server: OplogServer;
  readonly cloneServer: CloneServer;
  readonly localOplog: LocalOplog;
  readonly noopWriter: NoopWriter;
  readonly divergence: Divergence;
  readonly votes: VoteRequests;
  readonly drain: Drain;
  readonly killer: OperationKiller;
  readonly history: SnapshotHistory;
  readonly entryWaiters: EntryWaiters;
  readonly metrics = new ReplicationMetrics();
  rbid = 1;

  constructor(core: Core, host: ReplicationHost, oplog: Oplog) {
    this.core = core;
    this.host = host;
    this.journal = host.journal;
    this.local = host.local;
    this.scheduler = host.scheduler;
    this.fsyncLock = host.fsyncLock;
    this.checkpoints = host.checkpoints;
    this.writes = host.writes;
    this.parameters = host.parameters;
    this.defaults = host.defaults;
    this.oplogCap = host.oplogCap;
    this.shutdown = host.shutdown;
    this.oplog = oplog;
    this.positions = new Positions(core.traits.showsWrittenOpTime);
    this.topology = new Topology(core, this);
    this.heartbeats = new Heartbeats(core, this.topology, this);
    this.heartbeatRequests = new HeartbeatRequests(core, this.topology, this.heartbeats, this);
    this.liveness = new Liveness(core, this.topology, this.heartbeats, this);
    this.configuration = new Configuration(core, this);
    this.elections = new Elections(core, this);
    this.progress = new Progress(core, this);
    this.syncSources = new SyncSources(core, this);
    this.staleness = new Staleness(core, this);
    this.replicator = new Replicator(core, this);
    this.initialSyncer = new InitialSyncer(this);
    this.server = new OplogServer(core, this);
    this.cloneServer = new CloneServer(core, this);
    this.localOplog = new LocalOplog(core, this);
    this.noopWriter = new NoopWriter(core, this);
    this.divergence = new Divergence(core, this);
    this.votes = new VoteRequests(core, this);
    this.drain = new Drain(this);
    this.killer = new OperationKiller(this);
    this.history = new SnapshotHistory(this);
    this.entryWaiters = new EntryWaiters(this);
  }

  // --- what those below ask ---

  get config(): ReplSetConfig | undefined {
    return this.topology.config;
  }

  get primaryHost(): string | undefined {
    return this.topology.primaryHost;
  }

  get acceptsWrites(): boolean {
    return this.elections.acceptsWrites;
  }

  get lastWritten(): OpTime {
    return this.positions.written.opTime;
  }

  get commitPoint(): OpTime {
    return this.positions.commitPoint.opTime;
  }

  get entryTerm(): Term {
    return this.topology.config ? this.topology.term : UNINITIALIZED_TERM;
  }

  awaitMajority(opTime: OpTime): Operation<void> {
    return this.host.awaitMajority(opTime);
  }

  resumeApplier(): void {
    this.replicator.applier.resume();
  }

  wroteLocally(): void {
    this.progress.wroteLocally();
  }

  get syncSource(): string | undefined {
    return this.initialSyncer.syncSource ?? this.replicator.syncSource;
  }

  /** Called once, after the disk was read. */
  start(config: ReplSetConfig | undefined, initialSyncUnfinished: boolean): void {
    this.configuration.start(config, initialSyncUnfinished);
  }

  /** A member that is not primary is in one of these modes. Upstream: setFollowerMode. */
  follow(mode: FollowerMode): void {
    const { memberMode } = this.topology;
    if (mode === 'STARTUP2') memberMode.send('initialSyncStarted');
    else if (mode === 'RECOVERING') memberMode.send('dataFound');
    else if (mode === 'ROLLBACK') memberMode.send('rollbackStarted');
    else memberMode.send(memberMode.followerMode === 'ROLLBACK' ? 'rollbackEnded' : 'consistent');
  }

  /**
   * RECOVERING ends when nothing stands against it: tried when the member begins, after each batch, and when maintenance
   * ends. Upstream: ReplicationCoordinatorExternalStateImpl / oplog_applier's tryToGoLiveAsASecondary.
   */
  tryBecomeSecondary(): void {
    const { memberMode, maintenanceCount } = this.topology;
    if (memberMode.followerMode !== 'RECOVERING') return;
    this.metrics.apply.attemptsToBecomeSecondary += 1;
    const { applied, minValid } = this.positions;
    if (maintenanceCount > 0 || compareOpTimes(applied.opTime, minValid) < 0) return;
    this.core.as(Threads.applier, () => memberMode.send('consistent'));
  }

  onStateChanged(from: MemberState, to: MemberState): void {
    if (!NO_PRODUCER.has(from) && (to === 'SECONDARY' || to === 'RECOVERING')) this.#logSourceReset();
    this.host.ttl.memberChanged();
    this.elections.stateChanged();
    if (to === 'SECONDARY' || to === 'RECOVERING') this.replicator.start();
    else if (to === 'REMOVED' || to === 'STARTUP2' || to === 'ARBITER') this.replicator.stop();
    if (to === 'ROLLBACK' || to === 'REMOVED') {
      // Connected clients must ask again, and then learn what this member is.
      this.host.closeClientConnections();
      this.killer.killAll();
    }
    if (to === 'SECONDARY' && this.topology.configInForce.members.length === 1) {
      this.elections.stand('electionTimeout');
    }
    this.core.wake();
  }

  /** A member that changes its state, or leads, looks for a new source. Upstream: BackgroundSync::clearSyncTarget. */
  #logSourceReset(): void {
    const previousSyncSource = this.syncSource ?? ':27017';
    this.core.log('I', 'REPL', 21106, 'Resetting sync source to empty', { previousSyncSource });
  }

  // --- becoming and ceasing to be primary ---

  onElected(): void {
    this.#logSourceReset();
    this.divergence.forget();
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.progress.myTermFollows = undefined;
    this.core.wake();
  }

  onBufferEmpty(): void {
    this.drain.onBufferEmpty();
    this.tryBecomeSecondary();
    this.divergence.onBufferEmpty();
  }

  onBecameWritable(): void {
    this.host.sessions.invalidate();
    createSetCollections(this);
    this.host.indexBuilds.checkQuorums();
    this.progress.recompute();
    this.noopWriter.start();
    fixInvalidIndexes(this.core, this.host);
    // Waiting for this member's own term to be committed means waiting for the disk.
    this.host.journal.requestFlush();
  }

  onWritability(): void {
    this.host.ttl.memberChanged();
  }

  onConfigChanged(): void {
    this.host.indexBuilds.checkQuorums();
  }

  onSteppedDown(): void {
    this.drain.abandon();
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.progress.myTermFollows = undefined;
    this.noopWriter.stop();
    this.host.indexBuilds.onSteppedDown();
    this.core.wake();
  }

  // --- the oplog ---

  /** The journal flushed what was appended when the flush began. */
  onJournalFlushed(writtenAtStart: { readonly opTime: OpTime; readonly wallMs: number }): void {
    const { positions, topology } = this;
    // An arbiter holds nothing, so nothing of it is durable, though it knows how far the others are.
    if (topology.self?.arbiterOnly) return;
    if (compareOpTimes(writtenAtStart.opTime, positions.durable.opTime) <= 0) return;
    positions.durable = writtenAtStart;
    if (this.core.tracing) this.core.trace({ type: 'journalFlushed', opTime: writtenAtStart.opTime });
    this.progress.positionsChanged();
    this.progress.report();
  }

  /** Versions of the data before the stable optime are needed by snapshot reads alone. */
  onStableMoved(): void {
    this.history.onStableMoved();
  }

  /** For the trace: absent where a member need not have the indexes that the others have at the same opTime. */
  get indexHash(): { readonly indexHash?: DataHash } {
    const { core, topology } = this;
    if (topology.self?.buildIndexes === false || !core.traits.twoPhaseIndexBuilds) return {};
    return { indexHash: core.engine.indexHash() };
  }

  /** Index behind the newest entry that is committed and whose changes can be seen in committed data: on a secondary the end of a batch. */
  get committedEnd(): number {
    return this.positions.hasCommittedSnapshot ? this.stableVersion() + 1 : this.oplog.firstIndex;
  }

  /** Storage's number for the newest kept data that are not newer than the stable optime. */
  stableVersion(): number {
    return this.core.engine.markedUpTo(this.oplog.lastIndexUpTo(this.positions.stable.ts));
  }

  // --- what others ask or tell ---

  onHeartbeatProcessed(): void {
    this.elections.catchUp.onHeartbeats();
  }

  /** There is an oplog, or a standalone left something. Upstream: repl_set_commands.cpp, replHasDatabases. */
  hasData(): boolean {
    if (!isNullOpTime(this.oplog.last)) return true;
    return this.core.engine.collections().some(({ ns }) => !isLocal(ns));
  }
}
