import { didYouMean } from '@replsim/scenario';
import { InvalidOptions } from '../index.ts';
import { debugLine } from './debugLine.ts';
import type { Cleanup } from './memoryOptions.ts';
import type { Who } from './underTheirNames.ts';

/** What a boolean meant in mongodb-memory-server 8. */
const BOOLEANS = {
  stop: (doCleanup: boolean): Cleanup => ({ doCleanup, force: false }),
  cleanup: (force: boolean): Cleanup => ({ doCleanup: true, force }),
};
const NAMES = ['doCleanup', 'force'];

/**
 * What `stop` and `cleanup` are to clear away. Whoever says something says all, as in mongodb-memory-server: `{ force: true }`
 * alone clears away nothing.
 * @throws InvalidOptions for what makes no sense: by a typo data would be gone, or stay
 */
export function cleanupOf(who: Who, call: 'stop' | 'cleanup', asked: Cleanup | boolean | undefined): Cleanup {
  if (asked === undefined || asked === null) return { doCleanup: true, force: false };
  if (typeof asked === 'boolean') {
    const meant = BOOLEANS[call](asked);
    debugLine(`${call}(${asked}) is taken as ${JSON.stringify(meant)}, as by mongodb-memory-server 8`);
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
