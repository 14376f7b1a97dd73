import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Edited, forkAt, insertStep, type NewStep } from '../../core/edit/insertStep.ts';
import type { History } from '../../core/history/history.ts';
import type { LiveSet } from '../../core/live/liveSet.ts';
import type { Guide } from '../lesson/useLesson.ts';
import type { Instant } from '../time/useInstant.ts';
import type { EditorDoor } from './useTextEditor.ts';

/** What is done to the text, or to a live set, and why it was not done. */
export interface Edits {
  readonly editor: RefObject<EditorDoor | null>;
  /** Somebody has typed. */
  readonly change: (text: string) => void;
  /** Something was clicked: it becomes a line of the text. */
  readonly act: (step: NewStep) => void;
  /** What comes behind the instant that is shown goes. */
  readonly fork: () => void;
  /** Why what was clicked last was not done. */
  readonly cannot: string | undefined;
  readonly setCannot: (why: string | undefined) => void;
}

interface Given {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly live: LiveSet | undefined;
  readonly instant: Instant;
  readonly guide: Guide;
  readonly steps: History['steps'];
}

export function useEdits({ text, setText, live, instant, guide, steps }: Given): Edits {
  const [cannot, setCannot] = useState<string>();
  /** What is to stand in the editor, as soon as there is one. */
  const [edited, setEdited] = useState<Edited>();
  const editor = useRef<EditorDoor>(null);
  useEffect(() => {
    if (!edited) return;
    editor.current?.replace(edited.text, edited.line);
    setEdited(undefined);
  }, [edited]);
  const { atMicros } = instant;
  const change = (now: string) => {
    guide.read('free');
    setText(now);
  };
  /** Whoever changes the text has a scenario of one's own, of which nothing is veiled. */
  const put = (next: Edited) => {
    guide.read('free');
    setEdited(next);
  };
  const act = (step: NewStep) => {
    if (live) {
      live.act(step, instant.isNow).then(setCannot);
      return;
    }
    const next = insertStep(text, atMicros, step, steps);
    setCannot(next ? undefined : NO_PLACE);
    if (next) put(next);
  };
  const fork = () => put({ text: forkAt(text, atMicros, steps), line: Number.MAX_SAFE_INTEGER });
  return { editor, change, act, fork, cannot, setCannot };
}

const NO_PLACE =
  'The text has no list of steps, each on lines of its own, to which a step can be added: write “steps:” and below it “- advance: 10s”.';
