import { CommandError } from '@replsim/protocol';
import type { Fields } from './fields.ts';
import { truthOf } from './values.ts';

/**
 * What a command says of the Stable API, as messages show it; what is left out differs from `false`.
 * Upstream: api_parameters.cpp, APIParameters::toBSON.
 */
export function shownApiParameters(command: Fields): string {
  const version = command.string('apiVersion');
  const flags = ['apiStrict', 'apiDeprecationErrors'].flatMap((name) => {
    const value = command.value(name);
    return value ? [`${name}: ${truthOf(value)}`] : [];
  });
  const all = [...(version === undefined ? [] : [`apiVersion: "${version}"`]), ...flags];
  return all.length > 0 ? `{ ${all.join(', ')} }` : '{}';
}

/** Whoever goes on has to say what was said at first. Throws APIMismatchError 347. */
export function checkSameApi(name: string, now: string, first: string, who: string): void {
  if (now === first) return;
  throw new CommandError(
    'APIMismatchError',
    `API parameter mismatch: ${name} used params ${now}, ${who} used ${first}`,
  );
}
