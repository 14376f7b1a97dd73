import type { TraceEvent } from '@replsim/protocol';
import { Transcript } from './transcript.ts';

/** So many transcript lines lead up to a failure in its message. */
const LINES = 12;
/** Most events make no line; so many are kept. */
const KEPT = 1000;

/** The end of the trace, for failures: what led there. */
export class Recent {
  #header: TraceEvent | undefined;
  #events: TraceEvent[] = [];

  add(event: TraceEvent): void {
    if (event.type === 'runStarted') this.#header = event;
    this.#events.push(event);
    if (this.#events.length > 2 * KEPT) this.#events = this.#events.slice(-KEPT);
  }

  /** The last lines of the transcript. */
  lines(): string[] {
    const transcript = new Transcript();
    if (this.#header && this.#events[0] !== this.#header) transcript.observe(this.#header);
    const lines = this.#events.flatMap((event) => transcript.observe(event));
    return [...lines, ...transcript.end()].slice(-LINES);
  }
}
