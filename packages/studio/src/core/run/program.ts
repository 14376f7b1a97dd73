import { asksForRare } from '@replsim/scenario';
import { programOf } from './parts.ts';
import { scriptBeside } from './scriptBeside.ts';

declare global {
  /** What the script `whole.js` leaves behind: a worker's program as a function, see `vite/ownProgram.ts`. No page calls it. */
  var replsimWholeProgram: (() => void) | undefined;
}

/** The text of a worker's program. */
export type Program = string;

/**
 * The program that plays scenarios. The page has none of it: it draws and can be used before the simulator is there, which loads from
 * beside it. Most scenarios need no places, time series, change streams and the like, which weigh as much as React: `core.js` lacks them. What
 * that program was asked for in a way that is not seen here, it says when it has played: see `programInPlaceOf`.
 * @throws Error if there is no such script, with words for whoever looks at the page
 */
export async function programFor(...texts: readonly string[]): Promise<Program> {
  if (texts.some((text) => asksForRare(text) || lacking.has(text))) {
    if (!globalThis.replsimWholeProgram) await scriptBeside('whole.js');
    whole ??= `(${replsimWholeProgram})()`;
    return whole;
  }
  core ??= await programOf('core');
  return core;
}

/** Of this text it is known by now that it needs the whole. @returns the whole, or undefined if it is not there, as in a page that is one file */
export async function programInPlaceOf(lacks: string): Promise<Program | undefined> {
  lacking.add(lacks);
  try {
    return await programFor(lacks);
  } catch {
    lacking.delete(lacks);
    return undefined;
  }
}

const lacking = new Set<string>();
let whole: Program | undefined;
let core: Program | undefined;

/** A worker that runs a program whose text the page has: a page from `file:` may not start one from a file beside it. */
export function workerOf(program: Program): Worker {
  const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
