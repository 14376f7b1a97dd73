import type { TraceEvent } from './trace.ts';

/** Which disks report writes as done that they have not done, from the trace of a run, and when that has cost a member its memory. */
export class LyingDisks {
  static readonly events = ['diskChanged', 'processStopped'] as const;
  readonly #faults = new Map<string, { readonly lost: boolean; readonly torn: boolean }>();

  /** @returns whether this event is the end of a process that has forgotten what its disk had confirmed */
  observe(event: TraceEvent): boolean {
    if (event.type !== 'diskChanged' && event.type !== 'processStopped') return false;
    const { lost, torn } = this.#faults.get(event.member) ?? { lost: false, torn: false };
    if (event.type === 'diskChanged') {
      this.#faults.set(event.member, { lost: event.lost ?? lost, torn: event.torn ?? torn });
      return false;
    }
    if (event.how !== 'killed') return false;
    // What was torn is torn once.
    this.#faults.set(event.member, { lost, torn: false });
    return lost || torn;
  }
}
