import { FillError, type Filling, Template } from '../file/placeholder.ts';
import { StepFailure } from './stepFailure.ts';

const SECONDARY_OK = new Map([['mode', 'secondaryPreferred']]);
const readable = new WeakMap<Template, Template>();

/** The command as a driver sends it to a member that it may read from though it is a secondary. */
export function withSecondaryOk(command: Template): Template {
  if (command.value.has('$readPreference')) return command;
  let result = readable.get(command);
  if (!result) {
    result = new Template(new Map([...command.value, ['$readPreference', SECONDARY_OK]]));
    readable.set(command, result);
  }
  return result;
}

/** A template's bytes to be sent; what a placeholder cannot be is the scenario's failure. */
export function fill(template: Template, filling: Filling): Uint8Array {
  try {
    return template.bytes(filling);
  } catch (error) {
    if (error instanceof FillError) throw new StepFailure('values to send', error.message);
    throw error;
  }
}
