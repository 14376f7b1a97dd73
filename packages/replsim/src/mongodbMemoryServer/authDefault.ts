import type { AutomaticAuth } from './memoryOptions.ts';

/** Upstream: MongoMemoryServer.ts, authDefault. */
export function authDefault(auth: AutomaticAuth | undefined): Required<AutomaticAuth> | undefined {
  if (auth?.enable !== true) return undefined;
  return {
    customRootName: 'mongodb-memory-server-root',
    customRootPwd: 'rootuser',
    force: false,
    extraUsers: [],
    keyfileContent: '0123456789',
    ...auth,
    enable: true,
  };
}
