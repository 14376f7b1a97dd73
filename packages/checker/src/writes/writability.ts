import type { TraceEvent } from '@replsim/protocol';

/**
 * Which members accept writes, according to the trace so far: an event's own `acceptsWrites` comes out of the very
 * predicate that the gates ask, so a second opinion is worth having.
 */
export class Writability {
  /** The events it must be shown. */
  static readonly events = ['processStarted', 'acceptsWrites'] as const;
  readonly #accepts = new Map<string, boolean>();

  /** Undefined if the trace has not said. */
  of(member: string): boolean | undefined {
    return this.#accepts.get(member);
  }

  observe(event: TraceEvent): void {
    // A standalone has nobody to ask.
    if (event.type === 'processStarted') this.#accepts.set(event.member, event.mode === 'standalone');
    else if (event.type === 'acceptsWrites') this.#accepts.set(event.member, event.value);
  }
}
