import { CommandError } from '@replsim/protocol';
import { checkAsked } from './askedOptions.ts';
import { shownValue } from './shownValue.ts';

/** Options of `stepDown`, the same as those of `rs.stepDown()`. */
export interface StepDownOptions {
  /** How long the old primary may not be elected again, in seconds. Default: 10. */
  readonly secs?: number;
  /** How long to wait for an electable secondary to catch up, in seconds. */
  readonly secondaryCatchUpPeriodSecs?: number;
  /** Step down even if no electable secondary catches up in time. */
  readonly force?: boolean;
}

const TYPES = { secs: 'number', secondaryCatchUpPeriodSecs: 'number', force: 'boolean' } as const;

/** Checks the options, because the command ignores values of the wrong type. @throws CommandError BadValue, TypeMismatch */
export function checkedStepDown(options: StepDownOptions): StepDownOptions {
  checkAsked('stepDown', options, Object.keys(TYPES));
  for (const [name, value] of Object.entries(options)) {
    const type = TYPES[name as keyof typeof TYPES];
    if (value !== undefined && typeof value !== type)
      throw new CommandError('TypeMismatch', `${name} must be a ${type}, not ${shownValue(value)}`);
  }
  return options;
}
