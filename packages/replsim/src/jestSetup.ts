import { unreadJestMongodbConfig } from './jestMongodbConfig.ts';
import { checkEnvironmentOptions } from './optionSchema.ts';
import { InvalidOptions, type ReplicaSetOptions } from './options.ts';
import { readOptions } from './readOptions.ts';

/** What jest knows of the project whose tests are about to run, so far as it is read. */
interface Project {
  readonly rootDir: string;
  readonly testEnvironmentOptions: { readonly replicaSet?: ReplicaSetOptions };
}

/**
 * jest's `globalSetup` under `preset: 'replsim/jest'`: mistakes in the options are told once, before a file runs, not by each of them, and
 * so is the configuration of @shelf/jest-mongodb, which is not read. The sets are the environment's, one in each worker.
 * @throws InvalidOptions; InvalidScenario for a file with mistakes
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
