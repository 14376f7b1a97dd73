import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where to put each option of @shelf/jest-mongodb. The prefix `mongodbMemoryServerOptions` is left out. Upstream: helpers.ts. */
const GO_TO = [
  'instance.dbName, replSet.dbName: testEnvironmentOptions.replicaSet.replSet.dbName',
  'binary.version: testEnvironmentOptions.replicaSet.version, by default 8.0',
  'replSet.count: testEnvironmentOptions.replicaSet.members, by default 3',
  'instance.port, instance.args, replSet.args, replSet.name: testEnvironmentOptions.replicaSet.port, .parameters, .name',
  'mongoURLEnvName: nowhere, the connection string is process.env.MONGO_URL',
  'useSharedDBForAllJestWorkers: nowhere, each worker has a set of its own',
];

/**
 * Looks for a configuration file of @shelf/jest-mongodb. Without a warning, users who migrate would not notice that it has no effect.
 * @returns the warning, or undefined if there is no such file
 */
export function unreadJestMongodbConfig(rootDir: string): string | undefined {
  const file = resolve(rootDir, process.env.MONGO_MEMORY_SERVER_FILE || 'jest-mongodb-config.js');
  if (!existsSync(file)) return undefined;
  const lines = [`${file} is not read by preset 'replsim/jest'. Remove it when its settings are in jest's config:`];
  return [...lines, ...GO_TO].join('\n  ');
}
