import { createContext, use } from 'react';
import type { NewStep } from '../core/edit/insertStep.ts';
import type { Question } from '../core/run/player.ts';
import type { EntryChosen, Look, Pane, Pointed } from './state.ts';
import type { Page } from './usePageModel.ts';

/** What can be done on the page. These functions stay the same, so that what is drawn for them need not be drawn anew. */
export interface Actions {
  readonly go: (atMicros: number) => void;
  readonly select: (members: readonly string[]) => void;
  readonly chooseEntry: (entry: EntryChosen) => void;
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

export const PageContext = createContext<Page | undefined>(undefined);
export const ActionsContext = createContext<Actions | undefined>(undefined);

/** What the page shows now. Whoever uses it is drawn anew with every instant. */
export function usePage(): Page {
  return present(use(PageContext));
}

/** What can be done. A second run's panels have their own, so that its questions are asked of it. */
export function useActions(): Actions {
  return present(use(ActionsContext));
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a panel stands outside of the page');
  return value;
}
