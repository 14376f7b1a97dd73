import type { Tempo } from '../tempo/tempo.ts';

/**
 * Whatever lasts for the eye is over by then, however little film that is: a stretch in which nothing is worth seeing, such as the start of a
 * set, has next to none, and all that happened in it would lie in a heap at its end. Unit: µs of virtual time.
 */
const LONGEST_MICROS = 1e6;

/**
 * What the eye sees at an instant. What lasts for the eye, such as a flash, has its length in ms of film, and how far it is follows from the
 * instant alone: whoever goes back sees it backwards.
 */
export class Eye {
  readonly atMicros: number;
  /** Nothing moves: what is under way is shown as over, or half way. */
  readonly isStill: boolean;
  readonly #tempo: Tempo;
  readonly #now: number;

  constructor(tempo: Tempo, atMicros: number, isStill: boolean) {
    this.#tempo = tempo;
    this.atMicros = atMicros;
    this.isStill = isStill;
    this.#now = tempo.filmMillisAt(atMicros);
  }

  /** How long ago something was, in ms of film; below 0 if it is to come. */
  millisSince(eventMicros: number): number {
    return this.#now - this.#tempo.filmMillisAt(eventMicros);
  }

  /** How far something is that began at an instant, of the ms of film that it takes; below 0 if it is to come. */
  millisInto(eventMicros: number, takesMillis: number): number {
    const hurried = (takesMillis * (this.atMicros - eventMicros)) / LONGEST_MICROS;
    return Math.max(this.millisSince(eventMicros), hurried);
  }

  /** How far something is that began at an instant and takes so many ms of film: from 0 to 1. */
  part(eventMicros: number, millis: number): number {
    const into = this.millisInto(eventMicros, millis);
    if (into < 0) return 0;
    if (this.isStill) return 1;
    return Math.min(1, into / millis);
  }

  /** The same as things move: fast at first, and slower where they come to rest. */
  eased(eventMicros: number, millis: number): number {
    return 1 - (1 - this.part(eventMicros, millis)) ** 3;
  }

  /** The instant that was so many ms of film ago. */
  microsBefore(millis: number): number {
    return this.#tempo.atMicrosOf(Math.max(0, this.#now - millis));
  }
}
