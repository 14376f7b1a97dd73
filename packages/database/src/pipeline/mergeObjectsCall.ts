import { CommandError } from '@replsim/protocol';

/** `$mergeObjects` as a call that mingo makes with the arguments' values: its own one passes over what is no document. */
export function mergeObjectsCall(argument: unknown): object {
  return { $function: { body: merged, args: Array.isArray(argument) ? argument : [argument], lang: 'js' } };
}

/** Of one array its elements, else of the arguments. Errors: Location40400. Upstream: accumulator_merge_objects.cpp. */
function merged(...args: readonly unknown[]): object {
  const [only] = args;
  const values = args.length === 1 && Array.isArray(only) ? only : args;
  const fields = values.flatMap((value: unknown) => {
    if (value === null || value === undefined) return [];
    if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) return Object.entries(value);
    throw new CommandError(40400, '$mergeObjects requires object inputs, and was given something else');
  });
  return Object.fromEntries(fields);
}
