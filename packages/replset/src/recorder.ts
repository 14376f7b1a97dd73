import type { MemberTrace, RunEvent, TraceEvent } from '@replsim/protocol';
import type { TraceListener } from './api.ts';

/** Hands the trace to whoever listens. What rules trace comes without time and member; both are added here. */
export class Recorder {
  readonly #listeners: TraceListener[] = [];
  readonly #header: TraceEvent;

  /** @param header the event that every listener gets first */
  constructor(header: TraceEvent) {
    this.#header = header;
  }

  /** Whether mongods are to trace; a run must not depend on it. */
  get wanted(): boolean {
    return this.#listeners.length > 0;
  }

  /** @returns takes the listener away */
  add(listener: TraceListener): () => void {
    listener(this.#header);
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  /** Something that concerns the run as a whole. */
  run(atMicros: number, event: RunEvent): void {
    if (this.#listeners.length > 0) this.#tell({ atMicros, ...event });
  }

  /** Something that one member did or that happened to it. */
  member(atMicros: number, member: string, event: MemberTrace): void {
    if (this.#listeners.length > 0) this.#tell({ atMicros, member, ...event });
  }

  #tell(event: TraceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
