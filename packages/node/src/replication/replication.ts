import { noopOperation, type Oplog } from '@replsim/oplog';
import {
  BsonWriter,
  CommandError,
  compareOpTimes,
  type ErrorReply,
  isNullOpTime,
  type MemberRequest,
  type MemberState,
  type OpTime,
  type ReplSetConfig,
  type RequestVotesCommand,
  type RequestVotesReply,
} from '@replsim/protocol';
import { Configuration } from '../config/configuration.ts';
import type { Core } from '../core.ts';
import { Elections } from '../election/elections.ts';
import { type LastVote, reasonToRefuse } from '../election/voting.ts';
import type { MemberParts } from '../mongod.ts';
import { Topology } from '../topology/topology.ts';
import { Divergence } from './divergence.ts';
import { InitialSyncer } from './initialSync/initialSyncer.ts';
import { LocalOplog } from './localOplog.ts';
import { NoopWriter } from './noopWriter.ts';
import { OplogServer } from './oplogServer.ts';
import { Positions } from './positions.ts';
import { Progress } from './progress.ts';
import { ReplicationMetrics } from './replicationMetrics.ts';
import { Replicator } from './replicator.ts';
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
  readonly configuration: Configuration;
  readonly elections: Elections;
  readonly progress: Progress;
  readonly syncSources: SyncSources;
  readonly staleness: Staleness;
  readonly replicator: Replicator;
  readonly initialSyncer: InitialSyncer;
  readonly server: OplogServer;
  readonly localOplog: LocalOplog;
  readonly noopWriter: NoopWriter;
  readonly divergence: Divergence;
  readonly metrics = new ReplicationMetrics();
  rbid = 1;
  #draining = false;

  constructor(core: Core, parts: MemberParts, oplog: Oplog) {
    this.core = core;
    this.parts = parts;
    this.oplog = oplog;
    this.positions = new Positions();
    this.topology = new Topology(core, this);
    this.configuration = new Configuration(core, this);
    this.elections = new Elections(core, this);
    this.progress = new Progress(core, this);
    this.syncSources = new SyncSources(core, this);
    this.staleness = new Staleness(core, this);
    this.replicator = new Replicator(core, this);
    this.initialSyncer = new InitialSyncer(this);
    this.server = new OplogServer(core, this);
    this.localOplog = new LocalOplog(core, this);
    this.noopWriter = new NoopWriter(core, this);
    this.divergence = new Divergence(core, this);
  }

  get syncSource(): string | undefined {
    return this.replicator.syncSource;
  }

  /** Called once, after the disk was read. */
  start(config: ReplSetConfig | undefined, initialSyncUnfinished: boolean): void {
    if (!config) return;
    this.configuration.enter(config, initialSyncUnfinished);
  }

  /** Whoever is not primary is in one of these modes. */
  follow(mode: Topology['followerMode']): void {
    this.topology.followerMode = mode;
    this.topology.stateMayHaveChanged();
  }

  /** RECOVERING ends when nothing stands against it. */
  tryBecomeSecondary(): void {
    if (this.topology.followerMode !== 'RECOVERING') return;
    this.follow('SECONDARY');
  }

  onStateChanged(_from: MemberState, to: MemberState): void {
    this.elections.stateChanged();
    if (to === 'SECONDARY' || to === 'RECOVERING') this.replicator.start();
    else if (to === 'REMOVED' || to === 'STARTUP2') this.replicator.stop();
    if (to === 'ROLLBACK' || to === 'REMOVED') this.#killAll();
    if (to === 'SECONDARY' && this.topology.config!.members.length === 1) {
      this.elections.stand('electionTimeout');
    }
    this.core.wake();
  }

  // --- votes ---

  persistVote(vote: LastVote, then: () => void): void {
    const writer = new BsonWriter();
    writer.int64('term', vote.term);
    writer.int32('candidateIndex', vote.candidateIndex);
    this.parts.local.set('local.replset.election', writer.finish());
    this.parts.journal.whenDurable(then);
  }

  /** Upstream: ReplicationCoordinatorImpl::processReplSetRequestVotes. */
  onVoteRequest(request: MemberRequest, command: RequestVotesCommand): void {
    const { topology, elections, positions } = this;
    elections.updateTerm(command.term, 'vote request');
    const { config, self } = topology;
    const candidate = config?.members[command.candidateIndex];
    const fail = (code: number, errmsg: string) =>
      this.core.respond(request.from, request.channel, request.id, { ok: 0, code, errmsg } satisfies ErrorReply);
    if (!config || !self) return fail(93, 'Our replica set config is invalid or we are not a member of it');
    if (!candidate) return fail(2, `Invalid candidateIndex: ${command.candidateIndex}`);
    const primary = topology.views[topology.primaryIndex];
    const refusal = reasonToRefuse(command, {
      config,
      term: topology.term,
      lastWritten: positions.written.opTime,
      lastVote: elections.lastVote,
      isArbiter: self.arbiterOnly,
      seenPrimaryPriority: primary?.up && primary.config.host !== candidate.host ? primary.config.priority : undefined,
    });
    const answer = () => this.#answerVote(request, command, candidate.host, refusal);
    if (refusal !== undefined || command.dryRun) return answer();
    elections.lastVote = { term: command.term, candidateIndex: command.candidateIndex };
    elections.postponeElection();
    this.persistVote(elections.lastVote, () => {
      this.core.trace({ type: 'votePersisted', term: command.term, candidate: candidate.host });
      answer();
    });
  }

  #answerVote(request: MemberRequest, command: RequestVotesCommand, candidate: string, refusal: string | undefined) {
    const granted = refusal === undefined;
    const reply: RequestVotesReply = { ok: 1, term: this.topology.term, voteGranted: granted, reason: refusal ?? '' };
    this.core.log('I', 'ELECTION', 23980, 'Responding to vote request', {
      candidate,
      term: command.term,
      dryRun: command.dryRun,
      voteGranted: granted,
      reason: reply.reason,
    });
    this.core.trace({
      type: 'voteAnswered',
      candidate,
      term: command.term,
      dryRun: command.dryRun,
      granted,
      reason: reply.reason,
      lastVoteTerm: this.elections.lastVote.term,
    });
    this.core.respond(request.from, request.channel, request.id, reply);
  }

  // --- becoming and ceasing to be primary ---

  onElected(): void {
    this.divergence.forget();
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.core.wake();
  }

  /** Fetching ends; what was fetched is applied, and then the primary's first entry is written. */
  drain(): void {
    this.replicator.stop();
    this.#draining = true;
    if (this.replicator.isIdle) this.#finishDrain();
  }

  onBufferEmpty(): void {
    if (this.#draining) this.#finishDrain();
    this.divergence.onBufferEmpty();
  }

  #finishDrain(): void {
    this.#draining = false;
    if (this.elections.mode !== 'drain') return;
    this.configuration.raiseTerm(() => this.#writeFirstEntry());
  }

  /** The first entry of the term; with it the member accepts writes. */
  #writeFirstEntry(): void {
    const entry = this.localOplog.writeEntry(noopOperation('new primary'));
    this.progress.firstOpTimeOfMyTerm = entry.opTime;
    this.elections.drained();
  }

  onBecameWritable(): void {
    this.elections.becameWritable();
    this.progress.recompute();
    this.noopWriter.start();
    // Whoever waits for this member's own term to be committed waits for the disk.
    this.parts.journal.requestFlush();
  }

  onSteppedDown(): void {
    this.#draining = false;
    this.progress.firstOpTimeOfMyTerm = undefined;
    this.noopWriter.stop();
    this.killWrites();
    this.core.wake();
  }

  /** What holds locks for writing is killed; reads and those who wait for a write concern are not. */
  killWrites(): void {
    this.parts.scheduler.killAll(
      (operation) => operation.killable === 'whenNotPrimary' && operation.waitingFor !== 'writeConcern',
      () => new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'),
    );
  }

  #killAll(): void {
    this.parts.scheduler.killAll(
      ({ desc }) => desc !== 'rollback' && desc !== 'initial sync' && desc !== 'SignalHandler',
      () => new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'),
    );
    this.parts.cursors.closeAll();
  }

  // --- the oplog ---

  /** The journal flushed what was appended when the flush began. */
  onJournalFlushed(writtenAtStart: { readonly opTime: OpTime; readonly wallMs: number }): void {
    const { positions } = this;
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

  /** Storage's number for the newest kept data that are not newer than the stable optime. */
  stableVersion(): number {
    return this.core.engine.markedUpTo(this.oplog.lastIndexUpTo(this.positions.stable.ts));
  }

  // --- what others ask or tell ---

  onHeartbeatProcessed(): void {
    this.elections.lookAtCatchUp();
  }

  hasUserData(): boolean {
    return !isNullOpTime(this.positions.applied.opTime);
  }
}
