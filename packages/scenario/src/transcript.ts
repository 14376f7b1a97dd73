import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { BulkLines } from './transcript/bulkLines.ts';
import { lineAt } from './transcript/lineAt.ts';
import { Narrator } from './transcript/narrator.ts';

/**
 * A run in words, one line an event, the time first: what somebody who knows MongoDB needs to follow it, and no more.
 * Heartbeats, commit points and log lines stay in the trace.
 */
export class Transcript {
  readonly #narrator = new Narrator();
  readonly #bulk = new BulkLines();
  readonly #names = new TraceNames();

  /** The lines that this event, or what was held back before it, makes. */
  observe(given: TraceEvent): string[] {
    const event = this.#names.named(given);
    const lines: string[] = [];
    if (this.#bulk.isOver(event.atMicros)) lines.push(...this.#bulk.flush());
    if (event.type === 'runStarted') this.#bulk.epochSecs = Math.floor(event.epochMs / 1000);
    if (event.type === 'oplogWritten') this.#narrator.sawEntries(event);
    if (this.#bulk.take(event)) return lines;
    const text = this.#narrator.tell(event);
    if (text === undefined) return lines;
    lines.push(...this.#bulk.flush());
    for (const line of text.split('\n'))
      lines.push(lineAt(event.atMicros, 'member' in event ? event.member : undefined, this.#names.text(line)));
    return lines;
  }

  /** What is still held back when the run has ended. */
  end(): string[] {
    return this.#bulk.flush();
  }
}
