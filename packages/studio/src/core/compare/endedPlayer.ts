import type { Played, Player } from '../run/player.ts';

/** A run that is over, and what it is a run of. */
export interface Ended {
  readonly text: string;
  /** What was asked for instead of the text's own, if anything was. */
  readonly seed: number | undefined;
  readonly played: Extract<Played, { kind: 'played' }>;
  /** Behind checks that failed. */
  readonly playsOn: boolean;
}

/**
 * A player that says when a run is over: two are compared when both are what their texts say now.
 * @param playsOn behind checks that fail
 */
export function endedPlayer(
  player: Pick<Player, 'play'>,
  told: (ended: Ended) => void,
  playsOn: boolean,
): Pick<Player, 'play'> {
  return {
    play: async (text, seed, hear) => {
      const played = await player.play(text, seed, hear, playsOn);
      if (played?.kind === 'played') told({ text, seed, played, playsOn });
      return played;
    },
  };
}
