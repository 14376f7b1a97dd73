import type { TraceEvent } from './trace.ts';

interface Faults {
  readonly lost: boolean;
  readonly torn: boolean;
  /** The next write goes elsewhere; an operator who knows of it may empty the disk at once. */
  readonly misdirected: boolean;
  /** Something that it has reported done lies elsewhere. */
  readonly wroteElsewhere: boolean;
}

const SOUND: Faults = { lost: false, torn: false, misdirected: false, wroteElsewhere: false };

/** Which disks report writes as done that they have not done, from the trace of a run, and when that has cost a member its memory. */
export class LyingDisks {
  static readonly events = ['diskChanged', 'writeMisdirected', 'processStopped'] as const;
  readonly #faults = new Map<string, Faults>();

  /** @returns whether this event is the end of a process that has forgotten what its disk had confirmed */
  observe(event: TraceEvent): boolean {
    if (event.type !== 'diskChanged' && event.type !== 'writeMisdirected' && event.type !== 'processStopped')
      return false;
    const before = this.#faults.get(event.member) ?? SOUND;
    switch (event.type) {
      case 'diskChanged':
        this.#faults.set(event.member, {
          ...before,
          lost: event.lost ?? before.lost,
          torn: event.torn ?? before.torn,
          misdirected: event.misdirected ?? before.misdirected,
        });
        return false;
      case 'writeMisdirected':
        this.#faults.set(event.member, { ...before, misdirected: false, wroteElsewhere: true });
        return false;
      case 'processStopped':
        return this.#ends(event.member, event.how === 'killed', before);
    }
  }

  /** @param isPowerFailure what is in the cache, and what is being written, is gone */
  #ends(member: string, isPowerFailure: boolean, { lost, torn, misdirected, wroteElsewhere }: Faults): boolean {
    // What was torn is torn once, and what was written elsewhere is missed once.
    this.#faults.set(member, { lost, torn: torn && !isPowerFailure, misdirected, wroteElsewhere: false });
    return misdirected || wroteElsewhere || (isPowerFailure && (lost || torn));
  }
}
