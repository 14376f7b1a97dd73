import type { RealTime } from './realTime.ts';

/** How long one stretch may keep sockets waiting. Unit: ms. */
const STRETCH_MS = 10;
/**
 * How much virtual time one stretch may let pass. A client needs several turns of the event loop from one batch of a cursor to
 * the next, and however fast a jump goes, its session must not end meanwhile for having been idle for half an hour. Unit: µs.
 */
const STRETCH_MICROS = 60_000_000;
/** How many events go by between two looks at the real clock, as long as they are quick. */
const LOOK_EVERY_EVENTS = 8;
/** Events that took as long together are slow: a batch of documents inserted, a batch of entries applied. Unit: ms. */
const SLOW_MS = 1;

/** Where a stretch of events ends at the latest, in real and in virtual time: then the sockets have their turn. */
export interface StretchEnd {
  readonly ms: number;
  readonly micros: number;
}

/** A stretch that begins now. */
export function stretchFrom(realMs: number, nowMicros: number): StretchEnd {
  return { ms: realMs + STRETCH_MS, micros: nowMicros + STRETCH_MICROS };
}

/**
 * Asked before the first event, which always happens, and after each: whether the sockets have waited long enough. It ends a
 * stretch between two events and never changes their order, so that a run can be repeated whatever the machine.
 */
export function lookingAtTheClock({ monotonicMs }: RealTime, endMs: number): () => boolean {
  let quick = 1;
  let lookedMs = monotonicMs();
  return () => {
    if (quick-- > 0) return false;
    const nowMs = monotonicMs();
    quick = nowMs - lookedMs >= SLOW_MS ? 0 : LOOK_EVERY_EVENTS - 1;
    lookedMs = nowMs;
    return nowMs >= endMs;
  };
}
