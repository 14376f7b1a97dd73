import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import { type ReactNode, useEffect, useState } from 'react';
import type { Task } from '../../core/edit/head.ts';
import type { Played } from '../../core/run/player.ts';
import { usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import { AskHint } from './AskHint.tsx';

/** What a scenario asks of its reader: the task, what may be done, what the last run says of it, and hints, one at a time. */
export function ChallengePanel({ task }: { readonly task: Task }): ReactNode {
  const { task: text, allowed, hints } = task;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached
    <section className="panel-body challenge" tabIndex={0} aria-label="Challenge">
      <p className="task">{text}</p>
      {allowed.length > 0 && (
        <p className="hint">
          Add steps by clicks, or in the text. Allowed:{' '}
          {allowed.map((step) => (
            <code key={step}>{step}</code>
          ))}
        </p>
      )}
      <Judged />
      <Hints hints={hints} />
    </section>
  );
}

/** What the last run says. */
function Judged(): ReactNode {
  const { run, wayOut, state } = usePage();
  const { played } = run;
  const challenge = played?.kind === 'played' ? played.challenge : undefined;
  const isSolved = challenge?.solved === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a run, however the page is drawn
  useEffect(() => {
    if (isSolved) wayOut?.done?.(state.text);
  }, [played, isSolved]);
  if (!challenge)
    return (
      <p className="judged" role="status">
        {unjudged(played)}
      </p>
    );
  const { goals } = challenge;
  const missing = goals.filter(({ held }) => !held).length;
  return (
    <>
      <p className={`judged ${isSolved ? 'solved' : 'open'}`} role="status">
        <strong>{isSolved ? 'Solved.' : 'Not solved yet.'}</strong>{' '}
        {isSolved
          ? 'All goals hold at the end of the run.'
          : `${missing} of ${goals.length} goals do not hold at the end of the run.`}
      </p>
      <ul className="goals" aria-label="Goals">
        {goals.map((goal) => (
          <Goal key={goal.text} goal={goal} />
        ))}
      </ul>
      {isSolved && wayOut?.next && <p className="ways">{wayOut.next(state.text)}</p>}
    </>
  );
}

function unjudged(played: Played | undefined): string {
  if (!played) return 'The run is being played …';
  if (played.kind === 'mistakes') {
    const [first] = played.mistakes;
    return `Not judged: ${first?.message ?? 'the text has a mistake'}${first ? ` (line ${first.line})` : ''}.`;
  }
  return `Not judged, because the run failed before its end: ${played.failure?.title ?? 'an invariant broke'}.`;
}

type Judgement = NonNullable<Extract<Played, { kind: 'played' }>['challenge']>['goals'][number];

function Goal({ goal: { text, held, got, reasons } }: { readonly goal: Judgement }): ReactNode {
  return (
    <li className={held ? 'held' : 'missing'}>
      {held ? <CircleCheck size={16} aria-label="holds:" /> : <CircleDashed size={16} aria-label="missing:" />}
      <div>
        <code>{text}</code>
        {got !== undefined && <p className="got">{got}</p>}
        {reasons.length > 0 && <Reasons reasons={reasons} />}
      </div>
    </li>
  );
}

/** What stood in the way could tell too much: it is shown to whoever asks. */
function Reasons({ reasons }: { readonly reasons: readonly string[] }): ReactNode {
  const [isShown, setIsShown] = useState(false);
  if (!isShown)
    return (
      <Button look="ask" onClick={() => setIsShown(true)}>
        why not?
      </Button>
    );
  return (
    <ul className="reasons">
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

/** One after the other, as somebody asks for them. */
function Hints({ hints }: Pick<Task, 'hints'>): ReactNode {
  const [shown, setShown] = useState(0);
  if (hints.length === 0) return null;
  const left = hints.length - shown;
  return (
    <>
      <ol className="hints" aria-label="Hints" aria-live="polite">
        {hints.slice(0, shown).map((hint) => (
          <li key={hint.text}>
            {hint.text} {hint.why !== undefined && <AskHint why={hint.why} />}
          </li>
        ))}
      </ol>
      <p>
        {left > 0 ? (
          <Button onClick={() => setShown(shown + 1)}>{shown === 0 ? 'give me a hint' : 'another hint'}</Button>
        ) : (
          <span className="hint">These were all hints.</span>
        )}{' '}
        {left > 0 && <span className="hint">{`${left} left`}</span>}
      </p>
    </>
  );
}
