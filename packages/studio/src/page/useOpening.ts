import { type Dispatch, useLayoutEffect, useRef } from 'react';
import { NOT_YET, openingOf } from './opening.ts';
import type { PageAction } from './state.ts';
import type { Run } from './useRun.ts';

/** Opens a run where it becomes worth seeing, unless somebody is elsewhere already. */
export function useOpening({ events, played }: Run, isWanted: boolean, dispatch: Dispatch<PageAction>): void {
  const opening = useRef(NOT_YET);
  const size = events.length;
  // Before anything else can happen: who steps on at this moment steps on from there.
  useLayoutEffect(() => {
    if (!isWanted) return;
    // Another run begins with nothing.
    if (size < opening.current.events) opening.current = NOT_YET;
    opening.current = openingOf(events, opening.current);
    const { atMicros = played ? opening.current.writableMicros : undefined } = opening.current;
    if (atMicros !== undefined) dispatch({ type: 'place', atMicros });
  }, [events, size, played, isWanted, dispatch]);
}
