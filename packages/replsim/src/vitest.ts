import type { MongoClient, MongoClientOptions } from 'mongodb';
import { test as base, beforeAll, beforeEach } from 'vitest';
import { ReplicaSet, type ReplicaSetOptions } from './index.ts';
import { standingFor } from './standingFor.ts';
import { leaveWorkerSet, workerSet } from './workerSet.ts';

/** What the helpers take. */
type Given = [options?: ReplicaSetOptions];

/** A hook that starts a set may have to wait for the machine, not for the set. Unit: ms. */
const HOOK_TIMEOUT_MS = 60_000;

/**
 * One set for all tests of the file (or of the `describe` in which it is called): started before the first of them, stopped
 * after the last.
 * @returns the set; it can be used in hooks and tests
 */
export function replicaSetPerFile(...given: Given): ReplicaSet {
  return replicaSetBetween(beforeAll, ofItsOwn(optionsOf('replicaSetPerFile', given)));
}

/** A new set for each test of the file, or of the `describe`. For tests that run concurrently take the fixture instead. */
export function replicaSetPerTest(...given: Given): ReplicaSet {
  return replicaSetBetween(beforeEach, ofItsOwn(optionsOf('replicaSetPerTest', given)));
}

/**
 * One set for all files of a worker, one after the other, each of which finds it without databases. With vitest's
 * `isolate: false`: otherwise each file has a worker of its own. Files that give other options share another set.
 * @returns the set; it can be used in hooks and tests
 */
export function replicaSetPerWorker(...given: Given): ReplicaSet {
  const options = optionsOf('replicaSetPerWorker', given);
  return replicaSetBetween(beforeAll, {
    start: () => workerSet(options),
    end: (set) => leaveWorkerSet(set, options),
  });
}

/** As methods of a set, the helpers drop nothing that they are given. */
function optionsOf(helper: string, given: Given): ReplicaSetOptions | undefined {
  const count: number = given.length;
  if (count > 1) throw new TypeError(`${helper} takes one argument, and ${count} were given`);
  return given[0];
}

/** What `test` hands to a test that asks for it. */
export interface Fixtures {
  /** How the set is started: `test.extend({ replicaSetOptions: { members: 5 } })`. */
  readonly replicaSetOptions: ReplicaSetOptions;
  readonly clientOptions: MongoClientOptions;
  /** A set of the test's own, stopped after it. */
  readonly replicaSet: ReplicaSet;
  /** A connected client of `replicaSet`, closed after the test. */
  readonly client: MongoClient;
}

/** Vitest's `test`, with a set and a client for those that ask for them. */
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

/** Vitest's `beforeAll` and `beforeEach`: what `run` returns is called in the end, after all `afterEach` and `afterAll`. */
type Hook = (run: () => Promise<() => Promise<void>>, timeoutMs: number) => void;

/** Where a set comes from, and what becomes of it. */
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
