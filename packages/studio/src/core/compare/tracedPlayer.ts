import type { TraceEvent } from '@replsim/protocol';
import type { Player, StoryLine } from '../run/player.ts';
import type { Ended } from './endedPlayer.ts';

/** A run that is over, as a whole. */
export interface Traced extends Omit<Ended, 'playsOn'> {
  readonly events: readonly TraceEvent[];
  readonly lines: readonly StoryLine[];
}

/** A player that hands over each run as a whole when it is over. */
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
