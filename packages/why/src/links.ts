import { formatInstant } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import { nameOf } from './memberStory.ts';

/** What a way between two members is like, where that was changed. */
export interface Link {
  /** Unit: ms. */
  readonly latencyMs?: unknown;
  /** The part of all messages that is lost. */
  readonly loss?: unknown;
  readonly sinceMicros: number;
}

/** The ways between members that were changed, and have not been mended. */
export class Links {
  readonly #links = new Map<string, Link>();

  observe(event: TraceEvent): void {
    if (event.type === 'healed' && event.members === 'all') this.#links.clear();
    if (event.type !== 'linkChanged') return;
    const { from, to, settings, atMicros: sinceMicros } = event;
    const key = `${nameOf(from)} ${nameOf(to)}`;
    this.#links.set(key, { ...this.#links.get(key), ...settings, sinceMicros });
  }

  /** That nothing gets through between two, as an answer needs both ways. */
  whyLost(one: string, other: string): Link | undefined {
    return [this.#link(one, other), this.#link(other, one)].find((link) => link?.loss === 1);
  }

  /** What may make it late, in words; undefined where nothing was changed. */
  whyLate(from: string, to: string): string | undefined {
    const link = this.#link(from, to);
    if (!link) return undefined;
    const { latencyMs, loss, sinceMicros } = link;
    const late = latencyMs === undefined ? [] : [`messages from ${from} have taken ${latencyText(latencyMs)}`];
    const gone =
      typeof loss === 'number' && loss > 0
        ? [`${Math.round(loss * 100)}% of the messages from ${from} have been lost`]
        : [];
    const words = [...late, ...gone];
    return words.length === 0 ? undefined : `${words.join(', ')} since ${formatInstant(sinceMicros)}`;
  }

  #link(from: string, to: string): Link | undefined {
    return this.#links.get(`${from} ${to}`);
  }
}

/** A number, or the least and the most. */
function latencyText(latencyMs: unknown): string {
  const [least, most] = Array.isArray(latencyMs) ? latencyMs : [latencyMs, latencyMs];
  return least === most ? `${least}ms` : `${least} to ${most}ms`;
}
