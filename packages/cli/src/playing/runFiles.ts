import { closeSync, writeSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { openToWrite } from '../files.ts';

/** The files that one run leaves whole: its trace, its TLA+ module. */
export interface RunFiles {
  event(event: TraceEvent): void;
  /** The run is over. @param title what ran @returns what whoever asked for them has to know, if they lack something */
  end(title: string): string | undefined;
  close(): void;
}

/** Opens them before the run, so that it does not find out at its end. @throws InputError */
export async function openRunFiles(names: {
  readonly trace?: string;
  readonly tla?: string;
  readonly force?: boolean;
}): Promise<RunFiles> {
  const { traceLine } = await import('@replsim/scenario');
  const force = names.force === true;
  const tla = names.tla === undefined ? undefined : new (await import('../tla/tlaFile.ts')).TlaFile(names.tla, force);
  const trace = names.trace === undefined ? undefined : openToWrite(names.trace, 'trace', force);
  return {
    event(event) {
      if (trace !== undefined) writeSync(trace, `${traceLine(event)}\n`);
      tla?.observe(event);
    },
    end: (title) => tla?.write(title),
    close() {
      if (trace !== undefined) closeSync(trace);
      tla?.close();
    },
  };
}
