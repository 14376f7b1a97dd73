import { type Dispatch, type RefObject, useMemo, useRef } from 'react';
import type { DialogDoor } from './KeysDialog.tsx';
import type { Actions } from './pageActions.ts';
import type { PageAction } from './state.ts';
import type { Edits } from './text/useEdits.ts';
import type { Instant } from './time/useInstant.ts';

interface Given {
  readonly dispatch: Dispatch<PageAction>;
  readonly instant: Instant;
  readonly edits: Edits;
  readonly keys: RefObject<DialogDoor | null>;
}

/** The page's actions, which stay the same and do what the latest of their kind do. */
export function useActionsOf(given: Given): Actions {
  const latest = useRef(given);
  latest.current = given;
  return useMemo(() => {
    const { dispatch, keys } = latest.current;
    return {
      go: (atMicros) => latest.current.instant.setAtMicros(atMicros),
      select: (members) => dispatch({ type: 'select', members }),
      chooseEntry: (entry) => dispatch({ type: 'chooseEntry', entry }),
      chooseDocument: (document) => dispatch({ type: 'chooseDocument', document }),
      ask: (question) => dispatch({ type: 'ask', question, of: 'first' }),
      act: (step) => latest.current.edits.act(step),
      fork: () => latest.current.edits.fork(),
      undo: () => latest.current.edits.undo(),
      redo: () => latest.current.edits.redo(),
      look: (look) => dispatch({ type: 'look', look }),
      pane: (pane) => dispatch({ type: 'pane', pane }),
      openText: (isOpen) => dispatch({ type: 'openText', isOpen }),
      refuse: (why) => dispatch({ type: 'refuse', why }),
      forget: () => dispatch({ type: 'forget' }),
      point: (pointed) => dispatch({ type: 'point', pointed }),
      heartbeats: (shown) => dispatch({ type: 'heartbeats', shown }),
      compare: () => dispatch({ type: 'compare' }),
      help: () => keys.current?.open(),
    };
  }, []);
}
