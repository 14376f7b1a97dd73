import type * as api from 'replsim' with { 'resolution-mode': 'import' };

import replsim = require('replsim');

/** What `require` finds is what `import` finds: nothing is left out of its types. */
export const same: typeof api = replsim;

export async function expire(options: replsim.ReplicaSetOptions): Promise<string | undefined> {
  const set: replsim.ReplicaSet = await replsim.ReplicaSet.start(options);
  await set.advance('61s').catch((error: unknown) => error instanceof replsim.SetStoppedError);
  await set.stop();
  return set.primary;
}

// @ts-expect-error a name that there is not
replsim.ReplicaSet.start({ memebrs: 3 });
