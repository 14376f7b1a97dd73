import { useMemo, useState } from 'react';
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
  const first = useMemo(() => (can ? endedPlayer(player, setTraced) : player), [player, can]);
  return { isOn: can && isComparing && reading === 'free', player: first, traced, second, setSecond };
}
