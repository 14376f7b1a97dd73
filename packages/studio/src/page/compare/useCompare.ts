import { useMemo, useState } from 'react';
import { type Ended, endedPlayer } from '../../core/compare/endedPlayer.ts';
import type { SharedSecond } from '../../core/edit/fragment.ts';
import type { Player, Question } from '../../core/run/player.ts';
import type { Second } from './useSecond.ts';

/** Whether a second run stands beside the first, and what the page knows of it. */
export interface Comparing {
  readonly isOn: boolean;
  readonly toggle: () => void;
  /** Plays the first run, and keeps it to be compared. */
  readonly player: Pick<Player, 'play'>;
  readonly traced: Ended | undefined;
  /** What a link says of the second run, until somebody leaves it. */
  readonly given: SharedSecond | undefined;
  readonly second: Second | undefined;
  readonly setSecond: (second: Second | undefined) => void;
  /** About the second run. */
  readonly question: Question | undefined;
  readonly ask: (question: Question) => void;
}

/** @param can whether there is a text of which another could be made */
export function useCompare(player: Player, can: boolean, shared: SharedSecond | undefined): Comparing {
  const [isOn, setOn] = useState(shared !== undefined);
  const [given, setGiven] = useState(shared);
  const [second, setSecond] = useState<Second>();
  const [traced, setTraced] = useState<Ended>();
  const [question, ask] = useState<Question>();
  // What goes on for as long as it likes is not kept a second time.
  const first = useMemo(() => (can ? endedPlayer(player, setTraced) : player), [player, can]);
  const toggle = () => {
    setOn((was) => can && !was);
    setGiven(undefined);
    ask(undefined);
  };
  return { isOn, toggle, player: first, traced, given, second, setSecond, question, ask };
}
