import { required } from '@replsim/protocol';
import type { Check, CheckPart } from '../scenario.ts';
import type { Refusal } from './refusal.ts';
import { type Seen, Sight } from './sight.ts';
import { checkOf } from './table.ts';

/** Answers checks as of this very instant. */
export class Checks {
  readonly #sight: Sight;
  #refused: CheckPart | undefined;

  constructor(seen: Seen) {
    this.#sight = new Sight(seen);
  }

  /** Why the first part of the check that does not hold does not, if any. */
  refusal(check: Check): Refusal {
    this.#sight.begin(check);
    for (const part of check.parts) {
      const row = required(checkOf(part.kind), 'row of a check that was read');
      const refusal = row.judge(part, this.#sight, (inner) => this.refusal(inner));
      this.#refused = part;
      if (refusal) return refusal;
    }
    this.#refused = undefined;
    return undefined;
  }

  /** The part that did not hold when a check was last answered. */
  get refused(): CheckPart | undefined {
    return this.#refused;
  }

  /** The state that a member says it is in; `DOWN` without a process, other words where it is in none. */
  stateOf(member: string): string {
    return this.#sight.stateOf(member);
  }
}
