import { FATE_TRACES, type MemberTrace, type RunEvent, type TraceEvent, type TraceEventType } from '@replsim/protocol';
import type { TraceListener } from './api.ts';

/** Somebody who reads the trace, and what of it; everything if no types are named. */
interface Reader {
  readonly listener: TraceListener;
  readonly types: ReadonlySet<TraceEventType> | undefined;
}

const FATES: ReadonlySet<TraceEventType> = new Set(FATE_TRACES);

/** Hands the trace to whoever listens. What rules trace comes without time and member; both are added here. */
export class Recorder {
  readonly #readers: Reader[] = [];
  /** Who listens to a type; asked for with every event, and so kept. */
  readonly #listeners = new Map<TraceEventType, readonly TraceListener[]>();
  readonly #header: TraceEvent;
  /** What a listener recorded while it heard of something else, which all hear of first. */
  readonly #next: TraceEvent[] = [];
  #telling = false;
  /** Asked for with every event, and so kept. */
  #wanted: boolean | undefined;

  /** @param header the event that every listener gets first */
  constructor(header: TraceEvent) {
    this.#header = header;
  }

  /** Whether mongods are to trace more than the fate of writes; a run must not depend on it. */
  get wanted(): boolean {
    this.#wanted ??= this.#readers.some(
      ({ types }) => types === undefined || [...types].some((type) => !FATES.has(type)),
    );
    return this.#wanted;
  }

  /** Whether anybody asks what becomes of writes that clients were told of. */
  get fatesWanted(): boolean {
    return this.#of('clientWrote').length > 0;
  }

  /** Whether anybody reads the events of clients' talk, of which there are some with every command. */
  get talkWanted(): boolean {
    return this.#of('commandEnded').length > 0 || this.#of('log').length > 0;
  }

  /**
   * @param types all that it is to hear of besides the header; everything if absent
   * @returns takes the listener away
   */
  add(listener: TraceListener, types?: ReadonlySet<TraceEventType>): () => void {
    listener(this.#header);
    const reader = { listener, types };
    this.#readers.push(reader);
    this.#changed();
    return () => {
      const at = this.#readers.indexOf(reader);
      if (at < 0) return;
      this.#readers.splice(at, 1);
      this.#changed();
    };
  }

  /** Something that concerns the run as a whole. */
  run(atMicros: number, event: RunEvent): void {
    if (this.#of(event.type).length > 0) this.#tell({ atMicros, ...event });
  }

  /** Something that one member did or that happened to it. */
  member(atMicros: number, member: string, event: MemberTrace): void {
    if (this.#of(event.type).length > 0) this.#tell({ atMicros, member, ...event });
  }

  /** One event after the other, in the same order for all: what one of them makes of an event comes behind it. */
  #tell(event: TraceEvent): void {
    if (this.#telling) {
      this.#next.push(event);
      return;
    }
    this.#telling = true;
    try {
      let telling: TraceEvent | undefined = event;
      while (telling !== undefined) {
        for (const listener of this.#of(telling.type)) listener(telling);
        telling = this.#next.shift();
      }
    } finally {
      this.#telling = false;
      this.#next.length = 0;
    }
  }

  #changed(): void {
    this.#listeners.clear();
    this.#wanted = undefined;
  }

  #of(type: TraceEventType): readonly TraceListener[] {
    let listeners = this.#listeners.get(type);
    if (listeners === undefined) {
      const readers = this.#readers.filter(({ types }) => types === undefined || types.has(type));
      listeners = readers.map(({ listener }) => listener);
      this.#listeners.set(type, listeners);
    }
    return listeners;
  }
}
