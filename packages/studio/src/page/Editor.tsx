import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { completionsAt } from '../edit/complete.ts';
import { type TextEditor, textEditorMaker } from '../later/textEditor.ts';
import type { Mistake } from '../run/player.ts';

/** What others may do to the text; each is one step of undo. */
export type EditorDoor = Pick<TextEditor, 'replace' | 'undo' | 'redo'>;

interface Props {
  readonly text: string;
  readonly mistakes: readonly Mistake[];
  readonly onChange: (text: string) => void;
  readonly door: Ref<EditorDoor>;
  /** What it is called, where that is not the scenario of the page. */
  readonly label?: string;
  /** Whether the text is only read until somebody goes there to write. */
  readonly isForReading?: boolean;
}

/** The scenario, which is all that the page knows; whatever is clicked is a line of it. It is there to be read before its editor is. */
export function Editor({ text, mistakes, onChange, door, label = 'The scenario', isForReading }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  /** What the editor begins with, so that undo leads back to there. */
  const begun = useRef(text);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };
  /** What is to be done as soon as it stands. */
  const waiting = useRef<((editor: TextEditor) => void)[]>([]);
  const [isAsked, setAsked] = useState(false);
  const [editor, setEditor] = useState<TextEditor>();
  const [failure, setFailure] = useState<string>();
  const isWanted = isAsked || !isForReading;

  useEffect(() => {
    if (!isWanted) return;
    let made: TextEditor | undefined;
    let isGone = false;
    textEditorMaker().then(
      (make) => {
        if (isGone) return;
        let isCatchingUp = true;
        made = make(place.current!, {
          text: begun.current,
          label,
          onChange: (now) => isCatchingUp || latest.current.onChange(now),
          complete: completionsAt,
        });
        for (const each of waiting.current) each(made);
        isCatchingUp = false;
        // What was replaced is known; what was undone then is not. An editor knows one kind of line ends.
        if (made.text !== latest.current.text.replaceAll(/\r\n?/g, '\n')) latest.current.onChange(made.text);
        if (document.activeElement === plain.current) made.focus(plain.current!.selectionStart);
        setEditor(made);
      },
      (error: Error) => setFailure(error.message),
    );
    return () => {
      isGone = true;
      made?.close();
    };
  }, [isWanted, label]);
  useEffect(() => editor?.show(mistakes), [editor, mistakes]);
  useImperativeHandle(door, () => {
    if (editor) return editor;
    const later = (what: (editor: TextEditor) => void) => {
      waiting.current.push(what);
      setAsked(true);
    };
    return {
      replace: (now, line) => {
        later((made) => made.replace(now, line));
        // The run does not wait for it.
        latest.current.onChange(now);
      },
      undo: () => later((made) => made.undo()),
      redo: () => later((made) => made.redo()),
    };
  }, [editor]);
  return (
    <>
      {failure && <p className="verdict failed">{failure}</p>}
      {!editor && (
        <textarea
          ref={plain}
          className="plain-text"
          aria-label={label}
          readOnly
          value={text}
          rows={text.split('\n').length}
          // A click puts the cursor where it is to be only after that.
          onFocus={() => setTimeout(() => setAsked(true))}
        />
      )}
      <div ref={place} />
    </>
  );
}
