import { useEffect, useMemo, useState } from 'react';
import { type Ended, endedPlayer } from '../../core/compare/endedPlayer.ts';
import type { Player } from '../../core/run/player.ts';
import type { PageState } from '../state.ts';
import type { Second } from './useSecond.ts';

/** What the page knows of a second run beside the first. */
export interface Comparing {
  readonly isOn: boolean;
  /** Plays the first run, and keeps it to be compared. */
  readonly player: Pick<Player, 'play'>;
  readonly traced: Ended | undefined;
  readonly second: Second | undefined;
  readonly setSecond: (second: Second | undefined) => void;
}

/** @param can whether there is a text of which another could be made */
export function useCompare(player: Player, can: boolean, { isComparing, reading }: PageState): Comparing {
  const [second, setSecond] = useState<Second>();
  const [traced, setTraced] = useState<Ended>();
  // What goes on for as long as it likes is not kept a second time.
  const isOn = can && isComparing && reading === 'free';
  const playsOn = usePlaysOn(isOn, traced);
  const first = useMemo(() => (can ? endedPlayer(player, setTraced, playsOn) : player), [player, can, playsOn]);
  return { isOn, player: first, traced, second, setSecond };
}

/**
 * Whether the first run goes on behind a check that fails: once one has failed while somebody compares, as the second run goes on too, and
 * what follows is to be seen of both. A run that passes has nothing to be played again for.
 */
function usePlaysOn(isOn: boolean, traced: Ended | undefined): boolean {
  const [playsOn, setPlaysOn] = useState(false);
  const hasFailed = traced?.played.ok === false;
  useEffect(() => setPlaysOn((was) => isOn && (was || hasFailed)), [isOn, hasFailed]);
  return playsOn;
}
