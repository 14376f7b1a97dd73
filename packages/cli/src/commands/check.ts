import { scenarioPaths, shown } from '../files.ts';
import type { Io } from '../io.ts';
import { codeOf, playable, readAll, readTexts } from '../loaded.ts';

/** `replsim check`: says what is wrong with scenario files, and runs nothing. */
export async function checkCommand(paths: readonly string[], io: Io): Promise<number> {
  const read = await readAll(readTexts(scenarioPaths(paths)));
  const loaded = playable(read, io);
  for (const { path, scenario, warnings } of loaded) {
    io.out(`${shown(path)}: ${scenario.name}\n`);
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
  }
  const wrong = read.length - loaded.length;
  const found = wrong === 0 ? 'no mistakes' : `and ${wrong} ${wrong === 1 ? 'file' : 'files'} with mistakes`;
  // Where nothing is right there is nothing to list.
  if (loaded.length > 0) io.out(`${loaded.length} ${loaded.length === 1 ? 'scenario' : 'scenarios'}, ${found}\n`);
  return codeOf(read);
}
