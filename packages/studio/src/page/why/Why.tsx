import { formatInstant } from '@replsim/kernel';
import type { CauseLink } from '@replsim/why';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Player, Question } from '../../core/run/player.ts';

interface Props {
  readonly player: Pick<Player, 'why'>;
  readonly question: Question | undefined;
  /** Changes with every run: answers are about the last. */
  readonly run: unknown;
  /** The instant that is shown, of which it can be asked again. */
  readonly atMicros: number;
  /** As which question it may be answered now. */
  readonly within?: (question: Question) => Question;
  readonly onGo: (atMicros: number) => void;
  readonly onAsk: (question: Question) => void;
}

/** Sentences about what happened, or did not; each goes to its instant. Whoever asks is taken there when they are. */
export function Why({ player, question, run, atMicros, within, onGo, onAsk }: Props): ReactNode {
  const place = useRef<HTMLElement>(null);
  const [answer, setAnswer] = useState<{ readonly to: Question; readonly links: readonly CauseLink[] }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run has new answers
  useEffect(() => {
    if (!question) return;
    let isCurrent = true;
    player.why(within?.(question) ?? question).then((links) => isCurrent && setAnswer({ to: question, links }));
    return () => {
      isCurrent = false;
    };
  }, [player, question, run, within]);
  // Once a question: what a new run answers to it comes while somebody does something else.
  const answered = answer?.to;
  useEffect(() => {
    if (answered) place.current?.focus();
  }, [answered]);
  if (!question) return <p className="hint">To ask “why” about a member, select it and use its buttons.</p>;
  const links = answered === question ? answer?.links : undefined;
  const isOfAnotherInstant = question.kind !== 'event' && question.atMicros !== atMicros;
  return (
    <section ref={place} tabIndex={-1} aria-label="Why" aria-live="polite" aria-busy={!links}>
      <h3>{questionText(question)}</h3>
      {isOfAnotherInstant && (
        <p className="doings">
          The page shows another instant now.{' '}
          <button type="button" onClick={() => onAsk({ ...question, atMicros })}>
            ask of this one
          </button>
        </p>
      )}
      {links?.length === 0 && <p>The trace shows nothing that prevents it.</p>}
      <ol className="why">
        {links?.map(({ turn, atMicros, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer is shown as a whole
          <li key={`${turn} ${i}`}>
            <button type="button" onClick={() => onGo(atMicros)}>
              <time>{formatInstant(atMicros)}</time> {text}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function questionText(question: Question): string {
  switch (question.kind) {
    case 'primary':
      return question.member === undefined
        ? `Why is there no primary at ${formatInstant(question.atMicros)}?`
        : `Why is ${question.member} not primary at ${formatInstant(question.atMicros)}?`;
    case 'state':
      return `Why is ${question.member} in its state at ${formatInstant(question.atMicros)}?`;
    case 'data':
      return `Why is the data of ${question.ns} on ${question.member} as it is?`;
    case 'write':
      return `What is a majority waiting for at ${formatInstant(question.atMicros)}?`;
    case 'operation':
      return `What became of ${question.workload}/${question.turn}, as of ${formatInstant(question.atMicros)}?`;
    case 'vote':
      return `How did ${question.member} vote last, before ${formatInstant(question.atMicros)}, and why?`;
    case 'monitor':
      return `What is the TTL monitor of ${question.member} doing at ${formatInstant(question.atMicros)}?`;
    case 'document':
      return `Why is ${question.id} of ${question.ns} on ${question.member} as it is at ${formatInstant(question.atMicros)}?`;
    case 'event':
      return 'Why did this happen?';
  }
}
