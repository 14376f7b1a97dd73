import { checkAsked } from '@replsim/server';
import { debugLine } from './debugLine.ts';
import type { Cleanup } from './memoryOptions.ts';

/** What a boolean meant in mongodb-memory-server 8. */
const BOOLEANS = {
  stop: (doCleanup: boolean): Cleanup => ({ doCleanup, force: false }),
  cleanup: (force: boolean): Cleanup => ({ doCleanup: true, force }),
};

/**
 * What `stop` and `cleanup` are to clear away. Whoever says something says all, as in mongodb-memory-server: `{ force: true }`
 * alone clears away nothing.
 * @throws CommandError for a name that there is not: by a typo data would be gone, or stay
 */
export function cleanupOf(call: 'stop' | 'cleanup', asked: Cleanup | boolean | undefined): Cleanup {
  if (typeof asked === 'object' && asked !== null) {
    checkAsked(call, asked, ['doCleanup', 'force']);
    return asked;
  }
  if (typeof asked !== 'boolean') return { doCleanup: true, force: false };
  const meant = BOOLEANS[call](asked);
  debugLine(`${call}(${asked}) is taken as ${JSON.stringify(meant)}, as by mongodb-memory-server 8`);
  return meant;
}
