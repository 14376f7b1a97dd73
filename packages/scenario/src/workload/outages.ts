import type { TraceEvent } from '@replsim/protocol';

/** Whoever has asked and is not served for longer than this lives through an outage: the usual time of a write is none. */
const OUTAGE_MICROS = 1_000_000;

/** Stretches of time of one kind. */
export interface Stretches {
  readonly longestMicros: number;
  readonly totalMicros: number;
}

const NONE: Stretches = { longestMicros: 0, totalMicros: 0 };

function plus({ longestMicros, totalMicros }: Stretches, micros: number): Stretches {
  return { longestMicros: Math.max(longestMicros, micros), totalMicros: totalMicros + micros };
}

/** When a client asked and nothing was acknowledged, or answered. Its turns stand at whole intervals from its start. */
export class Unserved {
  readonly #startedMicros: number;
  readonly #everyMicros: number;
  /** Since when an operation waits, or has failed, with none served after it; the next turn's time if all is well. */
  #askedMicros: number;
  /** When it was stopped, or the operation that it then had under way was over. */
  #endMicros: number | undefined;
  #past = NONE;

  constructor(startedMicros: number, everyMicros: number) {
    this.#startedMicros = startedMicros;
    this.#everyMicros = everyMicros;
    this.#askedMicros = startedMicros;
  }

  /** Takes in what its own client was told, and that it stopped. */
  observe(event: TraceEvent): void {
    const { atMicros } = event;
    if (event.type === 'workloadStopped') this.#endMicros = atMicros;
    if (event.type !== 'clientTold') return;
    if (this.#endMicros !== undefined) this.#endMicros = atMicros;
    if (event.error !== undefined) return;
    this.#past = this.#upTo(atMicros);
    const turns = Math.floor((atMicros - this.#startedMicros) / this.#everyMicros) + 1;
    this.#askedMicros = this.#startedMicros + turns * this.#everyMicros;
  }

  /** Until when it worked, as of now. */
  endAt(nowMicros: number): number {
    return Math.min(nowMicros, this.#endMicros ?? nowMicros);
  }

  /** As of now. */
  at(nowMicros: number): Stretches {
    return this.#upTo(this.endAt(nowMicros));
  }

  #upTo(nowMicros: number): Stretches {
    const micros = nowMicros - this.#askedMicros;
    return micros > OUTAGE_MICROS ? plus(this.#past, micros) : this.#past;
  }
}

/** When no member accepted writes, as the members saw it themselves; one that stands still does not. */
export class Primaries {
  readonly #accepting = new Set<string>();
  readonly #paused = new Set<string>();
  /** Whether there is one, from each of these instants on. */
  readonly #changes: { readonly atMicros: number; readonly has: boolean }[] = [{ atMicros: 0, has: false }];

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'acceptsWrites':
        if (event.value) this.#accepting.add(event.member);
        else this.#accepting.delete(event.member);
        break;
      case 'processStarted':
      case 'processStopped':
        this.#accepting.delete(event.member);
        this.#paused.delete(event.member);
        break;
      case 'processPaused':
        this.#paused.add(event.member);
        break;
      case 'processResumed':
        this.#paused.delete(event.member);
        break;
      default:
        return;
    }
    const has = [...this.#accepting].some((member) => !this.#paused.has(member));
    if (this.#changes.at(-1)?.has !== has) this.#changes.push({ atMicros: event.atMicros, has });
  }

  /** The stretches without one between two instants. */
  without(fromMicros: number, toMicros: number): Stretches {
    let result = NONE;
    for (const [index, { atMicros, has }] of this.#changes.entries()) {
      const end = Math.min(toMicros, this.#changes[index + 1]?.atMicros ?? toMicros);
      const micros = end - Math.max(fromMicros, atMicros);
      if (!has && micros > 0) result = plus(result, micros);
    }
    return result;
  }
}
