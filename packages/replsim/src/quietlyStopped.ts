import { SetStoppedError } from '@replsim/server';
import { type Call, nameCaller } from './caller.ts';

/**
 * The same outcome, but that SetStoppedError is no unhandled rejection where nobody waits: a test that fails between the
 * beginning of a jump and its `await` stops the set, and should report its own failure alone.
 * @param call what the stack of an error leads to
 */
export function quietlyStopped<Result>(work: Promise<Result>, call: Call): Promise<Result> {
  const told = new Promise<Result>((resolve, reject) => {
    work.then(resolve, (error) => {
      nameCaller(error, call);
      if (error instanceof SetStoppedError) told.catch(() => {});
      reject(error);
    });
  });
  return told;
}
