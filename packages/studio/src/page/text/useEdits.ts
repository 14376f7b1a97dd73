import { type Dispatch, type RefObject, useEffect, useRef, useState } from 'react';
import { type Edited, forkAt, insertStep, type NewStep } from '../../core/edit/insertStep.ts';
import type { History } from '../../core/history/history.ts';
import type { LiveSet } from '../../core/live/liveSet.ts';
import type { PageAction, PageState } from '../state.ts';
import type { Instant } from '../time/useInstant.ts';
import type { EditorDoor } from './useTextEditor.ts';

/** What is done to the text, or to a live set. */
export interface Edits {
  readonly editor: RefObject<EditorDoor | null>;
  /** Somebody has typed. */
  readonly change: (text: string) => void;
  /** Something was clicked: it becomes a line of the text. */
  readonly act: (step: NewStep) => void;
  /** What comes behind the instant that is shown goes. */
  readonly fork: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
}

interface Given {
  readonly state: PageState;
  readonly dispatch: Dispatch<PageAction>;
  readonly live: LiveSet | undefined;
  readonly instant: Instant;
  readonly steps: History['steps'];
}

export function useEdits({ state: { text }, dispatch, live, instant, steps }: Given): Edits {
  /** What is to stand in the editor, as soon as there is one. */
  const [edited, setEdited] = useState<Edited>();
  const editor = useRef<EditorDoor>(null);
  useEffect(() => {
    if (!edited) return;
    editor.current?.replace(edited.text, edited.line);
    setEdited(undefined);
  }, [edited]);
  const { atMicros } = instant;
  /** Whoever changes the text has a scenario of one's own, of which nothing is veiled. */
  const put = (next: Edited) => {
    dispatch({ type: 'read', reading: 'free' });
    setEdited(next);
  };
  const act = (step: NewStep) => {
    if (live) {
      live.act(step, instant.isNow).then((why) => dispatch({ type: 'refuse', why }));
      return;
    }
    const next = insertStep(text, atMicros, step, steps);
    dispatch({ type: 'refuse', why: next ? undefined : NO_PLACE });
    if (!next) return;
    put(next);
    dispatch({ type: 'added', lines: addedLines(text, next), line: next.line });
  };
  const taken = (what: 'undo' | 'redo') => {
    dispatch({ type: 'forget' });
    editor.current?.[what]();
  };
  return {
    ...{ editor, act },
    change: (now) => dispatch({ type: 'edit', text: now }),
    fork: () => put({ text: forkAt(text, atMicros, steps), line: Number.MAX_SAFE_INTEGER }),
    undo: () => taken('undo'),
    redo: () => taken('redo'),
  };
}

/** Those that a click has added, where they stand together. */
function addedLines(before: string, { text, line }: Edited): readonly string[] {
  const lines = text.split('\n');
  const more = lines.length - before.split('\n').length;
  return lines.slice(line - 1, line - 1 + Math.max(more, 1));
}

const NO_PLACE =
  'The text has no list of steps, each on lines of its own, to which a step can be added: write “steps:” and below it “- advance: 10s”.';
