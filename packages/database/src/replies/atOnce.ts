import type { Reply } from '@replsim/pipeline';
import type { CommandContext, CommandDefinition } from '../definition.ts';

/** A command's `run` that does its work at one instant, for no more than the price of every command. */
export function atOnce(answer: (context: CommandContext) => Reply): CommandDefinition['run'] {
  return function* run(context) {
    return answer(context);
  };
}

/** Answered by every member in every state. */
export const ANYWHERE = { kind: 'other', secondaries: 'always', maintenanceOk: true } as const;

/** A write, which the primary alone answers. */
export const ON_PRIMARY = { kind: 'write', secondaries: 'never', maintenanceOk: false } as const;
