import type { MongoClient, MongoClientOptions } from 'mongodb';
import { test as base, beforeAll, beforeEach } from 'vitest';
import { ReplicaSet, type ReplicaSetOptions } from './index.ts';
import { standingFor } from './standingFor.ts';
import { leaveWorkerSet, workerSet } from './workerSet.ts';

/** Arguments of the helpers: the options of `ReplicaSet.start`. */
type Given = [options?: ReplicaSetOptions];

/** Generous, since a hook that starts a set may have to wait for a busy machine. Unit: ms. */
const HOOK_TIMEOUT_MS = 60_000;

/**
 * Runs one set for all tests of the file, or of the `describe` block that calls it. The set starts before the first test and
 * stops after the last.
 * @returns the set; use it inside hooks and tests
 */
export function replicaSetPerFile(...given: Given): ReplicaSet {
  return replicaSetBetween(beforeAll, ofItsOwn(optionsOf('replicaSetPerFile', given)));
}

/**
 * Runs a new set for each test of the file, or of the `describe` block that calls it. For concurrent tests, use the fixture
 * `replicaSet` of `test` instead.
 * @returns the set of the current test; use it inside hooks and tests
 */
export function replicaSetPerTest(...given: Given): ReplicaSet {
  return replicaSetBetween(beforeEach, ofItsOwn(optionsOf('replicaSetPerTest', given)));
}

/**
 * Runs one set for all test files of a worker. Each file finds it without databases. This saves time only with vitest's
 * `isolate: false`; otherwise each file has its own worker. Files that pass different options get different sets.
 * @returns the set; use it inside hooks and tests
 */
export function replicaSetPerWorker(...given: Given): ReplicaSet {
  const options = optionsOf('replicaSetPerWorker', given);
  return replicaSetBetween(beforeAll, {
    start: () => workerSet(options),
    end: (set) => leaveWorkerSet(set, options),
  });
}

/** Like the methods of a set, the helpers reject surplus arguments rather than ignore them. */
function optionsOf(helper: string, given: Given): ReplicaSetOptions | undefined {
  const count: number = given.length;
  if (count > 1) throw new TypeError(`${helper} takes one argument, and ${count} were given`);
  return given[0];
}

/** The fixtures that `test` provides to the tests that use them. */
export interface Fixtures {
  /** Options of the set. Override them with `test.extend({ replicaSetOptions: { members: 5 } })`. */
  readonly replicaSetOptions: ReplicaSetOptions;
  /** Options of the client. Override them with `test.extend({ clientOptions: { … } })`. */
  readonly clientOptions: MongoClientOptions;
  /** A set for this test alone. It stops after the test. */
  readonly replicaSet: ReplicaSet;
  /** A connected client of `replicaSet`. It is closed after the test. */
  readonly client: MongoClient;
}

/** Vitest's `test`, extended with the fixtures `replicaSet` and `client`. */
export const test = base.extend<Fixtures>({
  replicaSetOptions: {},
  clientOptions: {},
  replicaSet: async ({ replicaSetOptions }, use) => {
    const set = await ReplicaSet.start(replicaSetOptions);
    await stoppingAfter(
      () => use(set),
      () => set.stop(),
    );
  },
  client: async ({ replicaSet, clientOptions }, use) => {
    const { MongoClient } = await import('mongodb');
    const client = new MongoClient(replicaSet.uri, clientOptions);
    await stoppingAfter(
      async () => use(await client.connect()),
      () => client.close(),
    );
  },
});

async function stoppingAfter(use: () => Promise<void>, stop: () => Promise<void>): Promise<void> {
  try {
    await use();
  } finally {
    await stop();
  }
}

/** Vitest's `beforeAll` or `beforeEach`. Vitest calls the function that `run` returns after all `afterEach` and `afterAll` hooks. */
type Hook = (run: () => Promise<() => Promise<void>>, timeoutMs: number) => void;

/** How a set is started and how it is ended. */
interface Source {
  start(): Promise<ReplicaSet>;
  end(set: ReplicaSet): Promise<void>;
}

function ofItsOwn(options: ReplicaSetOptions | undefined): Source {
  return { start: () => ReplicaSet.start(options), end: (set) => set.stop() };
}

function replicaSetBetween(before: Hook, { start, end }: Source): ReplicaSet {
  let set: ReplicaSet | undefined;
  let taken = false;
  before(async () => {
    if (taken) {
      throw new Error(
        'these tests run concurrently, and replicaSetPerTest has one set at a time: take the fixture replicaSet of the test that replsim/vitest exports',
      );
    }
    taken = true;
    try {
      set = await start();
    } catch (error) {
      taken = false;
      throw error;
    }
    return async () => {
      const ended = set;
      set = undefined;
      taken = false;
      if (ended !== undefined) await end(ended);
    };
  }, HOOK_TIMEOUT_MS);
  return standingFor<ReplicaSet>(ReplicaSet.prototype, () => {
    if (set === undefined)
      throw new Error('the replica set runs only while tests and their hooks do: use it inside of them');
    return set;
  });
}
