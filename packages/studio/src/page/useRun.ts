import { useEffect, useRef, useState } from 'react';
import { History } from '../history/history.ts';
import type { Played, Player, Slice, StoryLine } from '../run/player.ts';

/** A run as the page has it; it grows while it is played. */
export interface Run {
  readonly history: History;
  readonly lines: readonly StoryLine[];
  /** Undefined while it is under way. */
  readonly played: Played | undefined;
}

/** How long the text has to stand still before it is played. */
const PAUSE_MS = 200;

/**
 * Plays the text again whenever it changes. What is shown stays until the next run has its first slice, so that the page does not blink
 * with every letter.
 */
export function useRun(player: Player, text: string, seed: number | undefined): Run {
  const [run, setRun] = useState<Run>({ history: new History(), lines: [], played: undefined });
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    const started = setTimeout(async () => {
      const history = new History();
      let lines: readonly StoryLine[] = [];
      const hear = (slice: Slice) => {
        if (turn.current !== mine) return;
        history.add(slice.events);
        lines = [...lines, ...slice.lines];
        setRun({ history, lines, played: undefined });
      };
      const played = await player.play(text, seed, hear);
      if (!played || turn.current !== mine) return;
      // A text with mistakes leaves the last run where it is.
      setRun((last) => (played.kind === 'mistakes' ? { ...last, played } : { history, lines, played }));
    }, PAUSE_MS);
    return () => clearTimeout(started);
  }, [player, text, seed]);
  return run;
}
