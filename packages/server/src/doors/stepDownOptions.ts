import { CommandError } from '@replsim/protocol';
import { checkAsked } from './askedOptions.ts';
import { shownValue } from './shownValue.ts';

/** As `rs.stepDown()` has them. */
export interface StepDownOptions {
  /** How long the old primary may not be elected again. */
  readonly secs?: number;
  readonly secondaryCatchUpPeriodSecs?: number;
  readonly force?: boolean;
}

const TYPES = { secs: 'number', secondaryCatchUpPeriodSecs: 'number', force: 'boolean' } as const;

/** The command itself takes what is no number for none. @throws CommandError BadValue, TypeMismatch */
export function checkedStepDown(options: StepDownOptions): StepDownOptions {
  checkAsked('stepDown', options, Object.keys(TYPES));
  for (const [name, value] of Object.entries(options)) {
    const type = TYPES[name as keyof typeof TYPES];
    if (value !== undefined && typeof value !== type)
      throw new CommandError('TypeMismatch', `${name} must be a ${type}, not ${shownValue(value)}`);
  }
  return options;
}
