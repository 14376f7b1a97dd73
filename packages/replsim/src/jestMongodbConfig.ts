import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where each option of @shelf/jest-mongodb goes; `mongodbMemoryServerOptions` is left out of their names. Upstream: helpers.ts. */
const GO_TO = [
  'instance.dbName, replSet.dbName: testEnvironmentOptions.replicaSet.replSet.dbName',
  'binary.version: testEnvironmentOptions.replicaSet.version, by default 8.0',
  'replSet.count: testEnvironmentOptions.replicaSet.members, by default 3',
  'instance.port, instance.args, replSet.args, replSet.name: testEnvironmentOptions.replicaSet.port, .parameters, .name',
  'mongoURLEnvName: nowhere, the connection string is process.env.MONGO_URL',
  'useSharedDBForAllJestWorkers: nowhere, each worker has a set of its own',
];

/**
 * The configuration of @shelf/jest-mongodb, which nobody reads here: whoever comes from there would not hear of it.
 * @returns what to tell; undefined where there is none
 */
export function unreadJestMongodbConfig(rootDir: string): string | undefined {
  const file = resolve(rootDir, process.env.MONGO_MEMORY_SERVER_FILE || 'jest-mongodb-config.js');
  if (!existsSync(file)) return undefined;
  const lines = [`${file} is not read by preset 'replsim/jest'. Remove it when its settings are in jest's config:`];
  return [...lines, ...GO_TO].join('\n  ');
}
