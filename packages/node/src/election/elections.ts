import { reserveTimestamps } from '@replsim/oplog';
import { majorityVoteCount, NULL_TIMESTAMP, type OpTime, type Term, type Timestamp } from '@replsim/protocol';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import type { Core } from '../core.ts';
import type { Replication } from '../replication/replication.ts';
import { CatchUp, type CatchUpConclusion } from './catchUp.ts';
import { unelectableReason } from './electability.ts';
import { ElectionMetrics } from './electionMetrics.ts';
import { ELECTION_REASONS, type ElectionReason } from './electionReason.ts';
import { ElectionTimer } from './electionTimer.ts';
import { LastElections } from './lastElections.ts';
import { type RoleEvent, roleMachine } from './roleMachine.ts';
import { Takeovers } from './takeover.ts';
import { VoteRound } from './voteRound.ts';
import type { RoundResult } from './voteTally.ts';

/** Upstream: TopologyCoordinator::LeaderMode. */
export type LeaderMode = 'NotLeader' | 'LeaderElect' | 'WritablePrimary' | 'AttemptingStepDown' | 'SteppingDown';

function leaderModeOf(snapshot: SnapshotFrom<typeof roleMachine>): LeaderMode {
  if (snapshot.matches('SteppingDown')) return 'SteppingDown';
  if (!snapshot.matches('leader')) return 'NotLeader';
  if (snapshot.matches({ leader: { stepDownAttempt: 'AttemptingStepDown' } })) return 'AttemptingStepDown';
  return snapshot.matches({ leader: { writability: 'WritablePrimary' } }) ? 'WritablePrimary' : 'LeaderElect';
}

/** What a lost round is called, in words and by the line that the log gets: in the dry run, in the real election. */
const LOSSES: Readonly<Record<Exclude<RoundResult, 'success'> | 'superseded', readonly [string, number, number]>> = {
  superseded: ['its term is over', 21439, 21447],
  insufficientVotes: ['too few votes', 21440, 21448],
  staleTerm: ['another member is in a later term', 21441, 21449],
  primaryRespondedNo: ['the primary said no', 21442, 21448],
};

/**
 * Carries out what the statechart of the role asks for: this member's own elections, its way to writability, its way down.
 * Upstream: replication_coordinator_impl_elect_v1.cpp, topology_coordinator.cpp.
 */
