import { asksForSearches } from '@replsim/scenario';
import { programOf } from './parts.ts';
import { scriptBeside } from './scriptBeside.ts';

declare global {
  /** What the script `whole.js` leaves behind: a worker's program as a function, see `vite/ownProgram.ts`. No page calls it. */
  var replsimWholeProgram: (() => void) | undefined;
}

/** The text of a worker's program. */
export type Program = string;

/**
 * The program that plays a scenario. The page has none of it: it draws and can be used before the simulator is there, which loads from
 * beside it. Most scenarios need no library for places, for words and for patterns, which weigh as much as React: `core.js` lacks them.
 * A scenario that asks for them in a way that is not seen here is refused by that program.
 * @throws Error if there is no such script, with words for whoever looks at the page
 */
export async function programFor(text: string): Promise<Program> {
  if (asksForSearches(text)) {
    if (!globalThis.replsimWholeProgram) await scriptBeside('whole.js');
    whole ??= `(${replsimWholeProgram})()`;
    return whole;
  }
  core ??= await programOf('core');
  return core;
}

let whole: Program | undefined;
let core: Program | undefined;

/** A worker that runs a program whose text the page has: a page from `file:` may not start one from a file beside it. */
export function workerOf(program: Program): Worker {
  const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
