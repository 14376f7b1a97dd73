import type { Happening, VoteRequest } from '../../core/history/happenings.ts';
import type { History } from '../../core/history/history.ts';
import { configOf, type MemberAt } from '../../core/history/memberAt.ts';
import { short } from '../../set/portrait.ts';

/** What one member was asked, and answered. */
export interface Ballot {
  readonly member: string;
  /** Undefined as long as there is no answer. */
  readonly granted: boolean | undefined;
  /** In the voter's words; empty for a yes, and where there is no answer. */
  readonly reason: string;
  readonly atMicros: number;
}

/** A candidate asks all other voters at once: who would vote for it, in a dry run, and then for their votes. */
export interface Round {
  readonly candidate: string;
  readonly term: number;
  readonly isDryRun: boolean;
  readonly atMicros: number;
  readonly ballots: readonly Ballot[];
  /** Undefined as long as it is open. */
  readonly outcome: 'won' | 'lost' | undefined;
}

/** So many of them are shown. */
const MOST = 6;
/** After that nobody answers any more. Unit: µs. */
const WHOLE = 30e6;

/** What was asked last up to an instant, newest first. */
export function roundsAt(history: History, members: readonly MemberAt[], atMicros: number): readonly Round[] {
  return history.happenings.voteRequests(atMicros, MOST).map((asked) => {
    const { atMicros: from } = asked;
    return roundOf(asked, history.happenings.between(from - 1, Math.min(atMicros, from + WHOLE)), members);
  });
}

function roundOf(asked: VoteRequest, after: readonly Happening[], members: readonly MemberAt[]): Round {
  const { member: candidate, term, dryRun: isDryRun, atMicros } = asked;
  const answers = after.filter(
    (event) =>
      event.type === 'voteAnswered' &&
      short(event.candidate) === candidate &&
      event.term === term &&
      event.dryRun === isDryRun,
  );
  const voters = members.filter((each) => each.name !== candidate && configOf(each, members)?.votes !== 0);
  const ballots = voters.map(({ name: member }): Ballot => {
    const answer = answers.find((each) => each.member === member);
    if (answer?.type !== 'voteAnswered') return { member, granted: undefined, reason: '', atMicros };
    const { granted, reason } = answer;
    return { member, granted, reason: granted ? '' : reason, atMicros: answer.atMicros };
  });
  return { candidate, term: Number(term), isDryRun, atMicros, ballots, outcome: outcomeOf(asked, after) };
}

/** A dry run is won when the election begins that it was for. */
function outcomeOf({ member, term, dryRun }: VoteRequest, after: readonly Happening[]): Round['outcome'] {
  for (const event of after) {
    if (event.member !== member) continue;
    if (event.type === 'electionLost' && event.dryRun === dryRun && event.term >= term) return 'lost';
    if (event.type === 'electionWon' && !dryRun && event.term === term) return 'won';
    if (dryRun && event.type === 'votesRequested' && !event.dryRun) return 'won';
  }
  return undefined;
}
