import type { ReplicaSet } from './replicaSet.ts';
import { standingFor } from './standingFor.ts';

declare global {
  /** Connection string of this worker's set, under the same name as with @shelf/jest-mongodb. Requires `preset: 'replsim/jest'`. */
  var __MONGO_URI__: string;
  /** The database that `__MONGO_URI__` names. */
  var __MONGO_DB_NAME__: string;
}

/** The global through which the environment passes the set to the tests, which run in a separate `vm` context. */
const SET = '__REPLSIM_SET__';

/** The replica set of this jest worker. Requires `preset: 'replsim/jest'`. */
export const replicaSet: ReplicaSet = standingFor<ReplicaSet>(null, current, {
  // Jest fakes the timers of the test file's context, which is not the one in which the set runs.
  useFakeTimers: (library, world = globalThis, ...more: []) => current().useFakeTimers(library, world, ...more),
});

function current(): ReplicaSet {
  const set = (globalThis as { readonly [SET]?: ReplicaSet })[SET];
  if (set === undefined)
    throw new Error(
      "there is no replica set here: run jest with preset: 'replsim/jest', or testEnvironment: 'replsim/jest/environment'; " +
        "a file's own @jest-environment comment overrides both",
    );
  return set;
}
