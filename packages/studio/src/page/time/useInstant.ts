import { type Dispatch, type SetStateAction, useCallback, useRef, useSyncExternalStore } from 'react';
import type { History } from '../../core/history/history.ts';
import type { LiveSet } from '../../core/live/liveSet.ts';
import type { PageAction } from '../state.ts';

/** The instant that is shown. */
export interface Instant {
  readonly atMicros: number;
  readonly setAtMicros: Dispatch<SetStateAction<number>>;
  /** Whether it goes with a live set: nobody has gone to another one. */
  readonly isNow: boolean;
  /** Goes with it again. */
  readonly follow: () => void;
}

/** The one that somebody has gone to; of a live set, until somebody does, when the last thing happened. */
export function useInstant(
  history: History,
  live: LiveSet | undefined,
  chosenMicros: number | undefined,
  dispatch: Dispatch<PageAction>,
): Instant {
  const forgottenMicros = useSyncExternalStore(live?.subscribe ?? never, () => live?.state.forgottenMicros ?? 0);
  // What is there no more cannot be shown; the set as it stood then can.
  const atMicros = Math.max(chosenMicros ?? history.endMicros, forgottenMicros);
  const shown = useRef(atMicros);
  shown.current = atMicros;
  const setAtMicros = useCallback(
    (next: SetStateAction<number>) => {
      // Frames that come before the page is drawn go on from each other.
      shown.current = typeof next === 'function' ? next(shown.current) : next;
      dispatch({ type: 'go', atMicros: shown.current });
    },
    [dispatch],
  );
  const follow = useCallback(() => dispatch({ type: 'follow' }), [dispatch]);
  return { atMicros, setAtMicros, isNow: chosenMicros === undefined, follow };
}

const never = () => () => {};
