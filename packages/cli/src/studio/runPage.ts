import { closeSync, writeSync } from 'node:fs';
import { openToWrite } from '../files.ts';
import type { Io } from '../io.ts';
import type { Turn } from '../playing/playOne.ts';
import type { Outcome } from '../reporters/reporter.ts';
import { pageOf, pageWith } from './page.ts';

/** The file that gets a run to look at. */
export interface RunPage {
  /** Of a run that failed it begins where it ended, of another at the start. */
  write(turn: Turn & { readonly text: string }, outcome: Outcome): void;
  close(): void;
}

/** Opens it before the run, so that it does not find out at its end. @throws InputError */
export function openRunPage(path: string, force: boolean, io: Io): RunPage {
  const folder = pageOf(io);
  const file = openToWrite(path, 'page', force);
  return {
    // The file may be a pipe, which is read once.
    write({ text, seed }, { ok, virtualMs }) {
      const atMicros = ok ? 0 : Math.round(virtualMs * 1000);
      writeSync(file, pageWith(folder, { text, seed, atMicros }));
    },
    close: () => closeSync(file),
  };
}
