import { scriptBeside, unpacked } from '../core/run/scriptBeside.ts';

/** A scenario of the folder. */
export interface Shelved {
  /** Below the folder: `election/failover-on-kill.yaml`. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** What the script beside the page leaves behind: packed, see `vite/shelf.ts`. */
declare global {
  var replsimScenarios: string | undefined;
}

let shelf: Promise<readonly Shelved[]> | undefined;
let seen: readonly Shelved[] | undefined;

/** What `allScenarios` has brought, for whoever comes back to them; undefined before. */
export function seenScenarios(): readonly Shelved[] | undefined {
  return seen;
}

/**
 * All scenarios, which lie beside the page. A page from `file:` may not read them, but load a script that has them.
 * @throws Error if there is no such script, with words for whoever looks at the page
 */
export function allScenarios(): Promise<readonly Shelved[]> {
  shelf ??= loaded().catch((error: unknown) => {
    shelf = undefined;
    throw error;
  });
  return shelf;
}

async function loaded(): Promise<readonly Shelved[]> {
  await scriptBeside('scenarios.js');
  seen = JSON.parse(unpacked(globalThis.replsimScenarios ?? '')) as readonly Shelved[];
  return seen;
}
