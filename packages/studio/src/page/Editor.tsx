import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { parseDocument } from 'yaml';
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

/** What is to be done as soon as an editor stands, and to which text: undo leads back to that. */
interface Waiting {
  readonly onto?: string;
  readonly todo: readonly ((editor: TextEditor) => void)[];
}

const NOTHING_WAITS: Waiting = { todo: [] };

/** The scenario, which is all that the page knows; whatever is clicked is a line of it. It is there to be read before its editor is. */
export function Editor({ text, mistakes, onChange, door, label = 'The scenario', isForReading }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const waiting = useRef(NOTHING_WAITS);
  const [editor, setEditor] = useState<TextEditor>();
  const [failure, setFailure] = useState<string>();
  const [wanted, setWanted] = useState(0);
  /** How often it has been asked for; one that is there stays. */
  const asked = wanted || (isForReading && !editor ? 0 : 1);
  const want = () => setWanted(failure === undefined ? asked || 1 : asked + 1);
  const latest = useRef({ text, onChange, want });
  latest.current = { text, onChange, want };

  useEffect(() => {
    if (asked === 0) return;
    let made: TextEditor | undefined;
    let isGone = false;
    setFailure(undefined);
    textEditorMaker().then(
      (make) => {
        if (isGone) return;
        let isCatchingUp = true;
        const { onto = latest.current.text, todo } = waiting.current;
        waiting.current = NOTHING_WAITS;
        made = make(place.current!, {
          text: onto,
          label,
          onChange: (now) => isCatchingUp || latest.current.onChange(now),
          parse: (now) => parseDocument(now, { logLevel: 'silent' }).contents,
        });
        for (const each of todo) each(made);
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
  }, [asked, label]);
  useEffect(() => editor?.show(mistakes), [editor, mistakes]);
  useImperativeHandle(door, () => {
    if (editor) return editor;
    const later = (what: (editor: TextEditor) => void) => {
      const { onto = latest.current.text, todo } = waiting.current;
      waiting.current = { onto, todo: [...todo, what] };
      latest.current.want();
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
      {failure && (
        <p className="verdict failed">
          {failure}{' '}
          <button type="button" onClick={want}>
            try again
          </button>
        </p>
      )}
      {!editor && (
        <textarea
          ref={plain}
          className="plain-text"
          aria-label={label}
          readOnly
          value={text}
          rows={text.split('\n').length}
          // A click puts the cursor where it is to be only after that.
          onFocus={() => setTimeout(want)}
        />
      )}
      <div ref={place} />
    </>
  );
}
