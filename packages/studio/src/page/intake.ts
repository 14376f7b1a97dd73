import type { Slice } from '../core/run/player.ts';

/** So much of a frame goes to what has come in; the rest is for drawing it. Unit: ms. */
const FRAME_SHARE_MS = 5;

/** Takes a run as it is handed over, frame by frame, so that the page goes on meanwhile. */
export class Intake {
  readonly #take: (slice: Slice) => void;
  readonly #shown: () => void;
  readonly #waiting: Slice[] = [];
  /** What takes the next part off again. */
  #unplan: (() => void) | undefined;
  #drained: (() => void) | undefined;

  /**
   * @param take gets every slice, in order
   * @param shown is called after those of a frame
   */
  constructor(take: (slice: Slice) => void, shown: () => void) {
    this.#take = take;
    this.#shown = shown;
  }

  add(slice: Slice): void {
    this.#waiting.push(slice);
    this.#unplan ??= nextFrame(() => this.#takeSome());
  }

  /** Resolves when all was taken; after `stop` never. */
  async end(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  stop(): void {
    this.#unplan?.();
    this.#waiting.length = 0;
  }

  #takeSome(): void {
    const until = performance.now() + FRAME_SHARE_MS;
    do {
      const slice = this.#waiting.shift();
      if (slice) this.#take(slice);
    } while (this.#waiting.length > 0 && performance.now() < until);
    this.#unplan = this.#waiting.length > 0 ? nextFrame(() => this.#takeSome()) : undefined;
    if (this.#unplan === undefined && this.#drained) this.#drained();
    else this.#shown();
  }
}

/** A page that nobody sees has no frames, and a live set goes on. Unit: ms. */
const UNSEEN_FRAME_MS = 1000;

/** @returns what takes it off again */
function nextFrame(take: () => void): () => void {
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(late);
  };
  const once = () => {
    stop();
    take();
  };
  const frame = requestAnimationFrame(once);
  const late = setTimeout(once, UNSEEN_FRAME_MS);
  return stop;
}
