import type { Interruptible, Meter } from './meter.ts';
import { allParts, type Parts } from './parts.ts';

/** What `attempt` gives for what is not done yet: others have their turn, and it is attempted again. */
export const UNFINISHED: unique symbol = Symbol('unfinished');

/** Thrown through expressions, and caught in `attempt` alone. */
const BROKEN_OFF: unique symbol = Symbol('broken off');

/** What came of one loop, or how far it is. */
type Kept = { readonly result: unknown } | { readonly parts: Parts<unknown> | undefined; readonly inner: Frame };

/** The loops of one round of the loop around them, in the order in which they are met. */
class Frame {
  #met = 0;
  #kept: Map<number, Kept> | undefined;

  /** The number of the loop that is met now. */
  meet(): number {
    return this.#met++;
  }

  /** The same round is gone through again. */
  again(): void {
    this.#met = 0;
  }

  /** Another round, of which nothing is known. */
  clear(): void {
    this.#met = 0;
    this.#kept?.clear();
  }

  of(place: number): Kept | undefined {
    return this.#kept?.get(place);
  }

  isDone(place: number): boolean {
    const kept = this.of(place);
    return kept !== undefined && 'result' in kept;
  }

  keep(place: number, kept: Kept): void {
    this.#kept ??= new Map();
    this.#kept.set(place, kept);
  }
}

/**
 * A computation without effects that can be interrupted and continued. It is plain code, and each attempt runs it from its beginning. What takes long
 * are its loops: an unfinished one remembers how far it got, and a finished one its result. They are told apart by the order in which they are met,
 * as each attempt meets the same ones. Only counted steps interrupt it, so it happens in the same place on every machine.
 */
export class Evaluation implements Interruptible {
  readonly #meter: Meter;
  readonly #root = new Frame();
  #frame = this.#root;
  /** It was broken off before: from then on each loop that ends is remembered. */
  #isLong = false;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** @returns what is computed, or UNFINISHED where it is the others' turn before that */
  attempt<T>(compute: () => T): T | typeof UNFINISHED {
    // Inside of another one this is a piece of that.
    if (this.#meter.evaluation) return compute();
    this.#meter.evaluation = this;
    this.#frame = this.#root;
    this.#root.again();
    try {
      const result = compute();
      this.#forget();
      return result;
    } catch (error) {
      if (error !== BROKEN_OFF) {
        this.#forget();
        throw error;
      }
      this.#isLong = true;
      return UNFINISHED;
    } finally {
      this.#meter.evaluation = undefined;
    }
  }

  /** What is attempted next is another computation. */
  #forget(): void {
    this.#root.clear();
    this.#isLong = false;
  }

  once<T>(draw: () => T): T {
    const place = this.#frame.meet();
    const kept = this.#frame.of(place);
    if (kept && 'result' in kept) return kept.result as T;
    const result = draw();
    this.#frame.keep(place, { result });
    // Loops that end from here on may have seen it: they are not gone through again.
    this.#isLong = true;
    return result;
  }

  loop<T>(begin: () => Parts<T>, steps: (result: T) => number): T {
    const around = this.#frame;
    const place = around.meet();
    const kept = around.of(place);
    if (kept && 'result' in kept) return kept.result as T;
    const inner = kept?.inner ?? new Frame();
    let parts = kept?.parts as Parts<T> | undefined;
    this.#frame = inner;
    try {
      inner.again();
      if (!parts) {
        parts = begin();
        inner.clear();
      }
      const result = this.#goOn(parts, inner);
      this.#meter.add(steps(result));
      const isDue = this.#meter.isDue;
      if (isDue || this.#isLong) around.keep(place, { result });
      if (isDue) throw BROKEN_OFF;
      return result;
    } catch (error) {
      if (error === BROKEN_OFF && !around.isDone(place)) around.keep(place, { parts, inner });
      throw error;
    } finally {
      this.#frame = around;
    }
  }

  #goOn<T>(parts: Parts<T>, inner: Frame): T {
    for (;;) {
      const part = parts.next();
      inner.clear();
      if (part.done) return part.value;
      this.#meter.add(part.value);
      // Only after a part, here and at the end, so that each attempt comes further.
      if (this.#meter.isDue) throw BROKEN_OFF;
    }
  }
}

const nothing = () => 0;

/**
 * Goes through a loop of an expression, which others may interrupt where the operation lets them.
 * @param steps what the result costs beside the parts
 */
export function loop<T>(meter: Meter | undefined, begin: () => Parts<T>, steps: (result: T) => number = nothing): T {
  if (meter?.evaluation) return meter.evaluation.loop(begin, steps);
  if (!meter) return allParts(begin());
  const result = countedParts(begin(), meter);
  meter.add(steps(result));
  return result;
}

function countedParts<T>(parts: Parts<T>, meter: Meter): T {
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
    meter.add(part.value);
  }
}
