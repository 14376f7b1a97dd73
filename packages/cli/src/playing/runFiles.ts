import { closeSync, writeSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { openToWrite } from '../files.ts';

/** The file that one run leaves whole: its trace. */
export interface RunFiles {
  event(event: TraceEvent): void;
  close(): void;
}

/** Opens it before the run, so that a bad path is reported before anything is played. @throws InputError */
export async function openRunFiles(names: { readonly trace?: string; readonly force?: boolean }): Promise<RunFiles> {
  const { traceLine } = await import('@replsim/scenario');
  const trace = names.trace === undefined ? undefined : openToWrite(names.trace, 'trace', names.force === true);
  return {
    event(event) {
      if (trace !== undefined) writeSync(trace, `${traceLine(event)}\n`);
    },
    close() {
      if (trace !== undefined) closeSync(trace);
    },
  };
}
