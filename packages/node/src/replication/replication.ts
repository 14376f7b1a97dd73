import { createSessionCollections } from '@replsim/database';
import type { Oplog } from '@replsim/oplog';
import {
  compareOpTimes,
  type DataHash,
  isLocal,
  isNullOpTime,
  type MemberState,
  type OpTime,
  type ReplSetConfig,
} from '@replsim/protocol';
import { Configuration } from '../config/configuration.ts';
import type { Core } from '../core/core.ts';
import { LocalOplog } from '../data/localOplog.ts';
import { Positions } from '../data/positions.ts';
import { Drain } from '../election/drain.ts';
import { Elections } from '../election/elections.ts';
import { VoteRequests } from '../election/voteRequests.ts';
import type { MemberParts } from '../mongod.ts';
import { HeartbeatRequests } from '../topology/heartbeatRequests.ts';
import { Heartbeats } from '../topology/heartbeats.ts';
import { Liveness } from '../topology/liveness.ts';
import type { FollowerMode } from '../topology/memberState.ts';
import { Topology } from '../topology/topology.ts';
import { fixInvalidIndexes } from '../ttl/invalidIndexFixer.ts';
import { CloneServer } from './cloneServer.ts';
import { InitialSyncer } from './initialSync/initialSyncer.ts';
import { NoopWriter } from './noopWriter.ts';
import { OperationKiller } from './operationKiller.ts';
import { OplogServer } from './oplogServer.ts';
import { Progress } from './progress.ts';
import { ReplicationMetrics } from './replicationMetrics.ts';
import { Replicator } from './replicator.ts';
import { Divergence } from './rollback/divergence.ts';
import { Staleness } from './staleness.ts';
import { SyncSources } from './syncSources.ts';

/**
 * One member's part in the set: what holds topology, elections, oplog and progress together.
 * Upstream: replication_coordinator_impl.cpp.
 */
export class Replication {
  readonly core: Core;
  readonly parts: MemberParts;
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
  readonly metrics = new ReplicationMetrics();
  rbid = 1;

  constructor(core: Core, parts: MemberParts, oplog: Oplog) {
    this.core = core;
    this.parts = parts;
    this.oplog = oplog;
    this.positions = new Positions();
    this.topology = new Topology(core, this);
    this.heartbeats = new Heartbeats(core, this);
    this.heartbeatRequests = new HeartbeatRequests(core, this);
    this.liveness = new Liveness(core, this);
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
  }

  get syncSource(): string | undefined {
    return this.initialSyncer.syncSource ?? this.replicator.syncSource;
  }

  /** Called once, after the disk was read. */
  start(config: ReplSetConfig | undefined, initialSyncUnfinished: boolean): void {
    this.configuration.start(config, initialSyncUnfinished);
  }

  /** Whoever is not primary is in one of these modes. Upstream: setFollowerMode. */
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
    memberMode.send('consistent');
  }

  onStateChanged(_from: MemberState, to: MemberState): void {
    this.elections.stateChanged();
    if (to === 'SECONDARY' || to === 'RECOVERING') this.replicator.start();
    else if (to === 'REMOVED' || to === 'STARTUP2' || to === 'ARBITER') this.replicator.stop();
    if (to === 'ROLLBACK' || to === 'REMOVED') {
      // Whoever is connected must ask anew, and learns then what this member is.
      this.parts.closeClientConnections();
      this.killer.killAll();
    }
    if (to === 'SECONDARY' && this.topology.config!.members.length === 1) {
      this.elections.stand('electionTimeout');
    }
    this.core.wake();
  }

  // --- becoming and ceasing to be primary ---

  onElected(): void {
    this.divergence.forget();
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.core.wake();
  }

  onBufferEmpty(): void {
    this.drain.onBufferEmpty();
    this.tryBecomeSecondary();
    this.divergence.onBufferEmpty();
  }

  onBecameWritable(): void {
    this.parts.sessions.invalidate();
    createSessionCollections(this.core.engine, this.parts.writes);
    this.parts.indexBuilds.checkQuorums();
    this.progress.recompute();
    this.noopWriter.start();
    fixInvalidIndexes(this.core, this.parts);
    // Whoever waits for this member's own term to be committed waits for the disk.
    this.parts.journal.requestFlush();
  }

  onSteppedDown(): void {
    this.drain.abandon();
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.noopWriter.stop();
    this.parts.indexBuilds.onSteppedDown();
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

  /** Versions of the data before the stable optime are not needed any more. */
  onStableMoved(): void {
    this.core.engine.forgetBefore(this.stableVersion());
  }

  /** For the trace: absent where a member need not have the indexes that the others have at the same opTime. */
  get indexHash(): { readonly indexHash?: DataHash } {
    const { core, topology } = this;
    if (topology.self?.buildIndexes === false || !core.traits.twoPhaseIndexBuilds) return {};
    return { indexHash: core.engine.indexHash() };
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
