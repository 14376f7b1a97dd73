import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef } from 'react';
import { createPortal } from 'react-dom';
import glossary from '../../../../../docs/glossary.md?raw';
import { partsOf, type Word, wordsIn, wordsOf } from '../../core/lesson/glossary.ts';

const WORDS = wordsOf(glossary);
/** More of them would be all that one sees of a sentence. */
const CORE = WORDS.filter(({ isCore }) => isCore);

/** A text whose words of the trade say what they mean, to the mouse and to the keyboard. */
export function Worded({ text }: { readonly text: string }): ReactNode {
  const parts = useMemo(() => partsOf(text, CORE), [text]);
  return parts.map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a text is shown as a whole
    part.word ? <WordButton key={i} text={part.text} word={part.word} /> : part.text,
  );
}

/** The words that stand in what cannot bear a button inside: pictures, and lines that are buttons themselves. */
export function WordsHere({ text }: { readonly text: string }): ReactNode {
  const words = useMemo(() => wordsIn(text, WORDS), [text]);
  if (words.length === 0) return null;
  return (
    <p className="words">
      words here:{' '}
      {words.map((word) => (
        <span key={word.word}>
          <WordButton text={word.word} word={word} />{' '}
        </span>
      ))}
    </p>
  );
}

/** Between a word and what it means. Unit: pixels. */
const GAP = 4;

function WordButton({ text, word }: { readonly text: string; readonly word: Word }): ReactNode {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const show = () => {
    const box = button.current?.getBoundingClientRect();
    if (!tip.current || !box) return;
    tip.current.showPopover();
    const { offsetWidth, offsetHeight } = tip.current;
    const below = box.bottom + GAP;
    tip.current.style.left = `${Math.max(0, Math.min(box.left, innerWidth - offsetWidth))}px`;
    tip.current.style.top = `${below + offsetHeight > innerHeight ? box.top - GAP - offsetHeight : below}px`;
  };
  const hide = () => tip.current?.hidePopover();
  return (
    <>
      <button
        ref={button}
        type="button"
        className="word"
        aria-describedby={id}
        onMouseEnter={show}
        onFocus={show}
        onClick={show}
        onMouseLeave={hide}
        onBlur={hide}
        onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && hide()}
      >
        {text}
      </button>
      {createPortal(
        <span ref={tip} id={id} role="tooltip" popover="manual" className="tip word-tip">
          {word.means}
        </span>,
        // Whoever reads or copies the text reads the text.
        document.body,
      )}
    </>
  );
}
