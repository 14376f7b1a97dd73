import {
  BsonWriter,
  type ErrorReply,
  type MemberRequest,
  type RequestVotesCommand,
  type RequestVotesReply,
  required,
  type Term,
  type VoteClaim,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { showPlain } from '../core/logValues.ts';
import type { ElectionHost } from './electionHost.ts';
import { claimOf, type LastVote, reasonToRefuse } from './voting.ts';

/**
 * Answers those who ask for this member's vote, and keeps the last one on disk.
 * Upstream: ReplicationCoordinatorImpl::processReplSetRequestVotes, last_vote.cpp.
 */
export class VoteRequests {
  readonly #core: Core;
  readonly #host: ElectionHost;
  /** As it lies in `local.replset.election`, or is on its way there. */
  lastVote: LastVote = { term: -1, candidateIndex: -1 };

  constructor(core: Core, host: ElectionHost) {
    this.#core = core;
    this.#host = host;
  }

  /** Writes a vote to disk; `then` runs when it is durable. Until then nobody may hear of it. An `fsync` lock delays it. */
  store(vote: LastVote, then: () => void): void {
    this.lastVote = vote;
    this.#host.fsyncLock.whenUnlocked(() => this.#write(vote, then));
  }

  #write(vote: LastVote, then: () => void): void {
    const writer = new BsonWriter();
    writer.int64('term', vote.term);
    writer.int32('candidateIndex', vote.candidateIndex);
    const { local, journal } = this.#host;
    local.set('local.replset.election', writer.finish());
    journal.whenDurable(then);
  }

  onRequest({ from, channel, id }: MemberRequest, command: RequestVotesCommand): void {
    this.decide(command, (reply) => this.#core.respond(from, channel, id, reply), from);
  }

  /**
   * The term comes first: a primary that hears of a later one steps down before it answers.
   * @param answer is called at once, or when the vote is on disk
   * @param from the member that asks; absent if a client does
   */
  decide(command: RequestVotesCommand, answer: (reply: RequestVotesReply | ErrorReply) => void, from?: string): void {
    const { topology, elections, positions, shutdown } = this.#host;
    elections.updateTerm(command.term, 'vote request', from);
    const { config, self } = topology;
    const candidate = config?.members[command.candidateIndex];
    if (shutdown.isTerminal) return answer(failure(91, 'In the process of shutting down'));
    if (!config || !candidate) return answer(failure(2, `Invalid candidateIndex: ${command.candidateIndex}`));
    if (!self) return answer(failure(93, 'Our replica set config is invalid or we are not a member of it'));
    const refusal =
      this.#forcedNo(command) ??
      reasonToRefuse(command, {
        config,
        term: topology.term,
        lastWritten: positions.counted.opTime,
        lastVote: this.lastVote,
        isArbiter: self.arbiterOnly,
        seenPrimaryPriority: this.#healthyPrimaryPriority(command.candidateIndex),
      });
    const own = { own: claimOf(config, positions), ownTerm: topology.term };
    const say = () => answer(this.#reply(command, candidate.host, refusal, own));
    if (refusal !== undefined || command.dryRun) return say();
    this.#core.log('I', 'REPL', 5972100, 'Voting yes in election');
    this.store({ term: command.term, candidateIndex: command.candidateIndex }, () => {
      this.#core.trace({ type: 'votePersisted', term: command.term, candidate: candidate.host });
      say();
    });
  }

  #forcedNo({ dryRun }: RequestVotesCommand): string | undefined {
    const { failPoints } = this.#host.core;
    if (failPoints.enter('voteNoInElection')) {
      return 'forced to vote no in election due to failpoint voteNoInElection set';
    }
    if (dryRun || !failPoints.enter('voteYesInDryRunButNoInRealElection')) return undefined;
    return 'forced to vote no in real election due to failpoint voteYesInDryRunButNoInRealElection set';
  }

  /** The highest priority of those who are up and say that they are primary, the candidate aside. */
  #healthyPrimaryPriority(candidateIndex: number): number | undefined {
    let highest: number | undefined;
    for (const { index, up, state, config } of this.#host.topology.others) {
      if (index === candidateIndex || !up || state !== 'PRIMARY') continue;
      highest = Math.max(highest ?? 0, config.priority);
    }
    return highest;
  }

  /** @param own as it was when the vote was decided: it may have gone to disk since */
  #reply(
    command: RequestVotesCommand,
    candidate: string,
    refusal: string | undefined,
    own: { readonly own: VoteClaim; readonly ownTerm: Term },
  ): RequestVotesReply {
    const { term, dryRun } = command;
    if (!dryRun) this.#recordVote(command, refusal);
    const granted = refusal === undefined;
    const reason = refusal ?? '';
    const reply: RequestVotesReply = { ok: 1, term: this.#host.topology.term, voteGranted: granted, reason };
    const { state } = this.#host.topology;
    this.#core.log('I', 'ELECTION', 23980, 'Responding to vote request', {
      request: showPlain(command),
      response: showPlain({ term: reply.term, voteGranted: granted, reason }),
      replicaSetStatus: `state: ${state}, lastVote: ${this.lastVote.term}, candidate: ${candidate}`,
    });
    const lastVoteTerm = this.lastVote.term;
    const { lastWrittenOpTime: lastWritten, lastAppliedOpTime: lastApplied, configVersion, configTerm } = command;
    const claim = { lastWritten, lastApplied, configVersion, configTerm };
    this.#core.trace({ type: 'voteAnswered', candidate, term, dryRun, granted, reason, lastVoteTerm, claim, ...own });
    return reply;
  }

  #recordVote({ term, candidateIndex }: RequestVotesCommand, refusal: string | undefined): void {
    const { topology, positions, elections } = this.#host;
    elections.last.voted({
      votedForCandidate: refusal === undefined,
      term,
      dateMs: this.#core.now.wallMs,
      candidateMemberId: required(topology.configInForce.members[candidateIndex], 'candidate in the config')._id,
      reason: refusal ?? '',
      lastWritten: positions.counted.opTime,
      maxWrittenInSet: topology.newestKnown('written'),
      lastApplied: positions.applied.opTime,
      maxAppliedInSet: topology.newestKnown('applied'),
      priority: topology.selfInForce.priority,
    });
  }
}

function failure(code: number, errmsg: string): ErrorReply {
  return { ok: 0, code, errmsg };
}
