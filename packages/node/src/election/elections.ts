import { reserveTimestamps } from '@replsim/oplog';
import { NULL_TIMESTAMP, type OpTime, type Term, type TermNews, type Timestamp } from '@replsim/protocol';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { steppedMachine } from '../core/steppedMachine.ts';
import { Threads } from '../core/threads.ts';
import { Candidacy } from './candidacy.ts';
import { CatchUp } from './catchUp.ts';
import type { CatchUpConclusion } from './catchUpConclusion.ts';
import type { ElectionHost, Office } from './electionHost.ts';
import { ElectionMetrics } from './electionMetrics.ts';
import type { ElectionReason } from './electionReason.ts';
import { ElectionTimer } from './electionTimer.ts';
import { LastElections } from './lastElections.ts';
import { type RoleEvent, roleMachine } from './roleMachine.ts';
import { Takeovers } from './takeover.ts';

/** Upstream: TopologyCoordinator::LeaderMode. */
export type LeaderMode = 'NotLeader' | 'LeaderElect' | 'WritablePrimary' | 'AttemptingStepDown' | 'SteppingDown';

const MACHINE = steppedMachine(roleMachine);
const [INITIAL] = initialTransition(MACHINE);

function leaderModeOf(snapshot: SnapshotFrom<typeof roleMachine>): LeaderMode {
  if (snapshot.matches('SteppingDown')) return 'SteppingDown';
  if (!snapshot.matches('leader')) return 'NotLeader';
  if (snapshot.matches({ leader: { stepDownAttempt: 'AttemptingStepDown' } })) return 'AttemptingStepDown';
  return snapshot.matches({ leader: { writability: 'WritablePrimary' } }) ? 'WritablePrimary' : 'LeaderElect';
}

/**
 * Carries out what the statechart of the role asks for: this member's own elections, its way to writability, its way down.
 * Upstream: replication_coordinator_impl_elect_v1.cpp, topology_coordinator.cpp.
 */
export class Elections implements Office {
  readonly #core: Core;
  readonly #host: ElectionHost;
  readonly #candidacy: Candidacy;
  readonly timer: ElectionTimer;
  readonly takeover: Takeovers;
  readonly catchUp: CatchUp;
  readonly metrics = new ElectionMetrics();
  /** What `replSetGetStatus` tells of them. */
  readonly last = new LastElections();
  #snapshot: SnapshotFrom<typeof MACHINE> = INITIAL;
  /** Read from the snapshot after each event, since every heartbeat asks for them. */
  #mode: LeaderMode = 'NotLeader';
  #catchingUp = false;
  #stepDownUntilMicros = 0;
  /** A fail point holds back a step-down. */
  #stepDownHeld = false;
  electionTime: Timestamp = NULL_TIMESTAMP;

