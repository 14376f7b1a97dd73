import { closeSync, writeSync } from 'node:fs';
import { headed, SHRINK_RUNS } from '../exploring/findings.ts';
import { playerFor } from '../exploring/player.ts';
import { textOf } from '../exploring/question.ts';
import { openToWrite, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export interface ShrinkCommandOptions {
  readonly seed?: number;
  /** Even if `out` holds something already. */
  readonly force?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** `replsim shrink`: takes out of a scenario that fails what its failure does not need. */
export async function shrinkCommand(path: string, options: ShrinkCommandOptions, io: Io): Promise<number> {
  const text = textOf(path);
  const { shrink } = await import('@replsim/explore');
  const { parseScenario, InvalidScenario } = await import('@replsim/scenario');
  const player = await playerFor({ jobs: 1 }, io);
  try {
    const seed = options.seed ?? parseScenario(text, shown(path)).seed;
    const shrunk = await shrink(text, { seed, play: player.play, runs: SHRINK_RUNS });
    if (!shrunk) throw new InputError(`${shown(path)} does not fail with seed ${seed}, so there is nothing to shrink`);
    const small = headed(shrunk, `shrunk from ${shown(path)}`);
    io.out(
      options.json
        ? `${JSON.stringify({ version: 1, file: shown(path), seed, ...shrunk, text: small }, undefined, 2)}\n`
        : small,
    );
    // Behind what is printed, so that a name that cannot be had loses nothing.
    if (options.out !== undefined) {
      const file = openToWrite(options.out, 'shrunk scenario', options.force === true);
      writeSync(file, small);
      closeSync(file);
    }
    return ExitCodes.ok;
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  } finally {
    player.end();
  }
}
