import { formatInstant } from '@replsim/kernel';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { Asked } from '../../core/lesson/asked.ts';
import { useActions } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import { Worded } from './LessonWords.tsx';

interface OpenProps {
  readonly asked: Asked;
  /** The step that is about to be made, if one is. */
  readonly coming: string | undefined;
  /** What can be known before one answers. */
  readonly known?: ReactNode;
  /** @param given undefined: the answer is to be shown */
  readonly onAnswer: (given: string | undefined) => void;
}

/** A question that is put now. */
export function LessonQuestion({ asked, coming, known, onAnswer }: OpenProps): ReactNode {
  const id = useId();
  const { text, choices, atMicros, dueMicros } = asked;
  return (
    <fieldset className="question" aria-labelledby={id}>
      <p id={id}>
        <strong>
          <Worded text={text} />
        </strong>
      </p>
      {dueMicros !== undefined && (
        <p className="hint">{`It is ${formatInstant(atMicros)} here; the question is about ${formatInstant(dueMicros)}.`}</p>
      )}
      {coming !== undefined && <p className="hint">{`Before that: ${coming}`}</p>}
      {known}
      <div className="answers">
        {choices.map((choice, i) => (
          <Button key={choice} className="answer-choice" title={String(i + 1)} onClick={() => onAnswer(choice)}>
            <span className="key" aria-hidden="true">
              {i + 1}
            </span>
            {choice}
          </Button>
        ))}
        <Button look="quiet" title="0" onClick={() => onAnswer(undefined)}>
          show me
        </Button>
      </div>
    </fieldset>
  );
}

interface AnsweredProps {
  readonly asked: Asked;
  /** Undefined: nobody has answered, it was shown. */
  readonly given: string | undefined;
  /** Whether the instant of the answer is: another question may stand before it. */
  readonly isSeen: boolean;
  /** Goes to where the answer comes true. */
  readonly onGo: () => void;
}

/** What the run says to an answer. */
export function LessonMark({ asked, given, isSeen, onGo }: AnsweredProps): ReactNode {
  const { ask } = useActions();
  const { text, answer, knownMicros, why } = asked;
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The button that was pressed is gone, and with it the place of whoever goes by the keyboard.
    if (document.activeElement === document.body) said.current?.focus({ preventScroll: true });
  }, []);
  const mark = given === undefined ? 'shown' : given === answer ? 'right' : 'wrong';
  return (
    <div className={`question ${mark}`}>
      <p className="hint">{text}</p>
      <p ref={said} tabIndex={-1} role="status">
        <strong>{SIGNS[mark]}</strong> {mark === 'wrong' ? `You said ${given}; the run says: ` : 'The run says: '}
        <strong>{answer}</strong>
      </p>
      {isSeen && (
        <div className="answers">
          <Button onClick={onGo}>{`see it at ${formatInstant(knownMicros)}`}</Button>
          {why && (
            <Button
              look="ask"
              onClick={() => {
                onGo();
                ask(why);
              }}
            >
              why?
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

const SIGNS = { right: '✓ Right.', wrong: '✗ Not so.', shown: '→' } as const;
