import { didYouMean } from '@replsim/scenario';
import { InvalidOptions } from '../index.ts';
import { debugLine } from './debugLine.ts';
import type { Cleanup } from './memoryOptions.ts';
import type { Who } from './underTheirNames.ts';

/** The meaning of a boolean in mongodb-memory-server 8. */
const BOOLEANS = {
  stop: (doCleanup: boolean): Cleanup => ({ doCleanup, force: false }),
  cleanup: (force: boolean): Cleanup => ({ doCleanup: true, force }),
};
const NAMES = ['doCleanup', 'force'];

/**
 * Returns what `stop` and `cleanup` shall remove. As in mongodb-memory-server, an object replaces all defaults: `{ force: true }`
 * alone removes nothing.
 * @throws InvalidOptions for unknown options and wrong types, because with a typo data would be lost, or kept
 */
export function cleanupOf(who: Who, call: 'stop' | 'cleanup', asked: Cleanup | boolean | undefined): Cleanup {
  if (asked === undefined || asked === null) return { doCleanup: true, force: false };
  if (typeof asked === 'boolean') {
    const meant = BOOLEANS[call](asked);
    debugLine(`${call}(${asked}) means ${JSON.stringify(meant)}, as in mongodb-memory-server 8`);
    return meant;
  }
  const mistakes = mistakesIn(asked);
  if (mistakes.length > 0) throw new InvalidOptions(mistakes, `${who}.${call}`);
  return asked;
}

function mistakesIn(asked: Cleanup): string[] {
  if (typeof asked !== 'object') return [`expected { doCleanup, force }, not ${JSON.stringify(asked)}`];
  return Object.entries(asked).flatMap(([name, value]) => {
    const near = didYouMean(name, NAMES);
    if (!NAMES.includes(name)) return [`unknown option "${name}"${near === undefined ? '' : `: ${near}`}`];
    if (value === undefined || typeof value === 'boolean') return [];
    return [`${name}: expected a boolean, not ${JSON.stringify(value)}`];
  });
}
