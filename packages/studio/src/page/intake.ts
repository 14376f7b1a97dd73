import type { Slice } from '../core/run/player.ts';

/** So much of a frame goes to what has come in, in a frame that is drawn for it; the rest is for drawing. Unit: ms. */
const DRAWN_SHARE_MS = 5;
/** The same in one that is not. Unit: ms. */
const FRAME_SHARE_MS = 10;
/**
 * What has come in is drawn so often: to draw it with each frame takes the whole thread of the page, and where there are not more than two
 * cores, from the worker that plays. Unit: ms.
 */
const DRAWN_EVERY_MS = 150;

/** Takes a run as it is handed over, frame by frame, so that the page goes on meanwhile. */
export class Intake {
  readonly #take: (slice: Slice) => void;
  readonly #shown: () => void;
  readonly #waiting: Slice[] = [];
  /** What takes the next part off again. */
  #unplan: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #shownAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param take gets every slice, in order
   * @param shown is called when what was taken is to be drawn
   */
  constructor(take: (slice: Slice) => void, shown: () => void) {
    this.#take = take;
    this.#shown = shown;
  }

  add(slice: Slice): void {
    this.#waiting.push(slice);
    this.#unplan ??= nextFrame(() => this.#takeSome());
  }

  /** Resolves when all was taken, which whoever waits for it draws; after `stop` never. */
  async end(): Promise<void> {
    if (this.#waiting.length === 0) {
      this.#unplan?.();
      return;
    }
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  stop(): void {
    this.#unplan?.();
    this.#waiting.length = 0;
  }

  #takeSome(): void {
    const begunMs = performance.now();
    const isDrawn = begunMs - this.#shownAtMs >= DRAWN_EVERY_MS;
    const untilMs = begunMs + (isDrawn ? DRAWN_SHARE_MS : FRAME_SHARE_MS);
    do {
      const slice = this.#waiting.shift();
      if (slice) this.#take(slice);
    } while (this.#waiting.length > 0 && performance.now() < untilMs);
    const isAll = this.#waiting.length === 0;
    // What is not drawn now is drawn later, whether or not more comes.
    this.#unplan = isAll && isDrawn ? undefined : nextFrame(() => this.#takeSome());
    if (isAll && this.#drained) {
      this.#unplan?.();
      this.#drained();
    } else if (isDrawn) {
      this.#shownAtMs = begunMs;
      this.#shown();
    }
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
