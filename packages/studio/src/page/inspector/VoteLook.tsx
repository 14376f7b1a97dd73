import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import { useActions, usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import { type Ballot, type Round, roundsAt } from './rounds.ts';

/** Who has asked for votes, and what the others have answered: of the selected member, or of all. */
export function VoteLook(): ReactNode {
  const { moment, member, guide } = usePage();
  const rounds = roundsAt(guide.seen.history, moment.members, moment.atMicros);
  if (rounds.length === 0) return <p className="hint empty">Nobody has asked for votes up to this instant.</p>;
  return rounds.map((round) => (
    <RoundView key={`${round.atMicros} ${round.candidate}`} round={round} chosen={member} />
  ));
}

interface RoundProps {
  readonly round: Round;
  /** Is marked. */
  readonly chosen: string | undefined;
}

function RoundView({ round, chosen }: RoundProps): ReactNode {
  const { candidate, term, isDryRun, atMicros, ballots, outcome } = round;
  const { go } = useActions();
  const asks = isDryRun
    ? `${candidate} asks who would vote for it (dry run)`
    : `${candidate} asks for votes in term ${term}`;
  return (
    <section className="round" aria-label={`${formatInstant(atMicros)}: ${asks}`}>
      <h3>
        <Button look="quiet" onClick={() => go(atMicros)}>
          <time>{formatInstant(atMicros)}</time>
        </Button>{' '}
        {asks}
        {outcome !== undefined && <span className={`outcome-${outcome}`}>{` · ${outcomeText(round)}`}</span>}
      </h3>
      <dl className="facts">
        {ballots.map((ballot) => (
          <BallotView key={ballot.member} ballot={ballot} isChosen={ballot.member === chosen} />
        ))}
      </dl>
    </section>
  );
}

function outcomeText({ outcome, isDryRun }: Round): string {
  if (outcome === 'lost') return isDryRun ? 'too few would' : 'lost';
  return isDryRun ? 'enough would' : 'won';
}

function BallotView({ ballot, isChosen }: { readonly ballot: Ballot; readonly isChosen: boolean }): ReactNode {
  const { member, granted, reason, atMicros } = ballot;
  const { ask } = useActions();
  const said = granted === undefined ? 'no answer' : granted ? 'yes' : 'no';
  return (
    <div className={isChosen ? 'chosen' : undefined}>
      <dt>{member}</dt>
      <dd>
        <strong className={granted === undefined ? undefined : granted ? 'ok' : 'bad'}>{said}</strong>
        {reason !== '' && `: ${reason} `}
        <Button
          look="ask"
          aria-label={`why? the vote of ${member}`}
          onClick={() => ask({ kind: 'vote', atMicros, member })}
        >
          why?
        </Button>
      </dd>
    </div>
  );
}
