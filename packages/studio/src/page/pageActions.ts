import type { NewStep } from '../core/edit/insertStep.ts';
import type { Question } from '../core/run/player.ts';
import type { DocumentChosen, EntryChosen, Look, Pane, Pointed } from './state.ts';

/** What can be done on the page. These functions stay the same, so that what is drawn for them need not be drawn anew. */
export interface Actions {
  readonly go: (atMicros: number) => void;
  readonly select: (members: readonly string[]) => void;
  readonly chooseEntry: (entry: EntryChosen) => void;
  readonly chooseDocument: (document: DocumentChosen) => void;
  readonly ask: (question: Question | undefined) => void;
  readonly act: (step: NewStep) => void;
  readonly fork: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly look: (look: Look) => void;
  readonly pane: (pane: Pane) => void;
  readonly openText: (isOpen: boolean) => void;
  readonly refuse: (why: string | undefined) => void;
  readonly forget: () => void;
  readonly point: (pointed: Pointed | undefined) => void;
  readonly heartbeats: (shown: boolean) => void;
  readonly compare: () => void;
  readonly help: () => void;
}
