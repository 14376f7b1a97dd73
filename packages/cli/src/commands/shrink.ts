import { closeSync, writeSync } from 'node:fs';
import type { Trial } from '@replsim/explore';
import { endOf } from '../exploring/endOf.ts';
import { headed, SHRINK_RUNS } from '../exploring/findings.ts';
import { playerFor } from '../exploring/player.ts';
import { textOf } from '../exploring/question.ts';
import { refuseInput } from '../exploring/result.ts';
import { openToWrite, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';

export interface ShrinkCommandOptions {
  readonly seed?: number;
  /** Unit: µs. */
  readonly time?: number;
  /** Even if `out` holds something already. */
  readonly force?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** `replsim shrink`: takes out of a scenario that fails, or a recording, what its failure does not need. */
export async function shrinkCommand(path: string, options: ShrinkCommandOptions, io: Io): Promise<number> {
  const text = textOf(path);
  if (options.out !== undefined) refuseInput('--out', options.out, [path]);
  const { shrink } = await import('@replsim/explore');
  const [loaded] = await parseAll([{ path, text }]);
  for (const warning of loaded?.warnings ?? []) io.err(`warning: ${warning}\n`);
  const player = await playerFor({ jobs: 1 }, io);
  const { isOver, why } = endOf(options.time, io);
  try {
    const seed = options.seed ?? loaded?.scenario.seed ?? 1;
    const onProgress = ({ runs, size }: { readonly runs: number; readonly size: number }) =>
      io.err(`\r\x1b[Krun ${runs}, ${size} ${size === 1 ? 'step or fault' : 'steps and faults'} left`);
    const watch = { isOver, ...(io.progress && { onProgress }) };
    const shrunk = await shrink(text, { seed, play: player.play, runs: SHRINK_RUNS, ...watch });
    if (io.progress) io.err('\r\x1b[K');
    if (!shrunk) throw new InputError(await nothingIn(text, shown(path), await player.play({ text, seed })));
    const cutShort = why();
    if (cutShort) io.err('not shrunk to the end: it may be smaller still\n');
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
    return cutShort === 'interrupted' ? ExitCodes.interrupted : ExitCodes.ok;
  } finally {
    player.end();
  }
}

/** Why there is nothing to shrink. */
async function nothingIn(text: string, file: string, { obstacle, seed }: Trial): Promise<string> {
  if (obstacle !== undefined)
    return `${file} does not come to its end with seed ${seed}, so there is nothing to shrink: it stops at ${obstacle.title}, which is not a check`;
  const { recordingIn } = await import('@replsim/scenario');
  if (recordingIn(text) === undefined)
    return `${file} does not fail with seed ${seed}, so there is nothing to shrink; replsim explore looks for a run that does`;
  return `${file} is a recording in which nothing fails, so there is nothing to shrink; add to its steps what should hold, such as "- expect: { primary: any }"`;
}
