import type { Scenario } from '@replsim/scenario';
import { findScenarios, type ScenarioFile, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

/** A scenario, and the file that it stands in. */
export interface Loaded extends ScenarioFile {
  readonly scenario: Scenario;
}

/** Parses every file; throws InputError with the mistakes of all of them. */
export async function parseAll(files: readonly ScenarioFile[]): Promise<Loaded[]> {
  const { InvalidScenario, parseScenario } = await import('@replsim/scenario');
  const problems: string[] = [];
  const loaded: Loaded[] = [];
  for (const { path, text } of files) {
    try {
      loaded.push({ path, text, scenario: parseScenario(text, shown(path)) });
    } catch (error) {
      if (!(error instanceof InvalidScenario)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new InputError(problems.join('\n\n'));
  return loaded;
}

/** `replsim check`: says what is wrong with scenario files, and runs nothing. */
export async function checkCommand(paths: readonly string[], io: Io): Promise<number> {
  const loaded = await parseAll(findScenarios(paths));
  const { showMistake } = await import('@replsim/scenario');
  for (const { path, scenario } of loaded) {
    io.out(`${shown(path)}: ${scenario.name}\n`);
    for (const warning of scenario.warnings) io.err(`warning: ${showMistake(warning)}\n`);
  }
  io.out(`${loaded.length} ${loaded.length === 1 ? 'scenario' : 'scenarios'}, no mistakes\n`);
  return ExitCodes.ok;
}
