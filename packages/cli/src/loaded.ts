import type { Scenario } from '@replsim/scenario';
import { type ScenarioFile, shown } from './files.ts';
import { InputError } from './io.ts';

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

/** What is wrong with a file, as it is shown. */
export interface Mistaken {
  readonly mistakes: string;
}

/** Reads every file. */
export async function readAll(files: readonly ScenarioFile[]): Promise<readonly (Loaded | Mistaken)[]> {
  const { InvalidScenario, parseScenario, showMistake } = await import('@replsim/scenario');
  return files.map(({ path, text }) => {
    try {
      const scenario = parseScenario(text, shown(path));
      return { path, text, scenario, warnings: scenario.warnings.map(showMistake) };
    } catch (error) {
      if (!(error instanceof InvalidScenario)) throw error;
      return { mistakes: error.message };
    }
  });
}

/** @throws InputError with the mistakes of all of them */
export function withoutMistakes<Read extends Known>(read: readonly (Read | Mistaken)[]): readonly Read[] {
  const mistakes = read.flatMap((each) => ('mistakes' in each ? [each.mistakes] : []));
  if (mistakes.length > 0) throw new InputError(mistakes.join('\n\n'));
  return read.filter((each): each is Read => !('mistakes' in each));
}

/** Reads every file. @throws InputError with the mistakes of all of them */
export async function parseAll(files: readonly ScenarioFile[]): Promise<readonly Loaded[]> {
  return withoutMistakes(await readAll(files));
}
