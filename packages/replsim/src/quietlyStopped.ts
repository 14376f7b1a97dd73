import { SetStoppedError } from '@replsim/server';

/**
 * The same outcome, but that SetStoppedError is no unhandled rejection where nobody waits: a test that fails between the
 * beginning of a jump and its `await` stops the set, and should report its own failure alone.
 */
export function quietlyStopped<Result>(work: Promise<Result>): Promise<Result> {
  const told = new Promise<Result>((resolve, reject) => {
    work.then(resolve, (error) => {
      if (error instanceof SetStoppedError) told.catch(() => {});
      reject(error);
    });
  });
  return told;
}
