import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, redo, undo } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import schemaText from '../../../scenario/schema.json?raw';
import { completionsAt, type ParseYaml, type Schema } from '../core/edit/complete.ts';
import type { Mistake } from '../core/run/player.ts';
import type { TextEditor, TextEditorOptions } from './textEditor.ts';

// The script `editor.js` is made of this file, CodeMirror, the language's schema and what reads that: see `vite/laterScripts.ts`.

globalThis.replsimEditor = codeMirror;

function codeMirror(parent: HTMLElement, options: TextEditorOptions): TextEditor {
  const view = new EditorView({ state: stateOf(options), parent });
  return {
    get text() {
      return view.state.doc.toString();
    },
    replace: (text, line) => replaceText(view, text, line),
    undo: () => void undo(view),
    redo: () => void redo(view),
    show: (mistakes) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          mistakes.map((mistake) => diagnosticOf(view.state, mistake)),
        ),
      ),
    focus: (at) => {
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

/** In the page's own colours, which know the light from the dark. */
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--text-muted)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--secondary)' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--primary)' },
]);
const THEME = EditorView.theme({
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-muted)', borderColor: 'var(--line-strong)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)' },
});

function stateOf({ text, label, onChange, parse }: TextEditorOptions): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      yaml(),
      syntaxHighlighting(COLOURS),
      THEME,
      lintGutter(),
      autocompletion({ override: [(context) => completed(context, parse)] }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
    ],
  });
}

let schema: Schema | undefined;

/** What the language's own schema lets one write there. */
function completed(context: CompletionContext, parse: ParseYaml): CompletionResult | null {
  const word = context.matchBefore(/[\w$]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  schema ??= JSON.parse(schemaText) as Schema;
  const found = completionsAt(context.state.doc.toString(), word.from, word.to, schema, parse);
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
