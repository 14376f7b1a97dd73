import { openLate } from '../files.ts';
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

/** Sees before the run that it can be written, so that it does not find out at its end. @throws InputError */
export function openRunPage(path: string, force: boolean, io: Io): RunPage {
  const folder = pageOf(io);
  const file = openLate(path, 'page', force);
  return {
    write({ text, seed }, { ok, virtualMs }) {
      const atMicros = ok ? 0 : Math.round(virtualMs * 1000);
      file.write(pageWith(folder, { text, seed, atMicros }));
    },
    close: file.close,
  };
}
