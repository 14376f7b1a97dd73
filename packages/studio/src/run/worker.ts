import * as Comlink from 'comlink';
import { ScenarioPlayer } from './play.ts';
import type { Played, Player } from './player.ts';
import { Packer, type WireSlice } from './wire.ts';

/** A listener at the other end, which keeps a channel open until it is let go. */
type Listener = ((slice: WireSlice) => Promise<void>) & { readonly [Comlink.releaseProxy]: () => void };

/** What the worker answers to. */
export interface WorkerApi extends Pick<Player, 'why'> {
  play(text: string, seed: number | undefined, hear: (slice: WireSlice) => void): Promise<Played>;
}

/** Does a worker's work: plays for the page that has started it. */
export function workForPage(): void {
  Comlink.expose(apiOf(new ScenarioPlayer()));
}

const apiOf = (player: ScenarioPlayer): WorkerApi => ({
  play: async (text, seed, hear) => {
    const listener = hear as Listener;
    const packer = new Packer();
    try {
      return await player.play(text, seed, (slice) => listener(packer.pack(slice)));
    } finally {
      listener[Comlink.releaseProxy]();
    }
  },
  why: (question) => player.why(question),
});
