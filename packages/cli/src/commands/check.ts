import { findScenarios, shown } from '../files.ts';
import { ExitCodes, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';

/** `replsim check`: says what is wrong with scenario files, and runs nothing. */
export async function checkCommand(paths: readonly string[], io: Io): Promise<number> {
  const loaded = await parseAll(findScenarios(paths));
  for (const { path, scenario, warnings } of loaded) {
    io.out(`${shown(path)}: ${scenario.name}\n`);
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
  }
  io.out(`${loaded.length} ${loaded.length === 1 ? 'scenario' : 'scenarios'}, no mistakes\n`);
  return ExitCodes.ok;
}
