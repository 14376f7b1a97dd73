import * as Comlink from 'comlink';
import type { Played, Player, Question, Slice } from './player.ts';
import { workerOfThisProgram } from './program.ts';
import { Unpacker, type WireSlice } from './wire.ts';
import type { WorkerApi } from './worker.ts';

/** A worker, and when it is no more. */
interface Hired {
  readonly remote: Comlink.Remote<WorkerApi>;
  /** Resolves when somebody ends it; rejects if it breaks down, so that nobody waits for its answers forever. */
  readonly gone: Promise<undefined>;
  readonly dismiss: () => void;
}

/**
 * Plays in a worker, so that the page goes on meanwhile. A run does not look up before its end: whoever asks for another one ends the
 * worker, and gets a new one.
 */
export class WorkerPlayer implements Player {
  #hired = hire();
  #isPlaying = false;

  async play(
    text: string,
    seed: number | undefined,
    hear: (slice: Slice) => void | Promise<void>,
  ): Promise<Played | undefined> {
    if (this.#isPlaying) this.#replace();
    const { remote, gone } = this.#hired;
    const unpacker = new Unpacker();
    const listener = Comlink.proxy((slice: WireSlice) => hear(unpacker.unpack(slice)));
    this.#isPlaying = true;
    // After an error it stays so: whatever the worker is worth then, the next run gets another one.
    const played = await Promise.race([remote.play(text, seed, listener), gone]);
    if (this.#hired.remote === remote) this.#isPlaying = false;
    return played;
  }

  async why(question: Question) {
    const { remote, gone } = this.#hired;
    return (await Promise.race([remote.why(question), gone])) ?? [];
  }

  #replace(): void {
    this.#hired.dismiss();
    this.#hired = hire();
  }
}

function hire(): Hired {
  const worker = workerOfThisProgram();
  let leave = () => {};
  const gone = new Promise<undefined>((resolve, reject) => {
    leave = () => resolve(undefined);
    worker.addEventListener('error', ({ message }) =>
      reject(new Error(`the worker that plays has broken down: ${message}`)),
    );
  });
  // Nobody may be waiting just then.
  gone.catch(() => {});
  const dismiss = () => {
    worker.terminate();
    leave();
  };
  return { remote: Comlink.wrap<WorkerApi>(worker), gone, dismiss };
}
