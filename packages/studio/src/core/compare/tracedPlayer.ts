import type { TraceEvent } from '@replsim/protocol';
import type { Played, Player, StoryLine } from '../run/player.ts';

/** A run that is over, and what it is a run of. */
export interface Traced {
  readonly text: string;
  /** What was asked for instead of the text's own, if anything was. */
  readonly seed: number | undefined;
  readonly events: readonly TraceEvent[];
  readonly lines: readonly StoryLine[];
  readonly played: Extract<Played, { kind: 'played' }>;
}

/** A player that hands over each run as a whole when it is over: two runs are compared when both are what their texts say now. */
export function tracedPlayer(player: Pick<Player, 'play'>, told: (traced: Traced) => void): Pick<Player, 'play'> {
  return {
    play: async (text, seed, hear) => {
      const events: TraceEvent[] = [];
      const lines: StoryLine[] = [];
      const played = await player.play(text, seed, (slice) => {
        for (const event of slice.events) events.push(event);
        for (const line of slice.lines) lines.push(line);
        return hear(slice);
      });
      if (played?.kind === 'played') told({ text, seed, events, lines, played });
      return played;
    },
  };
}
