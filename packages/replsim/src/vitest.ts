import type { MongoClient, MongoClientOptions } from 'mongodb';
import { test as base, beforeAll, beforeEach } from 'vitest';
import type { ReplicaSetOptions } from './options.ts';
import { ReplicaSet } from './replicaSet.ts';

/** A hook that starts a set may have to wait for the machine, not for the set. Unit: ms. */
const HOOK_TIMEOUT_MS = 60_000;

/**
 * One set for all tests of the file (or of the `describe` in which it is called): started before the first of them, stopped
 * after the last.
 * @returns the set; it can be used in hooks and tests
 */
export function replicaSetPerFile(options?: ReplicaSetOptions): ReplicaSet {
  return replicaSetBetween(beforeAll, options);
}

/** A new set for each test of the file, or of the `describe`. For tests that run concurrently take the fixture instead. */
export function replicaSetPerTest(options?: ReplicaSetOptions): ReplicaSet {
  return replicaSetBetween(beforeEach, options);
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

function replicaSetBetween(before: Hook, options: ReplicaSetOptions | undefined): ReplicaSet {
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
      set = await ReplicaSet.start(options);
    } catch (error) {
      taken = false;
      throw error;
    }
    return async () => {
      const ended = set;
      set = undefined;
      taken = false;
      await ended?.stop();
    };
  }, HOOK_TIMEOUT_MS);
  return standingFor(() => {
    if (set === undefined)
      throw new Error('the replica set runs only while tests and their hooks do: use it inside of them');
    return set;
  });
}

/** An object that stands for a set which is not there yet. */
function standingFor(current: () => ReplicaSet): ReplicaSet {
  return new Proxy(Object.create(ReplicaSet.prototype) as ReplicaSet, {
    get: (_, key) => {
      const set = current();
      const value = Reflect.get(set, key, set);
      return typeof value === 'function' ? value.bind(set) : value;
    },
    set: (_, key, value) => Reflect.set(current(), key, value),
  });
}
