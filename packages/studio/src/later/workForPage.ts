import * as Comlink from 'comlink';
import { Comparer, type ComparerApi } from '../core/compare/comparison.ts';
import { LiveTeller, type TellerApi } from '../core/live/liveTeller.ts';
import { Looker } from '../core/look/looker.ts';
import { ScenarioPlayer } from '../core/run/play.ts';
import { Packer, type WireSlice } from '../core/run/wire.ts';
import type { PlayerApi } from '../core/run/workerApi.ts';

/** A listener at the other end, which keeps a channel open until it is let go. */
type Listener = ((slice: WireSlice) => Promise<void>) & { readonly [Comlink.releaseProxy]: () => void };

declare global {
  /** Whether anything was asked for that the program was built without, see `vite/leftOut.ts`. */
  var replsimLacked: boolean;
}

/** What the worker answers to. */
type WorkerApi = PlayerApi & ComparerApi & TellerApi;

/** Does a worker's work: plays, looks, compares or tells, for the page that has started it. */
export function workForPage(): void {
  const player = new ScenarioPlayer();
  Comlink.expose(apiOf(player, new Comparer(player), new Looker(), new LiveTeller()));
}

const apiOf = (player: ScenarioPlayer, comparer: Comparer, looker: Looker, teller: LiveTeller): WorkerApi => ({
  play: async (text, seed, hear, playsOn) => {
    const listener = hear as Listener;
    const packer = new Packer();
    try {
      globalThis.replsimLacked = false;
      const played = await player.play(text, seed, (slice) => listener(packer.pack(slice)), playsOn);
      return { played, lacks: globalThis.replsimLacked };
    } finally {
      listener[Comlink.releaseProxy]();
    }
  },
  why: (question) => player.why(question),
  look: (run, look) => looker.look(run, look),
  compare: (one, other) => comparer.compare(one, other),
  beginLive: () => teller.begin(),
  tellLive: (text) => teller.tell(text),
  whyLive: (question) => teller.why(question),
});
