import type { TraceEvent } from '@replsim/protocol';
import { useEffect, useRef, useState } from 'react';
import { History } from '../core/history/history.ts';
import type { Played, Player, Slice, StoryLine } from '../core/run/player.ts';
import { Intake } from './intake.ts';

/** A run as the page has it; it grows while it is played. */
export interface Run {
  /** All of the trace so far. */
  readonly events: readonly TraceEvent[];
  readonly history: History;
  readonly lines: readonly StoryLine[];
  /** Undefined while it is under way. */
  readonly played: Played | undefined;
}

/** What the browser's own tools show a run as. */
const RUN = 'run';
/** How long the text has to stand still before it is played, once somebody may be typing. */
const PAUSE_MS = 200;

/**
 * Plays the text again whenever it changes. What is shown stays until the next run has its first slice, so that the page does not blink
 * with every letter.
 */
export function useRun(player: Pick<Player, 'play'>, text: string, seed: number | undefined): Run {
  const [run, setRun] = useState<Run>({ events: [], history: new History(), lines: [], played: undefined });
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    let intake: Intake | undefined;
    const started = setTimeout(
      async () => {
        let run = nothingYet();
        intake = new Intake(
          (slice) => {
            if (slice.begins) run = nothingYet();
            run.history.add(slice.events);
            for (const event of slice.events) run.events.push(event);
            for (const line of slice.lines) run.lines.push(line);
          },
          () => setRun({ ...run, lines: run.lines.slice(), played: undefined }),
        );
        performance.mark(RUN);
        const hear = (slice: Slice) => {
          if (turn.current === mine) intake?.add(slice);
        };
        const played = await player.play(text, seed, hear).catch(notPlayed);
        if (played && turn.current === mine) performance.measure(RUN, RUN);
        await intake.end();
        if (!played || turn.current !== mine) return;
        // A text with mistakes leaves the last run where it is.
        setRun((last) => (played.kind === 'mistakes' ? { ...last, played } : { ...run, played }));
      },
      mine > 1 ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(started);
      intake?.stop();
    };
  }, [player, text, seed]);
  return run;
}

/** Why there is no run is seen where mistakes are: a script that is not there, or a defect of the simulator. */
const notPlayed = (error: Error): Played => ({
  kind: 'mistakes',
  mistakes: [{ line: 1, column: 1, message: error.message }],
});

/** A run that grows: what is shown of it are copies, but for the history, which knows its size. */
const nothingYet = (): { events: TraceEvent[]; history: History; lines: StoryLine[] } => ({
  events: [],
  history: new History(),
  lines: [],
});
