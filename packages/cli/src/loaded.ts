import { InvalidScenario, type Scenario } from '@replsim/scenario';
import { type ScenarioFile, shown } from './files.ts';
import { ExitCodes, InputError, type Io } from './io.ts';
import { readScenario } from './scenarioText.ts';

/** A scenario without mistakes, as far as it is known where another process has read it. */
export interface Known extends ScenarioFile {
  readonly scenario: Pick<Scenario, 'name' | 'seed'>;
  /** What may be meant, and probably is not; as it is shown. */
  readonly warnings: readonly string[];
}

/** A scenario, and the file that it stands in. */
export interface Loaded extends Known {
  readonly scenario: Scenario;
}

/** A file that cannot be played. */
export interface Mistaken {
  readonly path: string;
  /** What is wrong with it, as it is shown. */
  readonly mistakes: string;
  /** Where the first of them is. */
  readonly line: number;
  /** Whether it is the file that is wrong, or we are. */
  readonly code: typeof ExitCodes.badInput | typeof ExitCodes.bug;
}

export function isMistaken(read: object): read is Mistaken {
  return 'mistakes' in read;
}

/** The texts of files. One that cannot be read keeps nobody from the others. */
export function readTexts(paths: readonly string[], variant?: string): readonly (ScenarioFile | Mistaken)[] {
  return paths.map((path) => {
    try {
      return { path, text: readScenario(path), ...(variant !== undefined && { variant }) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { path, mistakes: error.message, line: lineOf(error), code: ExitCodes.badInput };
    }
  });
}

/** Where the first of a file's mistakes is. */
function lineOf({ cause }: InputError): number {
  return cause instanceof InvalidScenario ? (cause.mistakes[0]?.line ?? 1) : 1;
}

/** Reads every file, whatever is wrong with another. */
export async function readAll(files: readonly (ScenarioFile | Mistaken)[]): Promise<readonly (Loaded | Mistaken)[]> {
  const { parseScenario, showMistake, variantOf } = await import('@replsim/scenario');
  return files.map((file) => {
    if (isMistaken(file)) return file;
    const { path, variant } = file;
    try {
      const written = parseScenario(file.text, shown(path));
      const scenario = variant === undefined ? written : renamed(variantOf(written, variant), variant);
      return { ...file, scenario, warnings: written.warnings.map(showMistake) };
    } catch (error) {
      if (error instanceof InvalidScenario)
        return { path, mistakes: error.message, line: error.mistakes[0]?.line ?? 1, code: ExitCodes.badInput };
      const mistakes = `${shown(path)}: this is a bug in replsim, which cannot read the file: ${stackOf(error)}`;
      return { path, mistakes, line: 1, code: ExitCodes.bug };
    }
  });
}

/** What is reported of a variant is not reported of the scenario as it is written. */
function renamed(scenario: Scenario, variant: string): Scenario {
  return { ...scenario, name: `${scenario.name}, ${variant}` };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error);
}

/** The exit code for files that cannot be played: the worst. */
export function codeOf(read: readonly object[]): number {
  return Math.max(ExitCodes.ok, ...read.map((each) => (isMistaken(each) ? each.code : ExitCodes.ok)));
}

/** Those that can be played. What is wrong with the others is said at once. */
export function playable<Read extends Known>(read: readonly (Read | Mistaken)[], io: Pick<Io, 'err'>): readonly Read[] {
  const mistaken = read.filter((each): each is Mistaken => isMistaken(each));
  if (mistaken.length > 0) io.err(`${mistaken.map(({ mistakes }) => mistakes).join('\n\n')}\n`);
  return read.filter((each): each is Read => !isMistaken(each));
}

/** Reads every file, where nothing is done without all of them. @throws InputError with the mistakes of all */
export async function parseAll(files: readonly ScenarioFile[]): Promise<readonly Loaded[]> {
  const read = await readAll(files);
  const mistakes = read.flatMap((each) => (isMistaken(each) ? [each.mistakes] : []));
  if (codeOf(read) === ExitCodes.bug) throw new Error(mistakes.join('\n\n'));
  if (mistakes.length > 0) throw new InputError(mistakes.join('\n\n'));
  return read.filter((each): each is Loaded => !isMistaken(each));
}
