import type * as api from 'replsim' with { 'resolution-mode': 'import' };
import type * as jestApi from 'replsim/jest' with { 'resolution-mode': 'import' };
import type * as inMemoryApi from 'replsim/mongodb-memory-server' with { 'resolution-mode': 'import' };

import replsim = require('replsim');
import inMemory = require('replsim/mongodb-memory-server');
import jestHelpers = require('replsim/jest');

/** What `require` finds is what `import` finds: nothing is left out of its types. */
export const same: typeof api = replsim;
export const sameInMemory: typeof inMemoryApi = inMemory;
export const sameForJest: typeof jestApi = jestHelpers;

export async function stopped(): Promise<boolean> {
  const server: inMemory.MongoMemoryServer = await inMemory.MongoMemoryServer.create({ instance: { dbName: 'app' } });
  const failed = (error: inMemory.errors.StateError): string => error.gotState;
  return typeof failed === 'function' && server.stop();
}

export async function expire(options: replsim.ReplicaSetOptions): Promise<string | undefined> {
  const set: replsim.ReplicaSet = await replsim.ReplicaSet.start(options);
  await set.advance('61s').catch((error: unknown) => error instanceof replsim.SetStoppedError);
  await set.stop();
  return set.primary;
}

// @ts-expect-error a name that there is not
replsim.ReplicaSet.start({ memebrs: 3 });
