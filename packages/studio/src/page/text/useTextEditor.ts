import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { parseDocument } from 'yaml';
import { type TextEditor, textEditorMaker } from '../../later/textEditor.ts';

/** What others may do to the text; each is one step of undo. */
export type EditorDoor = Pick<TextEditor, 'replace' | 'undo' | 'redo'>;

/** What the editor needs of the page. */
interface Given {
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  /** Whether the text is only read until somebody goes there to write. */
  readonly isForReading: boolean | undefined;
}

/** An editor that is loaded when it is wanted, and the text before that. */
export interface LateEditor {
  readonly editor: TextEditor | undefined;
  /** Why it could not be loaded. */
  readonly failure: string | undefined;
  /** Loads it, or tries that again. */
  readonly want: () => void;
  /** Where it is to stand. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** The text that stands there before. */
  readonly plain: RefObject<HTMLTextAreaElement | null>;
}

/** What is to be done as soon as an editor stands, and to which text: undo leads back to that. */
interface Waiting {
  readonly onto?: string;
  readonly todo: readonly ((editor: TextEditor) => void)[];
}

const NOTHING_WAITS: Waiting = { todo: [] };

/** What is wanted of the editor before it is there. */
type Latest = RefObject<Pick<Given, 'text' | 'onChange'> & Pick<LateEditor, 'want'>>;

export function useTextEditor({ text, label, onChange, isForReading }: Given, door: Ref<EditorDoor>): LateEditor {
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
        made = madeEditor(make, place.current!, label, latest, waiting);
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
  useImperativeHandle(door, () => editor ?? doorBefore(latest, waiting), [editor]);
  return { editor, failure, want, place, plain };
}

/** An editor in which what has waited for it is done. */
function madeEditor(
  make: Awaited<ReturnType<typeof textEditorMaker>>,
  place: HTMLElement,
  label: string,
  latest: Latest,
  waiting: RefObject<Waiting>,
): TextEditor {
  let isCatchingUp = true;
  const { onto = latest.current.text, todo } = waiting.current;
  waiting.current = NOTHING_WAITS;
  const made = make(place, {
    text: onto,
    label,
    onChange: (now) => isCatchingUp || latest.current.onChange(now),
    parse: (now) => parseDocument(now, { logLevel: 'silent' }).contents,
  });
  for (const each of todo) each(made);
  isCatchingUp = false;
  // What was replaced is known; what was undone then is not. An editor knows one kind of line ends.
  if (made.text !== latest.current.text.replaceAll(/\r\n?/g, '\n')) latest.current.onChange(made.text);
  return made;
}

/** What others do to the text before its editor is there waits for it. */
function doorBefore(latest: Latest, waiting: RefObject<Waiting>): EditorDoor {
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
}