export class Elections {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #round: VoteRound;
  readonly timer: ElectionTimer;
  readonly takeover: Takeovers;
  readonly catchUp: CatchUp;
  readonly metrics = new ElectionMetrics();
  /** What `replSetGetStatus` tells of them. */
  readonly last = new LastElections();
  #snapshot: SnapshotFrom<typeof roleMachine> = initialTransition(roleMachine)[0];
  /** Read from the snapshot after each event, since every heartbeat asks for it. */
  #mode: LeaderMode = 'NotLeader';
  stepDownUntilMicros = 0;
  electionTime: Timestamp = NULL_TIMESTAMP;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
    this.#round = new VoteRound(core, repl, (result) => this.#roundEnded(result));
    this.timer = new ElectionTimer(core, repl);
    this.takeover = new Takeovers(core, repl);
    this.catchUp = new CatchUp(core, repl);
  }

  // --- what the statechart says ---

  /** PRIMARY, whether it accepts writes or not. */
  get isLeader(): boolean {
    return this.#mode !== 'NotLeader';
  }

  get isCandidate(): boolean {
    return this.#snapshot.matches('candidate');
  }

  /** The gate of user writes, TTL deletes and no-ops. */
  get acceptsWrites(): boolean {
    return this.#mode === 'WritablePrimary';
  }

  get mode(): LeaderMode {
    return this.#mode;
  }

  get isCatchingUp(): boolean {
    return this.isLeader && this.#snapshot.matches({ leader: { writability: { LeaderElect: 'catchUp' } } });
  }

  get isDraining(): boolean {
    return this.isLeader && this.#snapshot.matches({ leader: { writability: { LeaderElect: 'drain' } } });
  }

  #send(event: RoleEvent): void {
    const [snapshot, actions] = transition(roleMachine, this.#snapshot, event);
    this.#snapshot = snapshot;
    this.#mode = leaderModeOf(snapshot);
    this.#core.wake();
    for (const action of actions) this.#perform(action as { type: string; params: unknown });
  }

  #perform({ type, params }: { type: string; params: unknown }): void {
    switch (type) {
      case 'requestVotes':
        return this.#requestVotes(params as { term: Term; dryRun: boolean });
      case 'voteForSelf':
        return this.#voteForSelf((params as { term: Term }).term);
      case 'announceLoss':
        return this.#announceLoss(params as { term: Term; dryRun: boolean; why: string });
      case 'takeOffice':
        return this.#takeOffice((params as { term: Term }).term);
      case 'countCatchUp':
        this.metrics.numCatchUps += 1;
        return;
      case 'startDrain':
        return this.#repl.drain.start();
      case 'becomeWritable':
        return this.#becomeWritable();
      case 'announceWritability':
        this.#repl.topology.bump();
        return this.#announceWritability();
      case 'killConflictingOperations':
        return this.#repl.killer.killConflicting('stepDown');
      case 'giveUpRole':
        return this.#giveUpRole((params as { why: string }).why);
    }
  }

  // --- standing ---

  /** Why this member may not stand for election now; undefined if it may. */
  whyNotElectable(reason: ElectionReason): string | undefined {
    const { topology, positions, parts } = this.#repl;
    const candidate = {
      self: topology.self,
      state: topology.state,
      isLeader: this.isLeader,
      term: topology.term,
      lastWritten: positions.written.opTime,
      lastApplied: positions.applied.opTime,
      newestApplied: topology.newestKnown('applied'),
      primaryApplied: topology.views[topology.primaryIndex]?.applied.opTime,
      seesMajority: topology.canSeeMajority(),
      isWaiting: this.#core.now.monotonicMicros < this.stepDownUntilMicros,
      priorityTakeoverFreshnessWindowSeconds: parts.parameters.number('priorityTakeoverFreshnessWindowSeconds'),
    };
    return unelectableReason(candidate, reason);
  }

  /** Stands for election. @returns false if it may not, or leads or stands already (NodeNotElectable upstream) */
  stand(reason: ElectionReason): boolean {
    const { topology, configuration } = this.#repl;
    this.takeover.cancel();
    this.timer.postpone();
    if (this.isLeader || this.isCandidate) return false;
    const { startId, startMsg, refusedId, refusedMsg } = ELECTION_REASONS[reason];
    const why = this.whyNotElectable(reason) ?? (configuration.isSteady ? undefined : 'its config is about to change');
    if (why !== undefined) {
      this.#core.log('I', 'ELECTION', refusedId, refusedMsg, { reason: why });
      this.#core.trace({ type: 'electionNotStarted', reason, detail: why });
      return false;
    }
    this.metrics.called(reason);
    this.#core.log('I', 'ELECTION', startId, startMsg, {
      electionTimeoutPeriodMillis: topology.electionTimeoutMicros / 1000,
    });
    const skipDryRun = reason === 'stepUpRequestSkipDryRun';
    if (skipDryRun)
      this.#core.log('I', 'ELECTION', 21437, 'Skipping dry run and running for election', {
        newTerm: topology.term + 1,
      });
    else
      this.#core.log('I', 'ELECTION', 21438, 'Conducting a dry run election to see if we could be elected', {
        currentTerm: topology.term,
      });
    this.#core.trace({ type: 'electionStarted', reason, term: topology.term, dryRun: !skipDryRun });
    this.#send({ type: 'stand', reason, term: topology.term, skipDryRun });
    return true;
  }

  #requestVotes({ term, dryRun }: { term: Term; dryRun: boolean }): void {
    const primaryDecides = dryRun && this.#snapshot.context.reason === 'catchupTakeover';
    this.#round.start(term, dryRun, primaryDecides);
  }

  onVotesTimer(): void {
    this.#round.onTimer();
  }

  #roundEnded(result: RoundResult): void {
    const { term } = this.#snapshot.context;
    if (this.#repl.topology.term !== term) return this.#lose('superseded');
    if (result === 'success') this.#send({ type: 'roundWon' });
    else this.#lose(result);
  }

  #lose(loss: keyof typeof LOSSES): void {
    const [why, dryRunId, realId] = LOSSES[loss];
    const isDryRun = this.#snapshot.matches({ candidate: 'dryRun' });
    const msg = isDryRun ? 'Not running for primary' : 'Not becoming primary';
    this.#core.log('I', 'ELECTION', isDryRun ? dryRunId : realId, `${msg}: ${why}`);
    this.#send({ type: 'lost', why });
  }

  #announceLoss({ term, dryRun, why }: { term: Term; dryRun: boolean; why: string }): void {
    this.#round.abandon();
    if (!dryRun) this.last.cleared();
    this.#core.log('I', 'ELECTION', 21434, 'Lost election', { isDryRun: dryRun });
    this.#core.trace({ type: 'electionLost', term, dryRun, reason: why });
  }

  /** The term goes up, the own vote goes to disk; only then are the others asked. */
  #voteForSelf(term: Term): void {
    const { topology, votes } = this.#repl;
    if (this.#snapshot.context.reason !== 'stepUpRequestSkipDryRun') {
      this.#core.log('I', 'ELECTION', 21444, 'Dry election run succeeded, running for election', { newTerm: term });
    }
    this.#recordCandidacy(term);
    this.#setTerm(term);
    votes.store({ term, candidateIndex: topology.selfIndex }, () => {
      this.#core.trace({ type: 'votePersisted', term, candidate: this.#core.host });
      // The candidacy may have been given up, and another begun, while its vote went to disk.
      const isMine = this.#snapshot.context.term === term;
      if (!isMine || !this.#snapshot.matches({ candidate: { voting: 'persisting' } })) return;
      if (topology.term === term) return this.#send({ type: 'votePersisted' });
      this.#core.log('I', 'ELECTION', 21446, 'Not becoming primary, superseded while storing the vote', { term });
      this.#send({ type: 'lost', why: LOSSES.superseded[0] });
    });
  }

  #recordCandidacy(term: Term): void {
    const { topology, positions } = this.#repl;
    const { config, self, primaryIndex } = topology;
    this.last.stood({
      reason: this.#snapshot.context.reason,
      dateMs: this.#core.now.wallMs,
      term,
      lastCommitted: positions.commitPoint.opTime,
      lastSeenWritten: topology.newestKnown('written'),
      lastSeenApplied: topology.newestKnown('applied'),
      numVotesNeeded: majorityVoteCount(config!),
      priority: self!.priority,
      electionTimeoutMillis: config!.settings.electionTimeoutMillis,
      priorPrimaryMemberId: config!.members[primaryIndex]?._id,
    });
  }

  // --- in office ---

  #takeOffice(term: Term): void {
    const { topology, positions, heartbeats, liveness } = this.#repl;
    this.metrics.successful(this.#snapshot.context.reason);
    this.last.won();
    this.takeover.cancel();
    for (const view of this.#round.responders) topology.heardFrom(view);
    const reserved = reserveTimestamps(this.#core.clusterTime, this.#core.now.wallMs, 1);
    this.electionTime = reserved.first;
    this.#core.clusterTime = reserved.clusterTime;
    this.#core.log('I', 'ELECTION', 21450, 'Election succeeded, assuming primary role', { term });
    this.#core.trace({ type: 'electionWon', term, votes: this.#round.votes, lastApplied: positions.applied.opTime });
    topology.primaryIndexMayHaveChanged();
    topology.stateMayHaveChanged();
    heartbeats.restart();
    liveness.start();
    this.#repl.onElected();
    this.catchUp.enter();
  }

  catchUpTargetMoved(target: OpTime): void {
    this.last.primaryship.targetCatchupOpTime = target;
    this.#send({ type: 'behind' });
  }

  /** So many operations were applied here; those of a catch-up are counted. */
  appliedOps(count: number): void {
    if (this.isCatchingUp) this.metrics.opsOfThisCatchUp += count;
  }

  catchUpConcluded(conclusion: CatchUpConclusion): void {
    const ops = this.metrics.concludeCatchUp(conclusion);
    if (ops !== undefined) this.last.primaryship.numCatchUpOps = ops;
    this.#send({ type: 'catchUpConcluded' });
  }

  /** The first entry of the term is written. */
  drained(): void {
    this.#send({ type: 'drained' });
  }

  #becomeWritable(): void {
    const { topology, killer } = this.#repl;
    topology.bump();
    killer.killConflicting('stepUp');
    this.#core.log('I', 'REPL', 21331, 'Transition to primary complete; database writes are now permitted', {
      term: topology.term,
    });
    this.#announceWritability();
    this.#repl.onBecameWritable();
  }

  #announceWritability(): void {
    this.#repl.parts.ttl.memberChanged();
    this.#core.trace({ type: 'acceptsWrites', value: this.acceptsWrites, term: this.#repl.topology.term });
  }

  // --- terms ---

  /** A term heard of; a primary steps down before it takes a later one over. */
  updateTerm(term: Term, source: string): void {
    if (term <= this.#repl.topology.term) return;
    if (this.isLeader) {
      this.metrics.numStepDownsCausedByHigherTerm += 1;
      this.#core.log('I', 'REPL', 21402, 'Stepping down from primary in response to a newer term', { term, source });
      this.stepDownNow(`it heard of the later term ${term}`);
    }
    this.#setTerm(term);
  }

  /** A candidate's own term is no surprise to it; another's calls off a takeover, and gives its winner time. */
  #setTerm(term: Term): void {
    const { topology } = this.#repl;
    if (term <= topology.term) return;
    this.#core.changed();
    this.#core.debug(1, 'REPL', 21827, 'Updating term', { oldTerm: topology.term, newTerm: term });
    this.#core.trace({ type: 'termChanged', from: topology.term, to: term });
    topology.term = term;
    this.takeover.cancel('priorityTakeover');
    this.timer.postpone();
  }

  // --- stepping down ---

  /** An unconditional step-down: nobody is waited for, nobody is handed over to. */
  stepDownNow(why: string): void {
    if (this.isCandidate) return this.#send({ type: 'lost', why });
    this.catchUp.abandon();
    this.#send({ type: 'stepDown', why });
  }

  /** Writes stop, and what writes is killed, whether the attempt succeeds or not. */
  beginStepDownAttempt(): void {
    this.#send({ type: 'stepDownAttempted' });
  }

  abandonStepDownAttempt(): void {
    this.#send({ type: 'stepDownAbandoned' });
  }

  #giveUpRole(why: string): void {
    const { topology, liveness } = this.#repl;
    liveness.stop();
    this.last.cleared();
    this.#core.trace({ type: 'steppedDown', term: topology.term, reason: why });
    this.#send({ type: 'roleGivenUp' });
    this.#announceWritability();
    topology.primaryIndexMayHaveChanged();
    this.#repl.onSteppedDown();
    topology.stateMayHaveChanged();
  }

  // --- what changes from outside ---

  /** Starts or stops the timers as the state asks for. */
  stateChanged(): void {
    this.timer.postpone();
    if (this.#repl.topology.state !== 'SECONDARY') this.takeover.cancel();
  }

  /** A new config is in force: an election that began under the old one is void. */
  configChanged(): void {
    const { self } = this.#repl.topology;
    if (this.isLeader && !(self && self.priority > 0)) this.stepDownNow('the new config does not let it be primary');
    if (this.isCandidate) this.#send({ type: 'lost', why: 'a new config was installed' });
    this.takeover.cancel();
    this.timer.postpone();
  }
}
