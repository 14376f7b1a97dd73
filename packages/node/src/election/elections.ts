import { reserveTimestamps } from '@replsim/oplog';
import {
  compareOpTimes,
  type ErrorReply,
  isNullOpTime,
  type MemberReply,
  majorityVoteCount,
  NULL_TIMESTAMP,
  type RequestVotesReply,
  type Term,
  type Timestamp,
} from '@replsim/protocol';
import { initialTransition, transition } from 'xstate';
import type { Core } from '../core.ts';
import type { Replication } from '../replication/replication.ts';
import type { MemberView } from '../topology/memberView.ts';
import { type ElectionEvent, type ElectionReason, electionMachine } from './electionMachine.ts';
import { ElectionMetrics } from './electionMetrics.ts';
import { LastElections } from './lastElections.ts';

/** Upstream: replElectionTimeoutOffsetLimitFraction. */
const JITTER_FRACTION = 0.15;
/** Upstream: vote_requester.cpp caps the election timeout for each round. */
const MAX_VOTE_TIMEOUT_MICROS = 30_000_000;

/** Where a leader stands on its way to writes and away from them; `none` for everybody else. */
type LeaderMode = 'none' | 'catchUp' | 'drain' | 'writable' | 'attemptingStepDown';

type Snapshot = ReturnType<typeof initialTransition<typeof electionMachine>>[0];

/**
 * Carries out what the election statechart asks for: timers, vote rounds, terms, catch-up, drain, stepping down.
 * Upstream: replication_coordinator_impl_elect_v1.cpp, topology_coordinator.cpp.
 */
export class Elections {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly metrics = new ElectionMetrics();
  #snapshot: Snapshot = initialTransition(electionMachine)[0];
  #role: 'follower' | 'candidate' | 'leader' = 'follower';
  #mode: LeaderMode = 'none';
  /** The earliest moment for an election by timeout; pushed on by each sign of a primary. */
  #electionNotBefore = 0;
  #electionTimerSet = false;
  /** The vote requests of the round under way. */
  #round: { readonly ids: Set<number>; readonly dryRun: boolean; readonly term: Term } | undefined;
  #takeover: ElectionReason | undefined;
  /** The term whose own vote is being stored, or whose votes are asked for. */
  #pendingTerm: Term = -1;
  stepDownUntilMicros = 0;
  electionTime: Timestamp = NULL_TIMESTAMP;
  /** What `replSetGetStatus` tells of them. */
  readonly last = new LastElections();

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  get isLeader(): boolean {
    return this.#role === 'leader';
  }

  get isCandidate(): boolean {
    return this.#role === 'candidate';
  }

  /** Mode WritablePrimary: the gate of user writes, TTL deletes and no-ops. */
  get acceptsWrites(): boolean {
    return this.#mode === 'writable';
  }

  get mode() {
    return this.#mode;
  }

  // --- the statechart ---

  #send(event: ElectionEvent): void {
    const [snapshot, actions] = transition(electionMachine, this.#snapshot, event);
    this.#snapshot = snapshot;
    this.#readState();
    for (const action of actions) this.#perform(action as { type: string; params: unknown });
  }

