import { CommandError } from '@replsim/protocol';
import { checkAsked } from './askedOptions.ts';
import { shownValue } from './shownValue.ts';

/** Options of `stepDown`, the same as those of `rs.stepDown()`. */
export interface StepDownOptions {
  /** How long the old primary may not be elected again, in seconds. Default: 10. */
  readonly secs?: number;
  /** How long to wait for an electable secondary to catch up, in seconds; at most `secs`. Default: 10, or `secs` if it is less. */
  readonly secondaryCatchUpPeriodSecs?: number;
  /** Step down even if no electable secondary catches up in time. */
  readonly force?: boolean;
}

const TYPES = { secs: 'number', secondaryCatchUpPeriodSecs: 'number', force: 'boolean' } as const;

/** mongod waits 10 seconds for a secondary unless it is told otherwise, and refuses to step down for less than it waits. */
export const DEFAULT_SECS = 10;

/** Checks the options, because the command ignores values of the wrong type. @throws CommandError BadValue, TypeMismatch */
export function checkedStepDown(options: StepDownOptions): StepDownOptions {
  checkAsked('stepDown', options, Object.keys(TYPES));
  for (const [name, value] of Object.entries(options)) {
    const type = TYPES[name as keyof typeof TYPES];
    if (value !== undefined && typeof value !== type)
      throw new CommandError('TypeMismatch', `${name} must be a ${type}, not ${shownValue(value)}`);
  }
  const { secs = DEFAULT_SECS, secondaryCatchUpPeriodSecs: catchUpSecs } = options;
  if (secs && catchUpSecs !== undefined && catchUpSecs > secs)
    throw new CommandError(
      'BadValue',
      `stepDown: secs is ${secs}, which is less than secondaryCatchUpPeriodSecs, ${catchUpSecs}: pass a longer secs, or a shorter secondaryCatchUpPeriodSecs`,
    );
  return options;
}

/** The fields of the command, beside its own name. */
export function commandOptions(secs: number, { secondaryCatchUpPeriodSecs, force }: StepDownOptions): object {
  const isShort = secs >= 1 && secs < DEFAULT_SECS && !force;
  const catchUpSecs = secondaryCatchUpPeriodSecs ?? (isShort ? Math.floor(secs) : undefined);
  return {
    ...(catchUpSecs !== undefined && { secondaryCatchUpPeriodSecs: catchUpSecs }),
    ...(force !== undefined && { force }),
  };
}
