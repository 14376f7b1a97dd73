import * as nodeModule from 'node:module';
import { setImmediate as signals } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** V8's own, in bytes of code; `bin/load.js` sets eight times as much for commands that end before optimised code pays. */
const INTERRUPT_BUDGET = 66 * 1024;
/** By then all bundles are loaded: V8 refuses what it has compiled before under other flags. */
const RUNS = 20;

/**
 * Counts runs. To a process that goes on playing the same, optimised code is worth what it costs V8 to compile. Nothing of a run depends on it.
 * Where Node keeps compiled code by itself, nothing was set.
 */
export function runCounter(): () => void {
  let runs = 0;
  return () => {
    runs += 1;
    if (runs === RUNS && !('enableCompileCache' in nodeModule))
      setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
  };
}

/** Counts a run of this process. */
export const countRun = runCounter();

/**
 * What plays a run in this process, which is counted. Runs wait for nothing, so Ctrl-C and other signals would have to wait for the last of them:
 * they come in between two.
 */
export function counted<Input, Output>(play: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  return async (input) => {
    await signals();
    countRun();
    return play(input);
  };
}
