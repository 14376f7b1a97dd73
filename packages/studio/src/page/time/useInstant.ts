import { type Dispatch, type SetStateAction, useCallback, useRef, useState, useSyncExternalStore } from 'react';
import type { History } from '../../core/history/history.ts';
import type { LiveSet } from '../../core/live/liveSet.ts';

/** The instant that is shown. */
export interface Instant {
  readonly atMicros: number;
  readonly setAtMicros: Dispatch<SetStateAction<number>>;
  /** Whether it goes with a live set: nobody has gone to another one. */
  readonly isNow: boolean;
  /** Goes with it again. */
  readonly follow: () => void;
}

/** One that somebody has gone to; of a live set, until somebody does, when the last thing happened. */
export function useInstant(history: History, live: LiveSet | undefined, firstMicros: number): Instant {
  const [chosen, choose] = useState(live ? undefined : firstMicros);
  const forgottenMicros = useSyncExternalStore(live?.subscribe ?? never, () => live?.state.forgottenMicros ?? 0);
  // What is there no more cannot be shown; the set as it stood then can.
  const atMicros = Math.max(chosen ?? history.endMicros, forgottenMicros);
  const shown = useRef(atMicros);
  shown.current = atMicros;
  const setAtMicros = useCallback((next: SetStateAction<number>) => {
    choose((was) => (typeof next === 'function' ? next(was ?? shown.current) : next));
  }, []);
  const follow = useCallback(() => choose(undefined), []);
  return { atMicros, setAtMicros, isNow: chosen === undefined, follow };
}

const never = () => () => {};
