import { shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import type { Loaded } from '../loaded.ts';
import { bugOutcome } from '../playing/playOne.ts';
import type { RunOptions } from './runOptions.ts';

/** What belongs to one run, and says nothing of two. */
const OF_ONE_RUN = [
  'reporter',
  'seeds',
  'trace',
  'causes',
  'html',
  'logs',
  'transcript',
  'ttlReport',
  'speed',
  'jobs',
  'verbose',
  'update',
] as const;

/** `replsim run --check-determinism`: plays each scenario twice. @throws InputError for options that would do nothing */
export async function compareRuns(loaded: readonly Loaded[], options: RunOptions, io: Io): Promise<number> {
  const senseless = OF_ONE_RUN.filter((name) => options[name] !== undefined);
  if (senseless.length > 0) {
    const names = senseless.map(
      (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    throw new InputError(`--check-determinism only compares: leave out ${names.join(', ')}`);
  }
  const { checkDeterminism, differenceInWords } = await import('./checkDeterminism.ts');
  const { ReplSet } = await import('@replsim/replset');
  let code: number = ExitCodes.ok;
  for (const { path, variant, scenario } of loaded) {
    const seed = options.seed ?? scenario.seed;
    let compared: Awaited<ReturnType<typeof checkDeterminism>>;
    try {
      compared = await checkDeterminism(scenario, seed, (setup) => ReplSet.create(setup));
    } catch (error) {
      const turn = { path, seed, ...(variant !== undefined && { variant }) };
      const { name, repeat } = bugOutcome({ ...turn, name: scenario.name }, error);
      io.err(`this is a bug in replsim; repeat with: ${repeat}\n${error instanceof Error ? error.stack : error}\n`);
      io.out(`error: ${name} (${shown(path)}, seed ${seed})\n`);
      code = ExitCodes.bug;
      if (options.bail) break;
      continue;
    }
    const { events, difference } = compared;
    if (difference === undefined) {
      io.out(`same: ${scenario.name}: ${events} events, seed ${seed}\n`);
      continue;
    }
    code = Math.max(code, ExitCodes.failed);
    io.out(`differs: ${scenario.name} (${shown(path)}, seed ${seed})\n${differenceInWords(difference)}`);
    if (options.bail) break;
  }
  io.out('\nplayed twice in this process; this says nothing about other machines or releases of Node.js\n');
  return code;
}
