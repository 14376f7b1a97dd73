import { formatDuration } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import { Standing } from '../checks/standing.ts';
import type { Action } from '../scenario.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import type { Performing } from './row.ts';

/** Time passes until the set stands. */
export interface BeginAction extends Action {
  /** Members that have everything only later, on purpose. */
  readonly delayed: readonly string[];
}

/** A set that does not stand by then never will. */
const START_MICROS = 600_000_000;

/** What a scenario begins with whose head says `begin`: no step that could be written. */
export const beginStep: Performing<BeginAction> = {
  folded: true,
  perform: async ({ delayed }, { set, members, runUntil }) => {
    const standing = new Standing(set, members, delayed);
    if (await runUntil(() => standing.text !== undefined, set.nowMicros + START_MICROS))
      return required(standing.text, 'who is what');
    throw new StepFailure(
      `a set with a primary and no lag within ${formatDuration(START_MICROS)}`,
      members.primary() === undefined ? 'nobody is primary' : 'not all members have caught up with the primary',
      { wanted: 'primary' },
    );
  },
};
