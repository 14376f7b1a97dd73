import type { CauseLink } from '@replsim/why';
import { type ReactNode, useState } from 'react';
import type { Shared } from '../../core/edit/fragment.ts';
import type { Player } from '../../core/run/player.ts';
import type { Act } from './acts.ts';
import type { Plot } from './plot.ts';

interface Props {
  readonly act: Act;
  readonly plot: Plot;
  readonly player: Pick<Player, 'why'>;
  readonly onAgain: () => void;
  readonly onOpen: (shared: Pick<Shared, 'text'> & Partial<Shared>) => void;
  readonly onFirstLesson: () => void;
  readonly lessonMinutes: number;
}

/** What came of it, and where to go from here. */
export function Ending({ act, plot, player, onAgain, onOpen, onFirstLesson, lessonMinutes }: Props): ReactNode {
  const [links, setLinks] = useState<readonly CauseLink[]>();
  const { successor } = plot;
  const ask = () => {
    if (successor) player.why({ kind: 'event', turn: successor.turn }).then(setLinks);
  };
  return (
    <>
      <p className="outcome">{outcomeOf(act, plot)}</p>
      <div className="ways">
        {successor && (
          <button type="button" onClick={ask} disabled={links !== undefined}>
            {`Why did ${successor.member} win?`}
          </button>
        )}
        <button type="button" onClick={onAgain}>
          {act.id === 'failover' ? 'Do it again with w: 1 writes' : 'Kill the primary again'}
        </button>
        <button type="button" onClick={onFirstLesson}>
          {`Take the first lesson (${lessonMinutes} min)`}
        </button>
      </div>
      {links && (
        <ol className="because" aria-label={`Why ${successor?.member} won`}>
          {links.map(({ turn, atMicros, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer is shown as a whole
            <li key={`${turn} ${i}`}>
              <button type="button" onClick={() => onOpen({ text: act.text, atMicros })}>
                <time>{secondsText(atMicros)}</time> {text}
              </button>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function outcomeOf(act: Act, { faultMicros, successor }: Plot): string {
  if (!successor) return 'Nobody was elected.';
  if (act.id === 'loss')
    return `The client’s write was acknowledged. ${successor.member} was elected without it, so n1 removed it. With w: "majority" it would not have been acknowledged.`;
  const { member, writableMicros } = successor;
  if (writableMicros === undefined) return `${member} was elected.`;
  return `${member} took over. For ${secondsText(writableMicros - faultMicros)} nobody accepted writes, and nearly all of that was waiting: the election itself took less than a tenth of a second.`;
}

function secondsText(micros: number): string {
  return `${(micros / 1_000_000).toFixed(1)} s`;
}
