import { didYouMeanOneOf } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';
import { shownValue } from './shownValue.ts';

/**
 * What somebody has asked for by name: a name that there is not would be passed over, and something else be done.
 * @param asked the method or command that they belong to
 * @throws CommandError BadValue
 */
export function checkAsked(asked: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new CommandError(
      'BadValue',
      `${asked} expects options: { ${known.map((name) => `${name}: …`).join(', ')} }, not ${shownValue(options)}`,
    );
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const suggestion = didYouMeanOneOf(name, known);
    throw new CommandError('BadValue', `${asked} has no "${name}"${suggestion === undefined ? '' : `; ${suggestion}`}`);
  }
}
