import { TestEnvironment } from 'jest-environment-node';
import { checkEnvironmentOptions } from './optionSchema.ts';
import type { ReplicaSetOptions } from './options.ts';
import type { ReplicaSet } from './replicaSet.ts';
import { leaveWorkerSet, workerSet } from './workerSet.ts';

/** Default database of the connection string. `replSet.dbName` overrides it. */
const DATABASE = 'test';

/**
 * Jest's Node.js environment with one replica set for each worker, which the worker's test files use one after the other.
 * `testEnvironmentOptions.replicaSet` holds the options of the set.
 *
 * Tests import the set as `replicaSet` from `replsim/jest`. Its connection string has the same names as with
 * @shelf/jest-mongodb: `__MONGO_URI__`, `__MONGO_DB_NAME__` and `process.env.MONGO_URL`.
 */
export default class ReplicaSetEnvironment extends TestEnvironment {
  readonly #options: ReplicaSetOptions;
  #set: ReplicaSet | undefined;

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    const { testEnvironmentOptions } = config.projectConfig;
    checkEnvironmentOptions(testEnvironmentOptions);
    this.#options = (testEnvironmentOptions.replicaSet ?? {}) as ReplicaSetOptions;
  }

  override async setup(): Promise<void> {
    await super.setup();
    const set = await workerSet(this.#options);
    this.#set = set;
    const { replSet } = this.#options;
    const database = (typeof replSet === 'object' ? replSet.dbName : undefined) ?? DATABASE;
    const uri = set.getUri(database);
    Object.assign(this.global, { __REPLSIM_SET__: set, __MONGO_URI__: uri, __MONGO_DB_NAME__: database });
    this.global.process.env.MONGO_URL = uri;
  }

  override async teardown(): Promise<void> {
    // The next file has its own timers. The set could not restore the timers of this one later, once its `jest` object is gone.
    this.fakeTimersModern?.useRealTimers();
    try {
      if (this.#set !== undefined) await leaveWorkerSet(this.#set, this.#options);
    } finally {
      await super.teardown();
    }
  }
}
