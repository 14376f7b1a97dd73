import { resolve } from 'node:path';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { openAll, type ReporterChoice } from '../reporters/choices.ts';
import { type Judged, type Result, unreached } from './exploredText.ts';
import { EXPLORE_REPORTERS, type ExploreReporterName } from './exploreReporters.ts';

export type ExploreReporterChoice = ReporterChoice<ExploreReporterName>;

/** Those that are asked for. `--json` is `--reporter json`. */
export function chosenReporters({
  reporter = [],
  json,
}: {
  readonly reporter?: readonly ExploreReporterChoice[];
  readonly json?: boolean;
}): readonly ExploreReporterChoice[] {
  if (json) return [...reporter, { name: 'json' }];
  return reporter.length === 0 ? [{ name: 'pretty' }] : reporter;
}

/** Reporters that are ready, so that an hour's exploration is not lost to a file that cannot be written. */
export interface Told {
  /** @returns the exit code */
  readonly tell: (result: Result) => Promise<number>;
  readonly close: () => void;
}

/** @param inputs files that are read, of which no report may take the place @throws InputError for files that cannot be written */
export function openTold(chosen: readonly ExploreReporterChoice[], inputs: readonly string[], io: Io): Told {
  for (const { output } of chosen) if (output !== undefined) refuseInput('--output', output, inputs);
  const { ios, close } = openAll(chosen, io);
  return {
    async tell(result) {
      for (const { name, io: each } of ios) await EXPLORE_REPORTERS[name](result, each);
      return codeOfResult(result);
    },
    close,
  };
}

/** Something was found, or nothing reached what should have come about; or somebody did not wait for the answer. */
export function codeOfResult(result: Judged): number {
  const isRight = result.explored.findings.length === 0 && unreached(result).length === 0;
  if (!isRight) return ExitCodes.failed;
  return result.cutShort === 'interrupted' ? ExitCodes.interrupted : ExitCodes.ok;
}

/** @throws InputError if what is to be written would take the place of what is read */
export function refuseInput(option: string, file: string, inputs: readonly string[]): void {
  if (inputs.some((each) => resolve(each) === resolve(file)))
    throw new InputError(`${option}: ${file} is read by this command; choose another name`);
}

/** A green that rests on nothing is none. @throws InputError where no run but the base could be played to its end */
export function mustTell({ question: { file }, explored, cutShort }: Judged & Pick<Result, 'question'>): void {
  if (cutShort === 'interrupted') return;
  const { runs, findings, obstacles, obstacle, stretches } = explored;
  if (runs === 0)
    throw new InputError(`${file}: there was no run, so nothing is known; allow more with --runs or --time`);
  const unplayed = obstacles.fault + obstacles.step;
  const others = stretches[0]?.from === 0 ? runs - 1 : runs;
  if (findings.length > 0 || unplayed === 0 || unplayed < others) return;
  throw new InputError(
    `${file}: none of the runs came to its end, so they show nothing; the first stopped at ${obstacle}`,
  );
}