  #readState(): void {
    const value = this.#snapshot.value as string | Record<string, string>;
    if (value === 'follower') this.#role = 'follower';
    else if (typeof value === 'object' && 'leader' in value) this.#role = 'leader';
    else this.#role = 'candidate';
    const mode = typeof value === 'object' ? value.leader : undefined;
    this.#mode = mode === 'writableAgain' ? 'writable' : ((mode as LeaderMode | undefined) ?? 'none');
  }

  #perform({ type, params }: { type: string; params: unknown }): void {
    switch (type) {
      case 'requestVotes':
        return this.#requestVotes(params as { term: Term; dryRun: boolean });
      case 'voteForSelf':
        return this.#voteForSelf((params as { term: Term }).term);
      case 'electionLost':
        return this.#lost(params as { term: Term; dryRun: boolean; why: string });
      case 'electionWon':
        return this.#won(params as { term: Term; votes: number });
      case 'enterDrain':
        return this.#enterDrain((params as { why: string }).why);
      case 'becomeWritable':
        return this.#repl.onBecameWritable();
      case 'stopWrites':
      case 'allowWrites':
        this.#repl.topology.bump();
        return this.#traceAcceptsWrites();
      case 'leaveLeadership':
        return this.#leftLeadership((params as { why: string }).why);
    }
  }

  #traceAcceptsWrites(): void {
    this.#repl.parts.ttl.memberChanged();
    this.#core.trace({ type: 'acceptsWrites', value: this.acceptsWrites, term: this.#repl.topology.term });
  }

  // --- the election timer ---

  /** A primary was heard of: nobody needs to stand for another timeout. */
  postponeElection(): void {
    this.#electionNotBefore = this.#core.now.monotonicMicros + this.#repl.topology.electionTimeoutMicros;
    if (!this.#electionTimerSet) this.#armElectionTimer();
  }

  /** Starts or stops the timer as the state asks for. */
  stateChanged(): void {
    if (this.#repl.topology.state === 'SECONDARY') {
      this.postponeElection();
    } else if (this.#electionTimerSet) {
      this.#electionTimerSet = false;
      this.#core.cancelTimer('election');
    }
    if (this.#repl.topology.state !== 'SECONDARY') this.#cancelTakeover();
  }

  #armElectionTimer(): void {
    const { self, state, electionTimeoutMicros } = this.#repl.topology;
    if (state !== 'SECONDARY' || !self || self.priority <= 0) return;
    this.#electionTimerSet = true;
    const wait = Math.max(this.#electionNotBefore - this.#core.now.monotonicMicros, 0);
    // Whole milliseconds, as upstream draws them; the host draws.
    const jitterMicros = Math.floor((electionTimeoutMicros / 1000) * JITTER_FRACTION) * 1000;
    this.#core.setTimer('election', wait, jitterMicros);
  }

  onElectionTimer(): void {
    this.#electionTimerSet = false;
    if (this.#core.now.monotonicMicros < this.#electionNotBefore) this.#armElectionTimer();
    else this.stand('electionTimeout');
  }

  // --- standing ---

  /** Why this member may not stand for election now; undefined if it may. Upstream: getMyUnelectableReason. */
  whyNotElectable(reason: ElectionReason = 'electionTimeout'): string | undefined {
    const { topology, positions } = this.#repl;
    const { self, config } = topology;
    if (!config || !self) return 'it has no valid config';
    if (self.arbiterOnly) return 'it is an arbiter';
    if (self.priority <= 0) return 'its priority is 0';
    if (isNullOpTime(positions.applied.opTime)) return 'it has no data';
    if (!topology.canSeeMajority()) return 'it cannot see a majority of the voters';
    if (this.#core.now.monotonicMicros < this.stepDownUntilMicros) return 'it stepped down or was frozen not long ago';
    if (topology.state !== 'SECONDARY') return `its state is ${topology.state}`;
    if (reason === 'priorityTakeover' && !this.#freshEnoughForPriorityTakeover()) return 'its data is not fresh enough';
    if (reason === 'catchupTakeover' && !this.#freshEnoughForCatchUpTakeover()) return 'its data is not fresh enough';
    return undefined;
  }

  /** Stands for election, if it may. */
  stand(reason: ElectionReason): boolean {
    const { topology } = this.#repl;
    if (this.#role !== 'follower') return false;
    this.#cancelTakeover();
    this.postponeElection();
    // Under the next config it may not be electable any more. Upstream: kConfigSteady in _startElectSelfIfEligibleV1.
    const isSteady = this.#repl.configuration.isSteady;
    const why = isSteady ? this.whyNotElectable(reason) : 'its config is being changed';
    if (why !== undefined) {
      this.#core.log('I', 'ELECTION', 4615655, 'Not starting an election', { reason: why });
      this.#core.trace({ type: 'electionNotStarted', reason, detail: why });
      return false;
    }
    this.metrics.called(reason);
    const skipDryRun = reason === 'stepUpRequestSkipDryRun';
    this.#core.log('I', 'ELECTION', 4615652, 'Starting an election', { reason });
    this.#core.trace({ type: 'electionStarted', reason, term: topology.term, dryRun: !skipDryRun });
    this.#send({
      type: 'stand',
      reason,
      term: topology.term,
      ownVotes: topology.self!.votes,
      votesNeeded: majorityVoteCount(topology.config!),
      skipDryRun,
    });
    return true;
  }

  #requestVotes({ term, dryRun }: { term: Term; dryRun: boolean }): void {
    const { topology, positions } = this.#repl;
    const { config, selfIndex } = topology;
    const ids = new Set<number>();
    this.#round = { ids, dryRun, term };
    for (const view of topology.others) {
      if (view.config.votes !== 1) continue;
      const command = {
        replSetRequestVotes: 1,
        setName: config!._id,
        dryRun,
        term,
        candidateIndex: selfIndex,
        configVersion: config!.version,
        configTerm: config!.term,
        lastWrittenOpTime: positions.written.opTime,
        lastAppliedOpTime: positions.applied.opTime,
      } as const;
      const id = this.#core.request(view.config.host, 'vote', command, (reply) => this.#onVote(view, id, reply));
      ids.add(id);
    }
    this.#core.setTimer('votes', Math.min(topology.electionTimeoutMicros, MAX_VOTE_TIMEOUT_MICROS));
  }

  #onVote(view: MemberView, id: number, reply: MemberReply | ErrorReply): void {
    const round = this.#round;
    if (!round?.ids.delete(id)) return;
    if (this.#repl.topology.term !== round.term) return this.#loseRound('its term is over');
    const vote = reply.ok === 1 ? (reply as RequestVotesReply) : undefined;
    if (vote) {
      view.lastUpdateMicros = this.#core.now.monotonicMicros;
      if (vote.term > round.term) return this.#loseRound(`${view.config.host} is in the later term ${vote.term}`);
      if (vote.voteGranted) this.#send({ type: 'voteGranted' });
    }
    if (this.#round === round && round.ids.size === 0) this.#loseRound('too few votes');
  }

  onVotesTimer(): void {
    if (this.#round) this.#loseRound('too few votes in time');
  }

  #endRound(): void {
    for (const id of this.#round?.ids ?? []) this.#core.forget(id);
    this.#round = undefined;
    this.#core.cancelTimer('votes');
  }

  #loseRound(why: string): void {
    this.#endRound();
    this.#send({ type: 'lost', why });
  }

  #lost({ term, dryRun, why }: { term: Term; dryRun: boolean; why: string }): void {
    this.#pendingTerm = -1;
    if (!dryRun) this.last.cleared();
    this.#core.log('I', 'ELECTION', dryRun ? 21440 : 21448, 'Not running for or not becoming primary', { reason: why });
    this.#core.trace({ type: 'electionLost', term, dryRun, reason: why });
  }

  /** The term goes up, the own vote goes to disk; only then are the others asked. */
  #voteForSelf(term: Term): void {
    this.#endRound();
    const { topology } = this.#repl;
    if (term <= topology.term || term <= this.#repl.votes.lastVote.term) {
      this.#send({ type: 'lost', why: 'the term was taken meanwhile' });
      return;
    }
    this.#core.log('I', 'ELECTION', 21444, 'Dry election run succeeded, running for election', { newTerm: term });
    this.#recordCandidacy(term);
    this.setTerm(term);
    this.#pendingTerm = term;
    this.#repl.votes.store({ term, candidateIndex: topology.selfIndex }, () => {
      this.#core.trace({ type: 'votePersisted', term, candidate: this.#core.host });
      // A round that was lost while its vote was being stored is over.
      if (this.#pendingTerm === term && topology.term === term) this.#send({ type: 'votePersisted' });
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

  #won({ term, votes }: { term: Term; votes: number }): void {
    this.#endRound();
    const { topology, positions } = this.#repl;
    const reason = this.#snapshot.context.reason;
    this.metrics.successful(reason);
    this.last.won();
    for (const view of topology.others) if (view.up) view.lastUpdateMicros = this.#core.now.monotonicMicros;
    const reserved = reserveTimestamps(this.#core.clusterTime, this.#core.now.wallMs, 1);
    this.electionTime = reserved.first;
    this.#core.clusterTime = reserved.clusterTime;
    this.#core.log('I', 'ELECTION', 21450, 'Election succeeded, assuming primary role', { term });
    this.#core.trace({ type: 'electionWon', term, votes, lastApplied: positions.applied.opTime });
    topology.primaryIndexMayHaveChanged();
    topology.stateMayHaveChanged();
    topology.restartHeartbeats();
    topology.armLiveness();
    this.#repl.onElected();
    this.#enterCatchUp();
  }

  // --- catch-up and drain ---

  #enterCatchUp(): void {
    const { config } = this.#repl.topology;
    const { catchUpTimeoutMillis } = config!.settings;
    if (config!.members.length === 1 || catchUpTimeoutMillis === 0) {
      this.concludeCatchUp('Skipped');
      return;
    }
    if (catchUpTimeoutMillis > 0) this.#core.setTimer('catchUp', catchUpTimeoutMillis * 1000);
    this.lookAtCatchUp();
  }

  /**
   * Called on each heartbeat answer and after each applied batch. Waits until everybody was heard of since the
   * heartbeats were restarted. Upstream: CatchupState::signalHeartbeatUpdate.
   */
  lookAtCatchUp(): void {
    if (this.#mode !== 'catchUp') return;
    const { topology, positions } = this.#repl;
    if (topology.others.some((view) => !view.heardSinceRestart)) return;
    const target = topology.newestKnownApplied();
    const behind = compareOpTimes(target, positions.applied.opTime) > 0;
    if (!behind) {
      this.last.primaryship.numCatchUpOps = this.metrics.countCatchUpOps();
      this.concludeCatchUp(this.metrics.catchingUp ? 'Succeeded' : 'AlreadyCaughtUp');
    } else {
      this.metrics.startCatchUp();
      this.last.primaryship.targetCatchupOpTime = target;
    }
  }

  /** So many operations were applied here; those of a catch-up are counted. */
  appliedOps(count: number): void {
    if (this.#mode === 'catchUp') this.metrics.opsOfThisCatchUp += count;
  }

  concludeCatchUp(why: string): void {
    if (this.#mode !== 'catchUp') return;
    this.#core.cancelTimer('catchUp');
    this.metrics.concludeCatchUp(why);
    this.#core.trace({ type: 'catchUpEnded', term: this.#repl.topology.term, reason: why });
    this.#send({ type: 'caughtUp', why });
  }

  #enterDrain(why: string): void {
    this.#core.log('I', 'REPL', 21363, 'Exited primary catch-up mode', { reason: why });
    this.#repl.drain.start();
  }

  /** The buffers are empty: the last step before writes. */
  drained(): void {
    if (this.#mode === 'drain') this.#send({ type: 'drained' });
  }

  becameWritable(): void {
    this.#repl.topology.bump();
    this.#repl.killer.steppedUp();
    this.#core.log('I', 'REPL', 21331, 'Transition to primary complete; database writes are now permitted', {
      term: this.#repl.topology.term,
    });
    this.#traceAcceptsWrites();
  }

  // --- terms ---

  /** A term heard of; a primary steps down before it takes a later one over. Upstream: updateTerm. */
  updateTerm(term: Term, source: string): void {
    if (term <= this.#repl.topology.term) return;
    if (this.isLeader) {
      this.metrics.numStepDownsCausedByHigherTerm += 1;
      this.#core.log('I', 'REPL', 21402, 'Stepping down from primary in response to a newer term', { term, source });
      this.stepDownNow(`it heard of the later term ${term}`);
    }
    // Whoever stands in an older term has lost, whatever votes are still on their way.
    if (this.isCandidate) this.#loseRound(`it heard of the later term ${term}`);
    this.setTerm(term);
    if (this.#takeover === 'priorityTakeover') this.#cancelTakeover();
    this.postponeElection();
  }

  setTerm(term: Term): void {
    const { topology } = this.#repl;
    if (term <= topology.term) return;
    this.#core.changed();
    this.#core.trace({ type: 'termChanged', from: topology.term, to: term });
    topology.term = term;
  }

  // --- stepping down ---

  /** An unconditional step-down: nobody is waited for. */
  stepDownNow(why: string): void {
    if (this.#role === 'candidate') this.#loseRound(why);
    if (this.isLeader) this.#send({ type: 'stepDown', why });
  }

  beginStepDownAttempt(): void {
    this.#send({ type: 'stepDownAttempt' });
    this.#repl.killer.killWrites();
  }

  abandonStepDownAttempt(): void {
    if (this.#mode === 'attemptingStepDown') this.#send({ type: 'stepDownFailed' });
  }

  #leftLeadership(why: string): void {
    const { topology } = this.#repl;
    this.#core.cancelTimer('liveness');
    this.#core.cancelTimer('catchUp');
    if (this.metrics.catchingUp) this.metrics.concludeCatchUp('FailedWithNewTerm');
    this.last.cleared();
    this.#core.trace({ type: 'steppedDown', term: topology.term, reason: why });
    this.#traceAcceptsWrites();
    topology.primaryIndexMayHaveChanged();
    this.#repl.onSteppedDown();
    topology.stateMayHaveChanged();
  }

  /** A new config came while standing: the round is void. */
  configChanged(): void {
    const { self } = this.#repl.topology;
    if (this.isLeader && !(self && self.priority > 0)) this.stepDownNow('the new config does not let it be primary');
    if (this.#role === 'candidate') this.#loseRound('a new config was installed');
    this.#cancelTakeover();
    if (this.#repl.topology.state === 'SECONDARY') this.postponeElection();
  }

  // --- take-overs ---

  /** On each heartbeat of the current primary: should I be it instead? Upstream: shouldTakeover in processHeartbeatResponse. */
  considerTakeover(primary: MemberView): void {
    const { topology, positions } = this.#repl;
    const { self, config } = topology;
    if (this.#takeover || !self || self.priority <= 0 || topology.state !== 'SECONDARY') return;
    if (primary.index !== topology.primaryIndex) return;
    const { settings } = config!;
    const applied = positions.applied.opTime;
    const catchUp =
      settings.catchUpTimeoutMillis !== 0 &&
      settings.catchUpTakeoverDelayMillis !== -1 &&
      applied.t !== topology.term &&
      compareOpTimes(primary.applied.opTime, applied) < 0;
    const rank = config!.members.filter(({ priority }) => priority > self.priority).length;
    const higher = primary.config.priority < self.priority;
    if (higher && (!catchUp || rank === 0)) {
      this.#takeover = 'priorityTakeover';
      const jitter = Math.floor(settings.electionTimeoutMillis * JITTER_FRACTION) * 1000;
      this.#core.setTimer('takeover', (rank + 1) * settings.electionTimeoutMillis * 1000, jitter);
    } else if (catchUp) {
      this.#takeover = 'catchupTakeover';
      this.#core.setTimer('takeover', settings.catchUpTakeoverDelayMillis * 1000);
    }
  }

  onTakeoverTimer(): void {
    const reason = this.#takeover;
    this.#takeover = undefined;
    if (reason) this.stand(reason);
  }

  #cancelTakeover(): void {
    if (!this.#takeover) return;
    this.#takeover = undefined;
    this.#core.cancelTimer('takeover');
  }

  #freshEnoughForPriorityTakeover(): boolean {
    const FRESHNESS_WINDOW_SECS = 2;
    const FRESHNESS_WINDOW_INCREMENTS = 1000;
    const mine = this.#repl.positions.applied.opTime;
    const newest = this.#repl.topology.newestKnown('applied');
    if (mine.t !== newest.t) return false;
    return mine.ts.t === newest.ts.t
      ? newest.ts.i - mine.ts.i <= FRESHNESS_WINDOW_INCREMENTS
      : newest.ts.t - mine.ts.t <= FRESHNESS_WINDOW_SECS;
  }

  #freshEnoughForCatchUpTakeover(): boolean {
    const { topology, positions } = this.#repl;
    const mine = positions.applied.opTime;
    const primary = topology.views[topology.primaryIndex];
    if (!primary || compareOpTimes(topology.newestKnown('applied'), mine) > 0) return false;
    return compareOpTimes(mine, primary.applied.opTime) > 0 && mine.t < topology.term;
  }
}
