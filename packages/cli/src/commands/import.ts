import { closeSync, writeSync } from 'node:fs';
import { type Evidence, type Incident, IncidentError, infer, together, write } from '@replsim/incident';
import { InvalidScenario, parseScenario } from '@replsim/scenario';
import { openToWrite } from '../files.ts';
import { evidencePaths, readEvidence } from '../importing/evidenceFiles.ts';
import { isWhole, type PlayedBack, playBack, told } from '../importing/playBack.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export interface ImportOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly tries?: number;
}

/** Seeds under which the scenario is played, at most. */
export const TRIES = 20;

/** `replsim import`: what an operator has of an incident, as a scenario. */
export async function importCommand(paths: readonly string[], options: ImportOptions, io: Io): Promise<number> {
  const evidence: Evidence[] = [];
  for (const path of evidencePaths(paths)) evidence.push(await readEvidence(path));
  const inferredOne = inferred(() => infer(together(evidence)));
  if (options.tries !== undefined && inferredOne.course === undefined)
    throw new InputError('--tries: without logs there is nothing to compare a run with; leave it out');
  const playedBack = await playBack(inferredOne, options.tries ?? TRIES, io);
  const incident = playedBack === undefined ? inferredOne : withRun(inferredOne, playedBack);
  const text = write(incident);
  if (options.out !== undefined) {
    const file = openToWrite(options.out, 'scenario', options.force ?? false);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  }
  const warning = playedBack === undefined || isWhole(playedBack) ? undefined : told(inferredOne, playedBack);
  if (warning !== undefined) io.err(`warning: ${warning}\n`);
  for (const each of parseScenario(text, options.out ?? 'imported.yaml').warnings) io.err(`warning: ${each}\n`);
  if (options.json) io.out(`${JSON.stringify({ ...incident, playedBack, scenario: text }, undefined, 2)}\n`);
  else if (options.out === undefined) io.out(text);
  else io.out(summary({ ...incident, notes: incident.notes.filter((note) => note !== warning) }, options.out));
  return ExitCodes.ok;
}

/** The scenario says of itself how like the logs it is, and has the seed that makes it most like them. */
function withRun(incident: Incident, playedBack: PlayedBack): Incident {
  const { seed } = playedBack;
  return { ...incident, ...(seed > 1 && { seed }), notes: [...incident.notes, told(incident, playedBack)] };
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
