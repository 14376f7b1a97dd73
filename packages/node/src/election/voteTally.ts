import { required } from '@replsim/protocol';

/** How a round of vote requests ended. Upstream: VoteRequester::Result. */
export type RoundResult = 'success' | 'insufficientVotes' | 'staleTerm' | 'primaryRespondedNo';

/** A round under way. Upstream: vote_requester.cpp, VoteRequester::Algorithm. */
export interface VoteTally {
  /** `majorityVoteCount` of the config. */
  readonly needed: number;
  /** Yes votes, the own one included. */
  readonly votes: number;
  /** How many have neither answered nor been given up. */
  readonly waitingFor: number;
  /** Somebody answered from a later term. */
  readonly staleTerm: boolean;
  /** The current primary decides first in the dry run of a catch-up takeover, and has no say elsewhere. */
  readonly primaryVote: 'notNeeded' | 'pending' | 'yes' | 'no';
}

export interface Ballot {
  /** False for a no, an error and silence alike. */
  readonly granted: boolean;
  readonly fromLaterTerm: boolean;
  readonly fromPrimary: boolean;
}

/** Takes in one voter's answer, or that there was none. */
export function counted(tally: VoteTally, { granted, fromLaterTerm, fromPrimary }: Ballot): VoteTally {
  const decides = fromPrimary && tally.primaryVote === 'pending';
  return {
    ...tally,
    votes: tally.votes + (granted && !fromLaterTerm ? 1 : 0),
    waitingFor: tally.waitingFor - 1,
    staleTerm: tally.staleTerm || fromLaterTerm,
    primaryVote: decides ? (granted ? 'yes' : 'no') : tally.primaryVote,
  };
}

/** How the round ended; undefined while an answer to come may still matter. */
export function resultOf(tally: VoteTally): RoundResult | undefined {
  const { needed, votes, waitingFor, staleTerm, primaryVote } = tally;
  if (primaryVote === 'no') return 'primaryRespondedNo';
  if (primaryVote === 'pending') return undefined;
  if (staleTerm) return 'staleTerm';
  if (votes >= needed) return 'success';
  return waitingFor === 0 ? 'insufficientVotes' : undefined;
}

/** A voter that has not answered by the end of the round counts as a no. */
export function resultAtTimeout(tally: VoteTally): RoundResult {
  const primaryVote = tally.primaryVote === 'pending' ? 'no' : tally.primaryVote;
  return required(resultOf({ ...tally, waitingFor: 0, primaryVote }), 'result of a round that is over');
}
