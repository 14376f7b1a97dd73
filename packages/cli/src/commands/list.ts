import { scenarioPaths, shown } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import { codeOf, type Loaded, playable, readAll, readTexts } from '../loaded.ts';

/** Where scenarios lie if nobody says. */
const FOLDER = 'scenarios';

export interface ListOptions {
  /** A part of the name or the file. */
  readonly grep?: string;
}

/** Those whose name or file has the text, in whatever case. @throws InputError if none has */
export function matching(loaded: readonly Loaded[], grep: string | undefined): readonly Loaded[] {
  if (grep === undefined) return loaded;
  const text = grep.toLowerCase();
  const found = loaded.filter(({ path, scenario }) => `${scenario.name}\n${shown(path)}`.toLowerCase().includes(text));
  if (found.length === 0)
    throw new InputError(
      `--grep: none of ${loaded.length} scenarios has "${grep}" in its name or file; see replsim list`,
    );
  return found;
}

/** `replsim list`: the files of scenarios, and their names. */
export async function listCommand(paths: readonly string[], { grep }: ListOptions, io: Io): Promise<number> {
  const read = await readAll(readTexts(scenarioPaths(paths.length === 0 ? [FOLDER] : paths)));
  const known = playable(read, io);
  const loaded = known.length === 0 ? [] : matching(known, grep);
  const width = Math.max(...loaded.map(({ path }) => shown(path).length));
  for (const { path, scenario } of loaded) io.out(`${shown(path).padEnd(width)}  ${scenario.name}\n`);
  return codeOf(read);
}
