import { type Dump, InputError, loadDump, readDump } from '@replsim/cli';
import type { ServedSet } from '@replsim/server';
import { InvalidOptions } from './options.ts';

/** What of a folder a new set begins with. @throws InvalidOptions for what cannot be loaded, before the set begins */
export function dumpIn(folder: string): Dump {
  try {
    return readDump(folder);
  } catch (error) {
    throw asOption(error);
  }
}

/** Fills a new set, through its primary. @throws InvalidOptions with the file that the primary refuses */
export async function load(dump: Dump, served: ServedSet): Promise<void> {
  const ask = async (command: object) => served.command(await served.untilPrimary(), command);
  try {
    await loadDump(dump, ask, () => {});
  } catch (error) {
    throw asOption(error);
  }
}

/** What the command line says of its option, said of this one. */
function asOption(error: unknown): unknown {
  return error instanceof InputError ? new InvalidOptions([error.message.replace(/^--load\b/, 'load')]) : error;
}
