import { formatInstant } from '@replsim/kernel';
import type { CauseLink } from '@replsim/why';
import { type ReactNode, useEffect, useState } from 'react';
import type { Player, Question } from '../run/player.ts';

interface Props {
  readonly player: Pick<Player, 'why'>;
  readonly question: Question | undefined;
  /** Changes with every run: answers are about the last. */
  readonly run: unknown;
  readonly onGo: (atMicros: number) => void;
}

/** Sentences about what happened, or did not; each goes to its instant. */
export function Why({ player, question, run, onGo }: Props): ReactNode {
  const [answer, setAnswer] = useState<readonly CauseLink[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run has new answers
  useEffect(() => {
    if (!question) return;
    let isCurrent = true;
    player.why(question).then((links) => isCurrent && setAnswer(links));
    return () => {
      isCurrent = false;
    };
  }, [player, question, run]);
  if (!question) return <p className="hint">Ask “why” about a member: it stands beside its buttons.</p>;
  return (
    <section aria-label="Why" aria-live="polite">
      <h3>{questionText(question)}</h3>
      {answer.length === 0 && <p>Nothing stands in its way that the trace knows of.</p>}
      <ol className="why">
        {answer.map(({ turn, atMicros, text }, i) => (
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
      return `Why are the data of ${question.ns} on ${question.member} as they are?`;
    case 'write':
      return `What does a majority wait for at ${formatInstant(question.atMicros)}?`;
    case 'operation':
      return `What became of ${question.workload}/${question.turn}, as of ${formatInstant(question.atMicros)}?`;
    case 'vote':
      return `How did ${question.member} vote last, before ${formatInstant(question.atMicros)}, and why?`;
    case 'monitor':
      return `What does the TTL monitor of ${question.member} do at ${formatInstant(question.atMicros)}?`;
    case 'document':
      return `Why is ${question.id} of ${question.ns} on ${question.member} as it is at ${formatInstant(question.atMicros)}?`;
    case 'event':
      return 'Why did this happen?';
  }
}
