import { unreadJestMongodbConfig } from './jestMongodbConfig.ts';
import { checkEnvironmentOptions } from './optionSchema.ts';
import { InvalidOptions, type ReplicaSetOptions } from './options.ts';
import { readOptions } from './readOptions.ts';

/** The part of jest's project config that is read here. */
interface Project {
  readonly rootDir: string;
  readonly testEnvironmentOptions: { readonly replicaSet?: ReplicaSetOptions };
}

/**
 * Jest's `globalSetup` under `preset: 'replsim/jest'`. It reports mistakes in the options once, before any test file runs, rather
 * than once for each file. It also warns of a configuration file of @shelf/jest-mongodb, which has no effect. The sets themselves
 * belong to the environment, one in each worker.
 * @throws InvalidOptions
 * @throws InvalidScenario if the option `scenario` names a file with mistakes
 */
export default function jestSetup(_all: unknown, { rootDir, testEnvironmentOptions }: Project): void {
  const unread = unreadJestMongodbConfig(rootDir);
  if (unread !== undefined) process.emitWarning(unread, { code: 'REPLSIM_JEST_MONGODB_CONFIG' });
  checkEnvironmentOptions(testEnvironmentOptions);
  try {
    readOptions(testEnvironmentOptions.replicaSet ?? {});
  } catch (error) {
    throw error instanceof InvalidOptions
      ? new InvalidOptions(error.mistakes, 'testEnvironmentOptions.replicaSet')
      : error;
  }
}
