import type { ParseYaml } from '../core/edit/complete.ts';
import type { Mistake } from '../core/run/player.ts';
import { scriptBeside } from '../core/run/scriptBeside.ts';

/** An editor where it stands; each thing that is done to its text is one step of undo. */
export interface TextEditor {
  readonly text: string;
  /** @param line which is shown, and selected; counts from 1, and the last one stands for any behind it */
  replace(text: string, line: number): void;
  undo(): void;
  redo(): void;
  show(mistakes: readonly Mistake[]): void;
  /** @param at how many characters stand before the cursor */
  focus(at: number): void;
  close(): void;
}

export interface TextEditorOptions {
  readonly text: string;
  /** What it is called. */
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly parse: ParseYaml;
}

/** Puts an editor into a place of the page. */
export type MakeTextEditor = (place: HTMLElement, options: TextEditorOptions) => TextEditor;

/** What the script beside the page leaves behind, see `codeMirror.ts`; a page that is one file has it from the beginning. */
declare global {
  var replsimEditor: MakeTextEditor | undefined;
}

/** How an editor is made: of all that the page is it weighs the most, and nobody who is led through a lesson writes. */
export async function textEditorMaker(): Promise<MakeTextEditor> {
  if (!globalThis.replsimEditor) await scriptBeside('editor.js');
  return globalThis.replsimEditor!;
}
