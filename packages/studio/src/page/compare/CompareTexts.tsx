import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { differingLines } from '../../core/compare/differingLines.ts';
import type { Mistake } from '../../core/run/player.ts';
import { Fold } from '../controls/Fold.tsx';
import { Editor } from '../text/Editor.tsx';
import type { EditorDoor } from '../text/useTextEditor.ts';

interface Props {
  readonly first: string;
  readonly second: string;
  readonly mistakes: readonly Mistake[];
  /** Somebody writes in the second text, which from then on is one of its own. */
  readonly onWrite: (text: string) => void;
}

/** In which lines the two texts differ, and the second as a whole. */
export function CompareTexts({ first, second, mistakes, onWrite }: Props): ReactNode {
  const lines = useMemo(() => differingLines(first, second), [first, second]);
  return (
    <>
      {lines.length === 0 ? (
        <p>The two texts are the same.</p>
      ) : (
        <ul className="differing-lines" aria-label="Lines in which the texts differ">
          {lines.map(({ side, number, text }) => (
            <li key={`${side} ${number}`} className={side}>
              {`${side}, line ${number}: `}
              <code>{text}</code>
            </li>
          ))}
        </ul>
      )}
      <Fold title="the second text">
        <SecondEditor text={second} mistakes={mistakes} onWrite={onWrite} />
      </Fold>
    </>
  );
}

interface EditorProps {
  readonly text: string;
  readonly mistakes: readonly Mistake[];
  readonly onWrite: (text: string) => void;
}

/** Follows what is made of the first text, until somebody writes in it. */
function SecondEditor({ text, mistakes, onWrite }: EditorProps): ReactNode {
  const door = useRef<EditorDoor>(null);
  /** What stands in the editor. */
  const here = useRef(text);
  const wanted = useRef(text);
  wanted.current = text;
  /** What was written here and has not come back: it comes later than the next letter is typed, and is no news. */
  const sent = useRef(new Set<string>());
  useEffect(() => {
    if (sent.current.delete(text)) return;
    if (text !== here.current) door.current?.replace(text, 1);
  }, [text]);
  const changed = (now: string) => {
    here.current = now;
    if (now === wanted.current) return;
    sent.current.add(now);
    onWrite(now);
  };
  return <Editor label="The second scenario" text={text} mistakes={mistakes} onChange={changed} door={door} />;
}
