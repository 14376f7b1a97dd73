import { sleep } from '@replsim/operations';
import { majorityVoteCount, type Term } from '@replsim/protocol';
import type { SnapshotFrom } from 'xstate';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { Threads } from '../core/threads.ts';
import { unelectableReason } from './electability.ts';
import type { ElectionHost } from './electionHost.ts';
import { ELECTION_REASONS, type ElectionReason } from './electionReason.ts';
import { OwnCandidate } from './ownCandidate.ts';
import type { RoleEvent, roleMachine } from './roleMachine.ts';
import { VoteRound } from './voteRound.ts';
import type { RoundResult } from './voteTally.ts';

/** What a lost round is called, in words and by the line that the log gets: in the dry run, in the real election. */
const LOSSES: Readonly<Record<Exclude<RoundResult, 'success'> | 'superseded', readonly [string, number, number]>> = {
  superseded: ['its term is over', 21439, 21447],
  insufficientVotes: ['too few votes', 21440, 21448],
  staleTerm: ['another member is in a later term', 21441, 21449],
  primaryRespondedNo: ['the primary said no', 21442, 21448],
};

/**
 * This member's own candidacies: whether it may stand, the dry run, the vote for itself, the real round.
 * Upstream: replication_coordinator_impl_elect_v1.cpp.
 */
export class Candidacy {
  readonly #core: Core;
  readonly #host: ElectionHost;
  readonly #snapshot: () => SnapshotFrom<typeof roleMachine>;
  readonly #send: (event: RoleEvent) => void;
  readonly round: VoteRound;
  readonly #candidate: OwnCandidate;

  /** @param snapshot of the role's statechart, to which `send` sends */
  constructor(
    core: Core,
    host: ElectionHost,
    snapshot: () => SnapshotFrom<typeof roleMachine>,
    send: (event: RoleEvent) => void,
  ) {
    this.#core = core;
    this.#host = host;
    this.#snapshot = snapshot;
    this.#send = send;
    this.#candidate = new OwnCandidate(host);
    this.round = new VoteRound(core, host, (result) => core.as(Threads.replCoord, () => this.#roundEnded(result)));
  }

  whyNotElectable(reason: ElectionReason): string | undefined {
    return unelectableReason(this.#candidate, reason);
  }

  /** Says so in the log if it may not. */
  mayStand(reason: ElectionReason): boolean {
    const { refusedId, refusedMsg } = ELECTION_REASONS[reason];
    const why = this.whyNotElectable(reason) ?? this.#whyNotNow();
    if (why !== undefined) {
      this.#core.log('I', 'ELECTION', refusedId, refusedMsg, { reason: why });
      this.#core.trace({ type: 'electionNotStarted', reason, detail: why });
      return false;
    }
    return true;
  }

  #whyNotNow(): string | undefined {
    const { configuration, shutdown } = this.#host;
    if (shutdown.isLeaving) return 'it is shutting down';
    return configuration.isSteady ? undefined : 'its config is about to change';
  }

  begin(reason: ElectionReason): void {
    const { topology } = this.#host;
    const { startId, startMsg } = ELECTION_REASONS[reason];
    const byTimeout = reason === 'electionTimeout';
    this.#core.log('I', 'ELECTION', startId, startMsg, {
      ...(byTimeout && { electionTimeoutPeriodMillis: topology.electionTimeoutMicros / 1000 }),
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
  }

  requestVotes({ term, dryRun }: { term: Term; dryRun: boolean }): void {
    const primaryDecides = dryRun && this.#snapshot().context.reason === 'catchupTakeover';
    this.round.start(term, dryRun, primaryDecides);
  }

  #roundEnded(result: RoundResult): void {
    const { term } = this.#snapshot().context;
    if (this.#host.topology.term !== term) return this.#lose('superseded');
    if (result !== 'success') this.#lose(result);
    else if (this.#snapshot().matches({ candidate: 'dryRun' })) this.#send({ type: 'roundWon' });
    else this.#won();
  }

  /** Between the last vote and the office a fail point may put a while. */
  #won(): void {
    const { term } = this.#snapshot().context;
    const data = this.#core.failPoints.enter('electionHangsBeforeUpdateMemberState');
    if (!data) return this.#send({ type: 'roundWon' });
    const waitForMillis = Number(data.waitForMillis ?? 0);
    this.#core.log('I', 'ELECTION', 21451, 'Election succeeded; taking office later, as a fail point says', {
      waitFor: waitForMillis,
    });
    const labels = { desc: Threads.replCoord, ns: '', commandName: '', killable: 'never' } as const;
    this.#host.scheduler.run(labels, sleep(waitForMillis * 1000), () => {
      const { context } = this.#snapshot();
      if (context.term !== term || !this.#snapshot().matches({ candidate: { voting: 'asking' } })) return;
      if (this.#host.topology.term === term) this.#send({ type: 'roundWon' });
      else this.#lose('superseded');
    });
  }

