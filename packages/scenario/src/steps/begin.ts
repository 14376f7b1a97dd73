import { formatDuration } from '@replsim/kernel';
import { CommandError, required } from '@replsim/protocol';
import { Standing } from '../checks/standing.ts';
import type { Action } from '../scenario.ts';
import { INITIATED, StepFailure } from '../stage/stepFailure.ts';
import type { Performing } from './row.ts';

/** Time passes until the set stands. */
export interface BeginAction extends Action {
  /** Members that have everything only later, on purpose. */
  readonly delayed: readonly string[];
  /** Undefined for the default. */
  readonly electionTimeoutMillis: number | undefined;
  /** What to change where it is known from the start that no set will stand. */
  readonly advice: string | undefined;
}

/** A set that does not stand by then never will. */
const START_MICROS = 600_000_000;
/** A set that has elected nobody in so many election timeouts never will, but for the least time that a start takes. */
const START_TIMEOUTS = 60;
const LEAST_START_MICROS = 60_000_000;

/** What a scenario begins with whose head says `begin`: no step that could be written. */
export const beginStep: Performing<BeginAction> = {
  folded: true,
  perform: async ({ delayed, electionTimeoutMillis, advice }, { set, members, runUntil }) => {
    const standing = new Standing(set, members, delayed);
    const limitMicros = startMicros(electionTimeoutMillis);
    try {
      if (await runUntil(() => standing.text !== undefined, set.nowMicros + limitMicros))
        return required(standing.text, 'who is what');
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new StepFailure(INITIATED, `${error.codeName}: ${error.message}`, { advice });
    }
    throw new StepFailure(
      `a set with a primary and no lag within ${formatDuration(limitMicros)}`,
      members.primary() === undefined ? 'nobody is primary' : 'not all members have caught up with the primary',
      { wanted: 'primary', advice },
    );
  },
};

function startMicros(electionTimeoutMillis: number | undefined): number {
  if (electionTimeoutMillis === undefined) return START_MICROS;
  const timeouts = START_TIMEOUTS * electionTimeoutMillis * 1000;
  return Math.min(START_MICROS, Math.max(LEAST_START_MICROS, timeouts));
}
