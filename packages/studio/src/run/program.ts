declare global {
  /** The whole program, as a function: the build makes it one, see `vite/ownProgram.ts`. */
  var replsimProgram: (() => void) | undefined;
}

/** Whether the program runs in a worker that the page has started, and not in the page. */
export const isInWorker = typeof document === 'undefined';

/**
 * Another one that runs the same program: a page from `file:` may load none from beside it, and one with a program of its own inside would have
 * everything twice that page and worker share.
 */
export function workerOfThisProgram(): Worker {
  if (globalThis.replsimProgram === undefined) throw new Error('the build has not made one function of the program');
  const url = URL.createObjectURL(new Blob([`(${globalThis.replsimProgram})()`], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
