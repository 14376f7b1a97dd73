import type { ReplicaSet } from './replicaSet.ts';
import { standingFor } from './standingFor.ts';

declare global {
  /** The connection string of the set under `preset: 'replsim/jest'`, as with @shelf/jest-mongodb. */
  var __MONGO_URI__: string;
  /** The database that it names. */
  var __MONGO_DB_NAME__: string;
}

/** Under which name the environment hands the set over to the tests, which live in a world of their own. */
const SET = '__REPLSIM_SET__';

/** The set of this worker, under jest's `preset: 'replsim/jest'`. */
export const replicaSet: ReplicaSet = standingFor<ReplicaSet>(null, current, {
  // What jest fakes is the file's, and the set's own world another.
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
