import * as Comlink from 'comlink';
import type { Look, Seen } from '../look/look.ts';
import { type LookedAt, Looker } from '../look/looker.ts';
import { ScenarioPlayer } from './play.ts';
import type { Played, Player } from './player.ts';
import { Packer, type WireSlice } from './wire.ts';

/** A listener at the other end, which keeps a channel open until it is let go. */
type Listener = ((slice: WireSlice) => Promise<void>) & { readonly [Comlink.releaseProxy]: () => void };

/** What the worker answers to. */
export interface WorkerApi extends Pick<Player, 'why'> {
  play(text: string, seed: number | undefined, hear: (slice: WireSlice) => void, playsOn: boolean): Promise<Played>;
  look(run: LookedAt, look: Look): Promise<Seen | undefined>;
}

/** Does a worker's work: plays, or looks, for the page that has started it. */
export function workForPage(): void {
  Comlink.expose(apiOf(new ScenarioPlayer(), new Looker()));
}

const apiOf = (player: ScenarioPlayer, looker: Looker): WorkerApi => ({
  play: async (text, seed, hear, playsOn) => {
    const listener = hear as Listener;
    const packer = new Packer();
    try {
      return await player.play(text, seed, (slice) => listener(packer.pack(slice)), playsOn);
    } finally {
      listener[Comlink.releaseProxy]();
    }
  },
  why: (question) => player.why(question),
  look: (run, look) => looker.look(run, look),
});
