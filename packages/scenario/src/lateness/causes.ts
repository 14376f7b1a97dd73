/**
 * Why a document is late. The parts of one document's lateness add up to it exactly; only `clock` may be negative.
 *
 * | cause | from … to |
 * |---|---|
 * | `arrival` | expiry … the document was inserted, or the index came or got the seconds by which it was deleted |
 * | `clock` | what the deleting member's clock was behind when it deleted; negative where it was ahead |
 * | `sleep` | … the wake-up that the monitor of the member that led had planned |
 * | `election` | that wake-up, which never came since the member had lost its place … the first of a successor |
 * | `disabled` | a wake-up that led to nothing, or could not come: switched off, locked, blocked, paused, held, hanging … the next |
 * | `backlog` | a pass is under way, with other documents, indexes and rounds … this deletion |
 * | `lag` | the deletion … its disappearance on the member that is looked at |
 */
export const CAUSES = ['arrival', 'clock', 'sleep', 'election', 'disabled', 'backlog', 'lag'] as const;
export type Cause = (typeof CAUSES)[number];

/** How much of a lateness each cause makes. */
export type Parts = Record<Cause, number>;

/** What is known when the primary deletes: all causes but the lag. */
export const PRIMARY_CAUSES = ['arrival', 'clock', 'sleep', 'election', 'disabled', 'backlog'] as const;
export type PrimaryParts = Record<(typeof PRIMARY_CAUSES)[number], number>;

/** Nothing yet. */
export function noParts(): Parts {
  return { arrival: 0, clock: 0, sleep: 0, election: 0, disabled: 0, backlog: 0, lag: 0 };
}

/** The cause of the greatest part; of equal ones the first. A negative lateness is the clock's. */
export function greatestCause(parts: Parts): Cause {
  return CAUSES.reduce((best, cause) => (Math.abs(parts[cause]) > Math.abs(parts[best]) ? cause : best), 'sleep');
}
