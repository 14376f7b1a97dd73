import type { TraceEvent } from '@replsim/protocol';
import type { Reasons } from '@replsim/why';
import { reasonsWithFilters } from './reasonsOf.ts';

/** So many events are kept before they are looked at although nobody has asked: a long run must not hold its whole trace. */
const KEPT = 2000;

/** Reasons that are looked for when somebody asks for them: a run in which all holds ends without any. */
export class LateReasons {
  #reasons: Reasons | undefined;
  #unseen: TraceEvent[] = [];

  observe(event: TraceEvent): void {
    this.#unseen.push(event);
    if (this.#unseen.length >= KEPT) this.#catchUp();
  }

  /** They know every event so far. */
  get now(): Reasons {
    return this.#catchUp();
  }

  #catchUp(): Reasons {
    this.#reasons ??= reasonsWithFilters();
    for (const event of this.#unseen) this.#reasons.observe(event);
    this.#unseen = [];
    return this.#reasons;
  }
}
