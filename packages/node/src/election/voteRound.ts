import {
  type ErrorReply,
  type MemberReply,
  majorityVoteCount,
  type RequestVotesReply,
  required,
  type Term,
  type VoteClaim,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { statusAttr } from '../core/logValues.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { ElectionHost } from './electionHost.ts';
import { counted, type RoundResult, resultAtTimeout, resultOf, type VoteTally } from './voteTally.ts';
import { claimOf } from './voting.ts';

/** Upstream: vote_requester.cpp caps the election timeout for each round. */
const MAX_VOTE_TIMEOUT_MICROS = 30_000_000;

/** HostUnreachable, HostNotFound, NetworkTimeout: nobody answered. */
const NETWORK_ERRORS: ReadonlySet<number> = new Set([6, 7, 89]);

/** One round of votes: all other voters are asked at once, and the round ends as soon as its result is certain. */
export class VoteRound {
  readonly #core: Core;
  readonly #host: ElectionHost;
  readonly #ended: (result: RoundResult) => void;
  readonly #requests = new Set<number>();
  #tally: VoteTally | undefined;
  /** Yes votes of the latest round. */
  #votes = 0;
  /** Members that answered in the latest round, whatever they said. */
  readonly responders = new Set<MemberView>();

  readonly #fire = (): void => this.#onTimer();

  /** @param ended called once for a round that was not abandoned */
  constructor(core: Core, host: ElectionHost, ended: (result: RoundResult) => void) {
    this.#core = core;
    this.#host = host;
    this.#ended = ended;
  }

  get votes(): number {
    return this.#votes;
  }

  /** @param primaryDecides the dry run of a catch-up takeover: nothing ends it before the current primary has spoken */
  start(term: Term, dryRun: boolean, primaryDecides: boolean): void {
    const { topology } = this.#host;
    const voters = topology.others.filter(({ config }) => config.votes === 1);
    this.responders.clear();
    const tally: VoteTally = {
      needed: majorityVoteCount(topology.configInForce),
      votes: topology.selfInForce.votes,
      waitingFor: voters.length,
      staleTerm: false,
      primaryVote: primaryDecides ? 'pending' : 'notNeeded',
    };
    this.#tally = tally;
    const claim = claimOf(topology.configInForce, this.#host.positions);
    this.#core.trace({ type: 'votesRequested', term, dryRun, claim });
    for (const view of voters) this.#ask(view, term, dryRun, claim);
    this.#core.setTimer('votes', this.#fire, Math.min(topology.electionTimeoutMicros, MAX_VOTE_TIMEOUT_MICROS));
    this.#endIfCertain(tally, term, dryRun);
  }

  /** Nobody asks for the result any more. Answers that come later are ignored. */
  abandon(): void {
    if (!this.#tally) return;
    this.#tally = undefined;
    for (const id of this.#requests) this.#core.forget(id);
    this.#requests.clear();
    this.#core.cancelTimer('votes');
  }

  #onTimer(): void {
    if (this.#tally) this.#end(resultAtTimeout(this.#tally));
  }

  #ask(view: MemberView, term: Term, dryRun: boolean, claim: VoteClaim): void {
    const { topology } = this.#host;
    const command = {
      replSetRequestVotes: 1,
      setName: topology.configInForce._id,
      dryRun,
      term,
      candidateIndex: topology.selfIndex,
      configVersion: claim.configVersion,
      configTerm: claim.configTerm,
      lastWrittenOpTime: claim.lastWritten,
      lastAppliedOpTime: claim.lastApplied,
    } as const;
    const id = this.#core.request(view.config.host, 'vote', command, (reply) => {
      if (this.#requests.delete(id)) this.#answered(view, term, dryRun, reply);
    });
    this.#requests.add(id);
  }

  #answered(view: MemberView, term: Term, dryRun: boolean, reply: MemberReply | ErrorReply): void {
    const { topology } = this.#host;
    const vote = reply.ok === 1 ? (reply as RequestVotesReply) : undefined;
    this.#core.log('I', 'ELECTION', 51799, 'VoteRequester processResponse', {
      term,
      dryRun,
      ...answerAttr(view.config.host, reply),
    });
    if (vote) {
      this.responders.add(view);
      topology.heardFrom(view);
    }
    const tally = counted(required(this.#tally, 'round of votes'), {
      granted: vote?.voteGranted ?? false,
      fromLaterTerm: vote !== undefined && vote.term > term,
      fromPrimary: view.index === topology.primaryIndex,
    });
    this.#tally = tally;
    this.#endIfCertain(tally, term, dryRun);
  }

  #endIfCertain(tally: VoteTally, term: Term, dryRun: boolean): void {
    const { votes, needed, waitingFor } = tally;
    this.#votes = votes;
    if (this.#core.tracingCauses) this.#core.trace({ type: 'votesCounted', term, dryRun, votes, needed, waitingFor });
    const result = resultOf(tally);
    if (result !== undefined) this.#end(result);
  }

  #end(result: RoundResult): void {
    this.abandon();
    this.#ended(result);
  }
}

/** A member that could not be reached has sent no message. Upstream: VoteRequester::Algorithm::processResponse. */
function answerAttr(from: string, reply: MemberReply | ErrorReply): Readonly<Record<string, unknown>> {
  if (reply.ok === 0) {
    const error = statusAttr(reply);
    if (NETWORK_ERRORS.has(reply.code)) return { failReason: 'failed to receive response', error, from };
    return { failReason: 'received an invalid response', error, from, message: reply };
  }
  const { voteGranted, reason } = reply as RequestVotesReply;
  return voteGranted ? { vote: 'yes', from, message: reply } : { vote: 'no', from, reason, message: reply };
}