  constructor(core: Core, host: ElectionHost) {
    this.#core = core;
    this.#host = host;
    this.#candidacy = new Candidacy(
      core,
      host,
      () => this.#snapshot,
      (event) => this.#send(event),
    );
    this.timer = new ElectionTimer(core, host);
    this.takeover = new Takeovers(core, host);
    this.catchUp = new CatchUp(core, host);
  }

  /** Until when it may not stand, by `replSetFreeze` or `replSetStepDown`. */
  get stepDownUntilMicros(): number {
    return this.#stepDownUntilMicros;
  }

  set stepDownUntilMicros(untilMicros: number) {
    this.#stepDownUntilMicros = untilMicros;
    this.#core.deadline('stepDown', untilMicros || undefined);
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
    return this.#catchingUp;
  }

  get isDraining(): boolean {
    return this.isLeader && this.#snapshot.matches({ leader: { writability: { LeaderElect: 'drain' } } });
  }

  #send(event: RoleEvent): void {
    const [snapshot, actions] = transition(MACHINE, this.#snapshot, event);
    this.#snapshot = snapshot;
    this.#mode = leaderModeOf(snapshot);
    this.#catchingUp = this.isLeader && snapshot.matches({ leader: { writability: { LeaderElect: 'catchUp' } } });
    this.#core.wake();
    for (const action of actions) this.#perform(action as { type: string; params: unknown });
  }

  #perform({ type, params }: { type: string; params: unknown }): void {
    switch (type) {
      case 'requestVotes':
        return this.#candidacy.requestVotes(params as { term: Term; dryRun: boolean });
      case 'voteForSelf':
        return this.#candidacy.voteForSelf((params as { term: Term }).term);
      case 'announceLoss':
        return this.#candidacy.announceLoss(params as { term: Term; dryRun: boolean; why: string });
      case 'takeOffice':
        return this.#takeOffice((params as { term: Term }).term);
      case 'countCatchUp':
        this.metrics.numCatchUps += 1;
        return;
      case 'startDrain':
        return this.#host.drain.start();
      case 'becomeWritable':
        return this.#becomeWritable();
      case 'announceWritability':
        this.#host.topology.bump();
        return this.#announceWritability();
      case 'killConflictingOperations':
        // An operation that learns of it by being killed reports a version that is new to its client.
        if (this.#snapshot.matches('SteppingDown')) this.#host.topology.bumpAhead();
        return this.#host.killer.killConflicting('stepDown');
      case 'giveUpRole':
        return this.#giveUpRole((params as { why: string }).why);
    }
  }

  // --- standing ---

  /** Why this member may not stand for election now; undefined if it may. */
  whyNotElectable(reason: ElectionReason): string | undefined {
    return this.#candidacy.whyNotElectable(reason);
  }

  /** Stands for election. @returns false if it may not, or leads or stands already (NodeNotElectable upstream) */
  stand(reason: ElectionReason): boolean {
    this.takeover.cancel();
    this.timer.postpone();
    if (this.isLeader || this.isCandidate || !this.#candidacy.mayStand(reason)) return false;
    this.metrics.called(reason);
    this.#candidacy.begin(reason);
    return true;
  }

  /** Nobody else could: the only member stands again as soon as it may. */
  standAloneLater(): void {
    const wait = this.stepDownUntilMicros - this.#core.now.monotonicMicros;
    this.#core.setTimer('stepDownUntil', () => this.stand('singleNodePromptElection'), wait);
  }

  // --- in office ---

  #takeOffice(term: Term): void {
    const { topology, positions, heartbeats, liveness } = this.#host;
    this.metrics.successful(this.#snapshot.context.reason);
    this.last.won();
    this.takeover.cancel();
    for (const view of this.#candidacy.round.responders) topology.heardFrom(view);
    const reserved = reserveTimestamps(this.#core.clusterTime, this.#core.now.wallMs, 1);
    this.electionTime = reserved.first;
    this.#core.clusterTime = reserved.clusterTime;
    this.#core.log('I', 'ELECTION', 21450, 'Election succeeded, assuming primary role', { term });
    this.#core.trace({
      type: 'electionWon',
      term,
      votes: this.#candidacy.round.votes,
      lastApplied: positions.applied.opTime,
    });
    topology.primaryIndexMayHaveChanged();
    topology.stateMayHaveChanged();
    heartbeats.restart();
    liveness.start();
    this.#host.onElected();
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
    const { topology } = this.#host;
    topology.bump();
    this.#core.log('I', 'REPL', 21331, 'Transition to primary complete; database writes are now permitted', {
      term: topology.term,
    });
    this.#announceWritability();
    this.#host.onBecameWritable();
  }

  #announceWritability(): void {
    this.#host.onWritability();
    const { acceptsWrites: value } = this;
    const { myTermFollows: follows } = this.#host.progress;
    const { term } = this.#host.topology;
    this.#core.trace({ type: 'acceptsWrites', value, term, ...(value && follows && { follows }) });
  }

  // --- terms ---

  /** A term heard of; a primary steps down before it takes a later one over. */
  updateTerm(term: Term, source: TermNews, toldBy?: string): void {
    if (term <= this.#host.topology.term) return;
    const news = { ...(toldBy !== undefined && { toldBy }), how: source };
    if (this.isLeader) {
      if (this.#stepDownHeld) return;
      this.metrics.numStepDownsCausedByHigherTerm += 1;
      this.#core.log('I', 'REPL', 21402, 'Stepping down from primary in response to a newer term', { term });
      return this.#unlessBlocked(() => {
        const why = `it heard of the later term ${term}`;
        this.#core.as(Threads.replCoord, () => this.stepDownNow(why, 'FailedWithNewTerm'));
        this.setTerm(term, news);
      });
    }
    this.setTerm(term, news);
  }

  /** A candidate's own term is no surprise to it; another's calls off a takeover, and gives its winner time. */
  setTerm(term: Term, news?: { readonly toldBy?: string; readonly how: TermNews }): void {
    const { topology } = this.#host;
    if (term <= topology.term) return;
    this.#core.changed();
    this.#core.debug(1, 'REPL', 21827, 'Updating term', { oldTerm: topology.term, newTerm: term });
    this.#core.trace({ type: 'termChanged', from: topology.term, to: term, ...news });
    topology.term = term;
    this.takeover.cancel('priorityTakeover');
    this.timer.postpone();
  }

  // --- stepping down ---

  /** A primary that sees too few of the others gives up. */
  stepDownLonely(why: string): void {
    this.#unlessBlocked(() => {
      if (this.isLeader) this.stepDownNow(why);
    });
  }

  /** A step-down that nobody asked for. Upstream: ReplicationCoordinatorImpl::_stepDownStart, _stepDownFinish. */
  #unlessBlocked(stepDown: () => void): void {
    if (this.#stepDownHeld) return;
    this.#stepDownHeld = true;
    const hanging = { name: 'blockHeartbeatStepdown', desc: Threads.replCoord } as const;
    hangBefore(this.#core, this.#host.scheduler, hanging, () => {
      this.#stepDownHeld = false;
      stepDown();
    });
  }

  /**
   * An unconditional step-down: nobody is waited for, nobody is handed over to.
   * @param catchUpEnds what becomes of a catch-up under way. Upstream: ReplicationCoordinatorImpl::_updateMemberStateFromTopologyCoordinator
   */
  stepDownNow(why: string, catchUpEnds: CatchUpConclusion = 'FailedWithError'): void {
    if (this.isCandidate) return this.#send({ type: 'lost', why });
    this.catchUp.abandon(catchUpEnds);
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
    const { topology, liveness } = this.#host;
    liveness.stop();
    this.last.cleared();
    this.#core.trace({ type: 'steppedDown', term: topology.term, reason: why });
    this.#send({ type: 'roleGivenUp' });
    this.#announceWritability();
    topology.primaryIndexMayHaveChanged();
    this.#host.onSteppedDown();
    topology.stateMayHaveChanged();
    topology.bumpedAhead();
  }

  // --- what changes from outside ---

  /** Starts or stops the timers as the state asks for. */
  stateChanged(): void {
    this.timer.postpone();
    if (this.#host.topology.state !== 'SECONDARY') this.takeover.cancel();
  }

  /** A new config is in force: an election that began under the old one is void. */
  configChanged(): void {
    this.#host.onConfigChanged();
    const { self } = this.#host.topology;
    if (this.isLeader && !(self && self.priority > 0)) this.stepDownNow('the new config does not let it be primary');
    if (this.isCandidate) this.#send({ type: 'lost', why: 'a new config was installed' });
    this.takeover.cancel();
    this.timer.postpone();
  }
}