  #lose(loss: keyof typeof LOSSES): void {
    const [why, dryRunId, realId] = LOSSES[loss];
    const isDryRun = this.#snapshot().matches({ candidate: 'dryRun' });
    const msg = isDryRun ? 'Not running for primary' : 'Not becoming primary';
    this.#core.log('I', 'ELECTION', isDryRun ? dryRunId : realId, `${msg}: ${why}`, {
      ...(loss === 'superseded' && this.#terms(isDryRun ? 'originalTerm' : 'electionTerm')),
    });
    this.#send({ type: 'lost', why });
  }

  /** The term that was stood for, and the one that has come since. */
  #terms(ownName: string): Readonly<Record<string, Term>> {
    return { [ownName]: this.#snapshot().context.term, currentTerm: this.#host.topology.term };
  }

  announceLoss({ term, dryRun, why }: { term: Term; dryRun: boolean; why: string }): void {
    this.round.abandon();
    if (!dryRun) this.#host.elections.last.cleared();
    this.#core.log('I', 'ELECTION', 21434, 'Lost election', { isDryRun: dryRun });
    this.#core.trace({ type: 'electionLost', term, dryRun, reason: why });
  }

  /** The term goes up, the own vote goes to disk; only then are the others asked. */
  voteForSelf(term: Term): void {
    const { topology, votes } = this.#host;
    if (this.#snapshot().context.reason !== 'stepUpRequestSkipDryRun') {
      this.#core.log('I', 'ELECTION', 21444, 'Dry election run succeeded, running for election', { newTerm: term });
    }
    this.#record(term);
    this.#host.elections.setTerm(term);
    const lastVote = { term, candidateIndex: topology.selfIndex };
    this.#core.log('I', 'ELECTION', 6015300, 'Storing the vote for myself', { lastVote }, Threads.replCoord);
    const stored = () => {
      this.#core.trace({ type: 'votePersisted', term, candidate: this.#core.host });
      // The candidacy may have been given up, and another begun, while its vote went to disk.
      const isMine = this.#snapshot().context.term === term;
      if (!isMine || !this.#snapshot().matches({ candidate: { voting: 'persisting' } })) return;
      if (topology.term === term) return this.#send({ type: 'votePersisted' });
      const attr = this.#terms('electionTerm');
      this.#core.log('I', 'ELECTION', 21446, 'Not becoming primary, superseded while storing the vote', attr);
      this.#send({ type: 'lost', why: LOSSES.superseded[0] });
    };
    const hanging = { name: 'hangInWritingLastVoteForDryRun', desc: Threads.replCoord } as const;
    votes.store(lastVote, () =>
      hangBefore(this.#core, this.#host.scheduler, hanging, () => this.#core.as(Threads.replCoord, stored)),
    );
  }

  #record(term: Term): void {
    const { topology, positions } = this.#host;
    const { configInForce: config, selfInForce: self, primaryIndex } = topology;
    this.#host.elections.last.stood({
      reason: this.#snapshot().context.reason,
      dateMs: this.#core.now.wallMs,
      term,
      lastCommitted: positions.commitPoint.opTime,
      lastSeenWritten: topology.newestKnown('written'),
      lastSeenApplied: topology.newestKnown('applied'),
      numVotesNeeded: majorityVoteCount(config),
      priority: self.priority,
      electionTimeoutMillis: config.settings.electionTimeoutMillis,
      priorPrimaryMemberId: config.members[primaryIndex]?._id,
    });
  }
}
