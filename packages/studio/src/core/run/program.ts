import { asksForSearches } from '@replsim/scenario';
import { scriptBeside } from './scriptBeside.ts';

declare global {
  /** The whole program, as a function: the build makes it one, see `vite/ownProgram.ts`. */
  var replsimProgram: Program | undefined;
  /** What the script `whole.js` leaves behind: a worker's program that leaves nothing out. */
  var replsimWholeProgram: Program | undefined;
}

export type Program = () => void;

/** Whether the program runs in a worker that the page has started, and not in the page. */
export const isInWorker = typeof document === 'undefined';

/** The program that this page runs itself, and that plays nearly all scenarios. */
export function thisProgram(): Program {
  if (globalThis.replsimProgram === undefined) throw new Error('the build has not made one function of the program');
  return globalThis.replsimProgram;
}

/**
 * The program that plays a scenario. Of the core a page leaves out what searches places and words, which is as much as React; whoever asks for it
 * waits for a script from beside the page. One that asks for it in a way that is not seen here is refused by the page's own.
 */
export async function programFor(text: string): Promise<Program> {
  if (!asksForSearches(text)) return thisProgram();
  if (!globalThis.replsimWholeProgram) await scriptBeside('whole.js');
  return globalThis.replsimWholeProgram!;
}

/**
 * A worker that runs a program which the page has: a page from `file:` may load none from beside it, and one with a program of its own inside
 * would have everything twice that page and worker share.
 */
export function workerOf(program: Program): Worker {
  const url = URL.createObjectURL(new Blob([`(${program})()`], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
