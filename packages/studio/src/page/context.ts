import { createContext, use } from 'react';
import type { Actions } from './pageActions.ts';
import type { Still } from './turns.ts';
import type { Page } from './usePageModel.ts';

export const PageContext = createContext<Page | undefined>(undefined);
export const StillContext = createContext<Still | undefined>(undefined);
export const ActionsContext = createContext<Actions | undefined>(undefined);

/** What the page shows now. Whoever uses it is drawn anew with every instant. */
export function usePage(): Page {
  return present(use(PageContext));
}

/** The part of the page that does not depend on the instant. A component that uses nothing else is not rendered again while time moves. */
export function useStillPage(): Still {
  return present(use(StillContext));
}

/** What can be done. A second run's panels have their own, so that its questions are asked of it. */
export function useActions(): Actions {
  return present(use(ActionsContext));
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a panel stands outside of the page');
  return value;
}
