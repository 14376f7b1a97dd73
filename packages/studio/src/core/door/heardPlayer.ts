import type { Player } from '../run/player.ts';

/** A player that tells of each text that it is given, which is all that the page knows. */
export function heardPlayer(player: Player, told: (text: string) => void): Player {
  return {
    play: (text, seed, hear, playsOn) => {
      told(text);
      return player.play(text, seed, hear, playsOn);
    },
    why: (question) => player.why(question),
    look: (look) => player.look(look),
  };
}
