import { closeSync, writeSync } from 'node:fs';
import { type Evidence, type Incident, IncidentError, infer, together, write } from '@replsim/incident';
import { InvalidScenario } from '@replsim/scenario';
import { openToWrite } from '../files.ts';
import { evidencePaths, readEvidence } from '../importing/evidenceFiles.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export interface ImportOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `replsim import`: what an operator has of an incident, as a scenario. */
export async function importCommand(paths: readonly string[], options: ImportOptions, io: Io): Promise<number> {
  const evidence: Evidence[] = [];
  for (const path of evidencePaths(paths)) evidence.push(await readEvidence(path));
  const incident = inferred(() => infer(together(evidence)));
  const text = write(incident);
  if (options.out !== undefined) {
    const file = openToWrite(options.out, 'scenario', options.force ?? false);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  }
  if (options.json) io.out(`${JSON.stringify({ ...incident, scenario: text }, undefined, 2)}\n`);
  else if (options.out === undefined) io.out(text);
  else io.out(summary(incident, options.out));
  return ExitCodes.ok;
}

function inferred<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof IncidentError || error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

function summary({ members, faults, steps, loads, notes, time }: Incident, out: string): string {
  const elections = steps.filter(({ what }) => 'stepUp' in what).length;
  const count = (many: number, one: string) => `${many} ${one}${many === 1 ? '' : 's'}`;
  const long = time === undefined ? '' : ` in ${(time.lengthMs / 1000).toFixed(1)} s`;
  return [
    `${out}: ${count(members.length, 'member')}, ${count(faults.length, 'fault')}, ${count(elections, 'election')}, ${count(loads.length, 'workload')}${long}`,
    ...notes.map((note) => `  ${note}`),
    `replsim run ${out} plays it`,
    '',
  ].join('\n');
}
