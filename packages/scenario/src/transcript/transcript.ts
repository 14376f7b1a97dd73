import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { BulkLines } from './bulkLines.ts';
import { lineAt } from './lineAt.ts';
import { Narrator } from './narrator.ts';
import type { ToldLine } from './toldLine.ts';

/** A step's line waits so long for what the step returns, unless something else is to be told. */
const STEP_WAITS_MICROS = 1_000_000;

/**
 * A run in words, one line an event, the time first: what somebody who knows MongoDB needs to follow it, and no more.
 * Heartbeats, what secondaries learn of the commit point and log lines stay in the trace.
 */
export class Transcript {
  readonly #narrator = new Narrator();
  readonly #bulk = new BulkLines();
  readonly #names = new TraceNames();
  /** The line of a step of which nothing has come yet. */
  #step: { readonly told: ToldLine; readonly atMicros: number } | undefined;
  #observed = 0;

  /** The beginning of a set that stands is one line. */
  #folded = false;

  /** The lines that this event, or what was held back before it, makes. */
  observe(event: TraceEvent): string[] {
    return this.tell(event).map(({ line }) => line);
  }

  /** The same, each with the event that it tells of. */
  tell(given: TraceEvent): ToldLine[] {
    const event = this.#names.named(given);
    const number = this.#observed++;
    return this.#folded ? this.#fold(event, number) : this.#tell(event, number);
  }

  /** What happens meanwhile is known afterwards, and not told. */
  #fold(event: TraceEvent, number: number): ToldLine[] {
    if (event.type === 'stepEnded') {
      this.#folded = false;
      this.#bulk.flush();
      if (this.#step) this.#step = { ...this.#step, atMicros: event.atMicros };
      return this.#tell(event, number);
    }
    if (event.type === 'invariantBroken') return this.#tell(event, number);
    if (event.type === 'oplogWritten') this.#narrator.sawEntries(event);
    if (!this.#bulk.take(event, number)) this.#narrator.tell(event);
    return [];
  }

  #tell(event: TraceEvent, number: number): ToldLine[] {
    const { atMicros } = event;
    const lines: ToldLine[] = [];
    const isLate = this.#step !== undefined && atMicros - this.#step.atMicros > STEP_WAITS_MICROS;
    if (isLate || this.#bulk.isOver(atMicros)) lines.push(...this.#flush());
    if (event.type === 'runStarted') this.#bulk.epochSecs = Math.floor(event.epochMs / 1000);
    if (event.type === 'oplogWritten') this.#narrator.sawEntries(event);
    if (this.#bulk.take(event, number)) return lines;
    if (event.type === 'stepEnded' && this.#step && !this.#bulk.holds) {
      const { told } = this.#step;
      this.#step = { ...this.#step, told: { ...told, line: `${told.line}${this.#narrator.returned(event)}` } };
      return [...lines, ...this.#flush()];
    }
    const text = this.#narrator.tell(event);
    if (text === undefined) return lines;
    lines.push(...this.#flush());
    const told = text.split('\n').map((line) => this.#lineOf(event, line));
    if (event.type !== 'step') return [...lines, ...told.map((line) => ({ line, event, number }))];
    this.#step = { told: { line: told.join('\n'), event, number }, atMicros };
    this.#folded = event.folded === true;
    return lines;
  }

  /** What is still held back when the run has ended. */
  end(): string[] {
    return this.tellEnd().map(({ line }) => line);
  }

  /** The same, each with the event that it tells of. */
  tellEnd(): ToldLine[] {
    return this.#flush();
  }

  #lineOf(event: TraceEvent, text: string): string {
    return lineAt(event.atMicros, 'member' in event ? event.member : undefined, this.#names.text(text));
  }

  #flush(): ToldLine[] {
    const step = this.#step === undefined ? [] : [this.#step.told];
    this.#step = undefined;
    return [...step, ...this.#bulk.flush()];
  }
}

/**
 * What a transcript would say of some events alone, a line each without its time: of what came of one turn.
 * @param header the trace's first event
 */
export function toldOf(header: TraceEvent, events: readonly TraceEvent[]): string[] {
  const transcript = new Transcript();
  transcript.observe(header);
  const lines = [...events.flatMap((event) => transcript.observe(event)), ...transcript.end()];
  return lines.map((line) => line.replace(/^\s*[\d.]+s /, ''));
}
