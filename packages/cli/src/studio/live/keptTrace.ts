import type { TraceEvent } from '@replsim/protocol';
import { entriesOf } from '@replsim/scenario';
import { Standing } from './standing.ts';

/** How much of the past is kept. */
export interface Bounds {
  readonly events: number;
  /** Of the entries in them, as BSON: they may be gone from all oplogs, and be here still. */
  readonly bytes: number;
}

/** As long a run as the page shows without a jerk: an hour and a half of a set that nobody writes to. */
const BOUNDS: Bounds = { events: 200_000, bytes: 64 * 1024 * 1024 };

/** What goes over at once, and what is forgotten at once, has at most so many events and entries. */
const CHUNK_EVENTS = 1000;
const CHUNK_BYTES = 1024 * 1024;

interface Chunk {
  /** How many events there were before it. */
  readonly first: number;
  readonly events: TraceEvent[];
  entries: number;
  bytes: number;
}

/** The trace of a set at work, for those who come later: all of it at first, then the newest part, and what the rest has come to. */
export class KeptTrace {
  readonly #bounds: Bounds;
  readonly #standing = new Standing();
  readonly #chunks: Chunk[] = [];
  #bytes = 0;
  #forgottenMicros: number | undefined;

  constructor(bounds: Bounds = BOUNDS) {
    this.#bounds = bounds;
  }

  add(event: TraceEvent): void {
    const chunk = this.#open();
    chunk.events.push(event);
    const entries = entriesOf(event);
    if (entries.length === 0) return;
    chunk.entries += entries.length;
    // Those that others have fetched are the same objects.
    if (event.type !== 'oplogWritten' || event.origin !== 'self') return;
    const bytes = entries.reduce((sum, { byteLength }) => sum + byteLength, 0);
    chunk.bytes += bytes;
    this.#bytes += bytes;
  }

  /** How many events there have been. */
  get end(): number {
    const last = this.#chunks.at(-1);
    return last === undefined ? 0 : last.first + last.events.length;
  }

  /** How many of them are kept no more. */
  get forgotten(): number {
    return this.#chunks[0]?.first ?? 0;
  }

  /** The instant up to which something is missing; undefined while all is kept. Unit: µs. */
  get forgottenMicros(): number | undefined {
    return this.#forgottenMicros;
  }

  /** What those that are forgotten have come to. */
  get standing(): readonly TraceEvent[] {
    return this.#standing.events;
  }

  /** Some of the events from a number on, none at the end of the trace. @param from not one that is forgotten */
  from(from: number): readonly TraceEvent[] {
    const first = this.forgotten;
    // Chunks differ in length; they are few.
    const chunk = from < first ? undefined : this.#chunks.findLast((each) => each.first <= from);
    return chunk?.events.slice(from - chunk.first) ?? [];
  }

  #open(): Chunk {
    const last = this.#chunks.at(-1);
    if (last && last.events.length + last.entries < CHUNK_EVENTS && last.bytes < CHUNK_BYTES) return last;
    const chunk = { first: this.end, events: [], entries: 0, bytes: 0 };
    this.#chunks.push(chunk);
    while (this.#chunks.length > 2 && this.#isTooMuch()) this.#forget();
    return chunk;
  }

  #isTooMuch(): boolean {
    return this.end - this.forgotten > this.#bounds.events || this.#bytes > this.#bounds.bytes;
  }

  #forget(): void {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return;
    this.#bytes -= chunk.bytes;
    for (const event of chunk.events) this.#standing.observe(event);
    this.#forgottenMicros = chunk.events.at(-1)?.atMicros;
  }
}
