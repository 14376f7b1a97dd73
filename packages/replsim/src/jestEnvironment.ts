import { TestEnvironment } from 'jest-environment-node';
import { checkEnvironmentOptions } from './optionSchema.ts';
import type { ReplicaSetOptions } from './options.ts';
import type { ReplicaSet } from './replicaSet.ts';
import { leaveWorkerSet, workerSet } from './workerSet.ts';

/** The database that the connection string names, unless `replSet.dbName` names another. */
const DATABASE = 'test';

/**
 * jest's environment for Node.js, with one replica set a worker, which its files have one after the other. What
 * `testEnvironmentOptions.replicaSet` says it is started with. Tests find it as `replicaSet` of `replsim/jest`, and its
 * connection string as with @shelf/jest-mongodb: `__MONGO_URI__`, `__MONGO_DB_NAME__`, `process.env.MONGO_URL`.
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
    // The next file has timers of its own; those of this one the set could not restore by a `jest` that has ended.
    this.fakeTimersModern?.useRealTimers();
    try {
      if (this.#set !== undefined) await leaveWorkerSet(this.#set, this.#options);
    } finally {
      await super.teardown();
    }
  }
}
