import type { Look, Seen } from '../look/look.ts';
import type { LookedAt } from '../look/looker.ts';
import type { Played, Player } from './player.ts';
import type { WireSlice } from './wire.ts';

/** What came of a run, and whether it needed something that its program was built without: then another program has to play it. */
export interface PlayedHere {
  readonly played: Played;
  readonly lacks: boolean;
}

/** What a worker answers to whoever plays. */
export interface PlayerApi extends Pick<Player, 'why'> {
  play(text: string, seed: number | undefined, hear: (slice: WireSlice) => void, playsOn: boolean): Promise<PlayedHere>;
  look(run: LookedAt, look: Look): Promise<Seen | undefined>;
}
