import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PageContext, usePage } from './context.ts';
import { differInTimeAlone, TURNS } from './turns.ts';

/** Time that has not moved for so long rests. Longer than a slow frame. Unit: ms. */
const RESTS_MS = 120;

interface Props {
  /** Which of `TURNS`. */
  readonly turn: number;
  readonly children: ReactNode;
}

/**
 * While time moves, what is in here draws its instant when it is its turn, and when time rests; the set and the time are never behind. What
 * somebody types or chooses is shown at once, and so is the first of several instants, which may be the only one.
 */
export function InTurn({ turn, children }: Props): ReactNode {
  const page = usePage();
  const shown = useRef(page);
  const isMoving = useRef(false);
  const [, rest] = useState(0);
  const isBehind = isMoving.current && differInTimeAlone(shown.current, page) && page.state.moves % TURNS !== turn;
  if (!isBehind) shown.current = page;
  const { moves } = page.state;
  const first = useRef(moves);
  useEffect(() => {
    if (first.current === moves) return;
    isMoving.current = true;
    const rested = setTimeout(() => {
      isMoving.current = false;
      rest(moves);
    }, RESTS_MS);
    return () => clearTimeout(rested);
  }, [moves]);
  return <PageContext value={shown.current}>{children}</PageContext>;
}
