import * as Comlink from 'comlink';
import { type Program, workerOf } from './program.ts';

/** A worker, and when it is no more. */
export interface Hired<Api> {
  /** What it runs. */
  readonly program: Program;
  readonly remote: Comlink.Remote<Api>;
  /** Resolves when somebody ends it; rejects if it breaks down, so that nobody waits for its answers forever. */
  readonly gone: Promise<undefined>;
  readonly dismiss: () => void;
}

export function hire<Api>(program: Program): Hired<Api> {
  const worker = workerOf(program);
  let leave = () => {};
  const gone = new Promise<undefined>((resolve, reject) => {
    leave = () => resolve(undefined);
    worker.addEventListener('error', ({ message }) =>
      reject(new Error(`the worker that plays the run has failed: ${message}`)),
    );
  });
  // Nobody may be waiting just then.
  gone.catch(() => {});
  const dismiss = () => {
    worker.terminate();
    leave();
  };
  return { program, remote: Comlink.wrap<Api>(worker), gone, dismiss };
}
