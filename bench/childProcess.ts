import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { timed } from './measure.ts';

/** What users run. */
export const BIN = fileURLToPath(new URL('../../packages/replsim/bin/replsim.js', import.meta.url));

/** The folder of all scenarios, or one of them. */
export const scenario = (path = ''): string => fileURLToPath(new URL(`../../scenarios/${path}`, import.meta.url));

/** How long Node takes with these arguments, from its start to its end. Unit: s. */
export const node = (...args: readonly string[]): Promise<number> =>
  timed(() => void spawnSync(process.execPath, [...args]));

/**
 * The same where Node has one core for all of its threads, which otherwise compile and collect on the others. Unit: s.
 * Undefined where there is no `taskset`.
 */
export const nodeOnOneCore = async (...args: readonly string[]): Promise<number | undefined> =>
  spawnSync('taskset', ['--version']).status === 0
    ? timed(() => void spawnSync('taskset', ['--cpu-list', '0', process.execPath, ...args]))
    : undefined;

/** How long it takes that several do the same at once. Unit: s. */
export const atOnce = (count: number, ...args: readonly string[]): Promise<number> =>
  timed(async () => {
    await Promise.all(Array.from({ length: count }, () => once(spawn(process.execPath, [...args]), 'close')));
  });
