import { DEFAULT_LINK_SETTINGS } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** A directed link at an instant, as far as it was told. Unit of the latency: ms. */
export interface LinkAt {
  readonly from: string;
  readonly to: string;
  readonly latencyMs: readonly [min: number, max: number];
  /** What else was said of it: `loss`, `duplicate`, `reorder`. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** Links that somebody has changed, at each instant. */
export class Links {
  /** What all have that nobody has changed. Unit: ms. */
  #latencyMs = DEFAULT_LINK_SETTINGS.latencyMs;
  #changed: ReadonlyMap<string, LinkAt> = new Map();
  readonly #states: { readonly atMicros: number; readonly links: readonly LinkAt[] }[] = [];

  observe(event: TraceEvent): void {
    if (event.type === 'runStarted') this.#latencyMs = latencyOf(event.options) ?? this.#latencyMs;
    // Whoever heals everything mends links too.
    if (event.type === 'healed' && event.members === 'all' && this.#changed.size > 0) {
      this.#changed = new Map();
      this.#states.push({ atMicros: event.atMicros, links: NONE });
    }
    if (event.type !== 'linkChanged') return;
    const { atMicros, from, to, settings } = event;
    const { latencyMs: given, ...rest } = settings;
    const before = this.#changed.get(`${from} ${to}`);
    const latencyMs = rangeOf(given) ?? before?.latencyMs ?? this.#latencyMs;
    const link = { from, to, latencyMs, others: { ...before?.others, ...rest } };
    this.#changed = new Map(this.#changed).set(`${from} ${to}`, link);
    this.#states.push({ atMicros, links: [...this.#changed.values()] });
  }

  get latencyMs(): LinkAt['latencyMs'] {
    return this.#latencyMs;
  }

  at(atMicros: number): readonly LinkAt[] {
    return this.#states[countUpTo(this.#states, (state) => state.atMicros, atMicros) - 1]?.links ?? NONE;
  }
}

const NONE: readonly LinkAt[] = [];

/** A latency as the trace has it: one number, or the least and the most. */
function rangeOf(given: unknown): LinkAt['latencyMs'] | undefined {
  if (typeof given === 'number') return [given, given];
  return Array.isArray(given) && given.length === 2 ? [Number(given[0]), Number(given[1])] : undefined;
}

function latencyOf(options: Readonly<Record<string, unknown>> | undefined): LinkAt['latencyMs'] | undefined {
  return rangeOf((options?.network as { readonly latencyMs?: unknown } | undefined)?.latencyMs);
}
