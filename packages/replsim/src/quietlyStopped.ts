import { SetStoppedError } from '@replsim/server';
import { type Call, nameCaller } from './caller.ts';

/**
 * Returns the same outcome, but makes sure that SetStoppedError does not become an unhandled rejection. A test that fails between
 * starting a jump and awaiting it stops the set, and should report only its own failure.
 * @param call the call that the stack of an error should show
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
