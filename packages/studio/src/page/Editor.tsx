import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, redo, undo } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { scenarioJsonSchema } from '@replsim/scenario';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { completionsAt, type Schema } from '../edit/complete.ts';
import type { Mistake } from '../run/player.ts';

/** What others may do to the text; each is one step of undo. */
export interface EditorDoor {
  replace(text: string, line: number): void;
  undo(): void;
  redo(): void;
}

interface Props {
  readonly text: string;
  readonly mistakes: readonly Mistake[];
  readonly onChange: (text: string) => void;
  readonly door: Ref<EditorDoor>;
  /** What it is called, where that is not the scenario of the page. */
  readonly label?: string;
}

/** The scenario, which is all that the page knows; whatever is clicked is a line of it. */
export function Editor({ text, mistakes, onChange, door, label = 'The scenario' }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the editor's own once it stands
  useEffect(() => {
    const made = new EditorView({ state: stateOf(text, label, (now) => changed.current(now)), parent: place.current! });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const { current } = view;
    current?.dispatch(
      setDiagnostics(
        current.state,
        mistakes.map((mistake) => diagnosticOf(current.state, mistake)),
      ),
    );
  }, [mistakes]);
  useImperativeHandle(door, () => ({
    replace: (now, line) => replaceText(view.current!, now, line),
    undo: () => void undo(view.current!),
    redo: () => void redo(view.current!),
  }));
  return <div ref={place} className="editor" />;
}

/** In the page's own colours, which know the light from the dark. */
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--secondary)' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--primary)' },
]);
const THEME = EditorView.theme({
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', borderColor: 'var(--edge)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--paper)', color: 'var(--ink)' },
});

function stateOf(doc: string, label: string, changed: (text: string) => void): EditorState {
  return EditorState.create({
    doc,
    extensions: [
      lineNumbers(),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      yaml(),
      syntaxHighlighting(COLOURS),
      THEME,
      lintGutter(),
      autocompletion({ override: [complete] }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    ],
  });
}

let schema: Schema | undefined;

/** What the language's own schema lets one write there. */
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w$]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  schema ??= scenarioJsonSchema() as Schema;
  const found = completionsAt(context.state.doc.toString(), word.from, word.to, schema);
  if (found.length === 0) return null;
  const options = found.map(({ label, insert, kind, description }) => ({
    label,
    apply: insert,
    type: kind === 'key' ? 'property' : 'enum',
    ...(description !== undefined && { info: description }),
  }));
  return { from: word.from, options, validFor: /^[\w$]*$/ };
}

/** Only what differs is replaced, so that undo and the cursor keep their places. */
function replaceText(view: EditorView, text: string, line: number): void {
  const was = view.state.doc.toString();
  let from = 0;
  while (from < was.length && from < text.length && was[from] === text[from]) from++;
  let rest = 0;
  while (rest < was.length - from && rest < text.length - from && was.at(-1 - rest) === text.at(-1 - rest)) rest++;
  view.dispatch({ changes: { from, to: was.length - rest, insert: text.slice(from, text.length - rest) } });
  const at = view.state.doc.line(Math.min(line, view.state.doc.lines));
  view.dispatch({ selection: { anchor: at.from, head: at.to }, scrollIntoView: true });
}

function diagnosticOf(state: EditorState, { line, column, message, suggestion }: Mistake): Diagnostic {
  const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  const start = Math.min(from + Math.max(column - 1, 0), to);
  return {
    from: start,
    to,
    severity: 'error',
    message: suggestion === undefined ? message : `${message}: ${suggestion}`,
  };
}
