import { formatInstant } from '@replsim/kernel';
import type { CauseLink } from '@replsim/why';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { History } from '../../core/history/history.ts';
import type { Player, Question } from '../../core/run/player.ts';
import { useActions, usePage } from '../context.ts';
import { Button, IconButton } from '../controls/Button.tsx';
import { pointedBy } from '../state.ts';
import type { Run } from '../useRun.ts';

interface Props {
  readonly player: Pick<Player, 'why'>;
  readonly question: Question;
  /** Answers are about the last run. */
  readonly run: Run;
  /** Of what may be seen of it. */
  readonly history: History;
  /** As which question it may be answered now. */
  readonly within?: (question: Question) => Question;
}

/** Sentences about what happened, or did not; each goes to its instant, and shows on the page what it is about. */
export function Why({ player, question, run, history, within }: Props): ReactNode {
  const { atMicros } = usePage();
  const { ask } = useActions();
  const place = useRef<HTMLElement>(null);
  const links = useAnswer(player, question, run.played, within);
  // Once a question: what a new run answers to it comes while somebody does something else.
  const isAnswered = links !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isAnswered) place.current?.focus();
  }, [question, isAnswered]);
  const isOfAnotherInstant = question.kind !== 'event' && question.atMicros !== atMicros;
  return (
    <section ref={place} className="answer" tabIndex={-1} aria-label="Why" aria-live="polite" aria-busy={!links}>
      <div className="answer-head">
        <h3>{questionText(question)}</h3>
        <IconButton label="close the answer" onClick={() => ask(undefined)}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </div>
      {isOfAnotherInstant && (
        <p className="hint">
          The page shows another instant now.{' '}
          <Button look="quiet" onClick={() => ask({ ...question, atMicros })}>
            ask of this one
          </Button>
        </p>
      )}
      {links?.length === 0 && <p>The trace shows nothing that prevents it.</p>}
      <ol className="why">
        {links?.map((link, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer is shown as a whole
          <li key={`${link.turn} ${i}`}>
            <Reason link={link} history={history} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The answer of the last run to a question; undefined until there is one. */
function useAnswer(
  player: Pick<Player, 'why'>,
  question: Question,
  played: unknown,
  within: Props['within'],
): readonly CauseLink[] | undefined {
  const [answer, setAnswer] = useState<{ readonly to: Question; readonly links: readonly CauseLink[] }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run has new answers
  useEffect(() => {
    let isCurrent = true;
    player.why(within?.(question) ?? question).then((links) => isCurrent && setAnswer({ to: question, links }));
    return () => {
      isCurrent = false;
    };
  }, [player, question, played, within]);
  return answer?.to === question ? answer.links : undefined;
}

interface ReasonProps {
  readonly link: CauseLink;
  readonly history: History;
}

function Reason({ link: { atMicros, text }, history }: ReasonProps): ReactNode {
  const { go, point } = useActions();
  const show = () => point(pointedBy(text, atMicros, history.memberNames, history.epochSecs));
  const hide = () => point(undefined);
  return (
    <button
      type="button"
      onClick={() => go(atMicros)}
      onPointerEnter={show}
      onFocus={show}
      onPointerLeave={hide}
      onBlur={hide}
    >
      <time>{formatInstant(atMicros)}</time> {text}
    </button>
  );
}

const NUMBER = /^\{"\$number(?:Int|Long|Double)":"(.*)"\}$/;
const OBJECT_ID = /^\{"\$oid":"(.*)"\}$/;

/** @param id canonical Extended JSON, as `DataRow.id` has it */
function idText(id: string): string {
  const value = id.replace(/^\{"_id":(.*)\}$/s, '$1');
  return `_id ${value.replace(NUMBER, '$1').replace(OBJECT_ID, "ObjectId('$1')")}`;
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
      return `Why is ${idText(question.id)} of ${question.ns} on ${question.member} as it is at ${formatInstant(question.atMicros)}?`;
    case 'event':
      return 'Why did this happen?';
  }
}
