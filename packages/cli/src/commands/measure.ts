import { closeSync, writeSync } from 'node:fs';
import type { Arm, Measured, MeasuredArm, MeasureInput } from '@replsim/explore';
import { Chalk } from 'chalk';
import { openToWrite, readText, scenarioPaths, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { type Loaded, parseAll } from '../loaded.ts';
import { type Measurement, measurementOf } from '../measuring/measurement.ts';
import type { Range } from '../values.ts';

export interface MeasureCommandOptions {
  readonly seeds?: Range;
  /** Unit: µs. */
  readonly time?: number;
  readonly jobs?: number;
  readonly json?: boolean;
  /** A file, or `-` for the output. */
  readonly csv?: string;
  readonly html?: string;
  readonly force?: boolean;
}

const DEFAULT_SEEDS: Range = { from: 1, to: 100 };

/** `replsim measure`: plays a scenario and its variants under many seeds, and says how their figures are spread. */
export async function measureCommand(path: string, options: MeasureCommandOptions, io: Io): Promise<number> {
  const loaded = await oneOf(path, io);
  const { AS_WRITTEN } = await import('@replsim/scenario');
  const { text, scenario } = loaded;
  const asWritten = { name: AS_WRITTEN, text, file: shown(path) };
  const variants = [...scenario.variants.keys()].map((variant) => ({ ...asWritten, name: variant, variant }));
  return measureArms(scenario.name, [asWritten, ...variants], options, io);
}

/** The one scenario at a path, after its warnings are said. @throws InputError */
export async function oneOf(path: string, io: Pick<Io, 'err'>): Promise<Loaded> {
  const paths = scenarioPaths([path]);
  const [only] = paths;
  if (only === undefined || paths.length > 1 || only !== path)
    throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  const [loaded] = await parseAll([{ path, text: readText(path) }]);
  for (const warning of (loaded as Loaded).warnings) io.err(`warning: ${warning}\n`);
  return loaded as Loaded;
}

/** Measures what is to be compared, and reports it in every form that is asked for. */
export async function measureArms(
  title: string,
  arms: readonly Arm[],
  options: MeasureCommandOptions,
  io: Io,
): Promise<number> {
  const files = openFiles(options);
  try {
    const began = performance.now();
    const measured = await played(arms, options, io);
    const tookMs = performance.now() - began;
    const measurement = measurementOf({ title, seeds: options.seeds ?? DEFAULT_SEEDS, arms: measured, tookMs });
    await report(measurement, files, options, io);
    return codeOf(measurement, io);
  } finally {
    for (const file of Object.values(files)) closeSync(file);
  }
}

/** Opened before anything is played, so that a bad path is reported at once. */
function openFiles({ csv, html, json, force = false }: MeasureCommandOptions): {
  readonly csv?: number;
  readonly html?: number;
} {
  if (csv === '-' && json) throw new InputError('--csv - and --json both print: give --csv a file');
  if (csv !== undefined && csv === html)
    throw new InputError('--csv and --html name the same file; choose another name');
  return {
    ...(csv !== undefined && csv !== '-' && { csv: openToWrite(csv, 'table', force) }),
    ...(html !== undefined && { html: openToWrite(html, 'page', force) }),
  };
}

async function played(arms: readonly Arm[], options: MeasureCommandOptions, io: Io): Promise<readonly MeasuredArm[]> {
  const { measure } = await import('@replsim/explore');
  const player = await playerFor(options, io);
  const began = performance.now();
  try {
    return await measure(arms, {
      seeds: options.seeds ?? DEFAULT_SEEDS,
      play: player.play,
      atOnce: player.atOnce,
      isOver: endOf(options, io, began),
      ...(io.progress && {
        onProgress: ({ runs, of }) => {
          const rest = ((performance.now() - began) / runs) * (of - runs);
          io.err(`\r\x1b[Krun ${runs} of ${of}, ${Math.ceil(rest / 1000)} s to go`);
        },
      }),
    });
  } finally {
    if (io.progress) io.err('\r\x1b[K');
    player.end();
  }
}

/** Whether it is to end: the time is up, or somebody has asked for it. */
function endOf({ time }: MeasureCommandOptions, io: Io, began: number): () => boolean {
  let isAsked = false;
  io.onInterrupt?.(() => {
    isAsked = true;
  });
  return () => isAsked || (time !== undefined && (performance.now() - began) * 1000 >= time);
}

interface RunPlayer {
  readonly atOnce: number;
  readonly play: (input: MeasureInput) => Promise<Measured>;
  readonly end: () => void;
}

async function playerFor({ jobs }: MeasureCommandOptions, io: Io): Promise<RunPlayer> {
  const { processes } = io;
  if (jobs !== undefined && jobs > 1 && processes === undefined)
    throw new InputError('--jobs: the caller of this command line has not set Io.processes');
  const atOnce = jobs ?? processes?.atOnce ?? 1;
  if (processes === undefined || atOnce <= 1)
    return { atOnce: 1, play: (await import('@replsim/explore')).measureRun, end: () => {} };
  const { Crew } = await import('../playing/crew.ts');
  const crew = new Crew({ ...processes, atOnce });
  return { atOnce, play: (input) => crew.measure(input, io), end: () => crew.end() };
}

async function report(
  measurement: Measurement,
  files: { readonly csv?: number; readonly html?: number },
  { csv, json }: MeasureCommandOptions,
  io: Io,
): Promise<void> {
  const { measuredCsv, measuredJson } = await import('../measuring/measuredFiles.ts');
  if (files.csv !== undefined) writeSync(files.csv, measuredCsv(measurement));
  if (files.html !== undefined)
    writeSync(files.html, (await import('../measuring/measuredPage.ts')).measuredPage(measurement));
  if (csv === '-') io.out(measuredCsv(measurement));
  else if (json) io.out(`${JSON.stringify(measuredJson(measurement), undefined, 2)}\n`);
  else {
    const { measuredText } = await import('../measuring/measuredText.ts');
    io.out(measuredText(measurement, new Chalk({ level: io.colours ? 1 : 0 })));
  }
}

/** Checks that fail are counted, and fail nothing: a measurement asks how it is, not whether it holds. What rests on no run is no answer. */
function codeOf({ summaries }: Measurement, io: Pick<Io, 'err'>): number {
  const empty = summaries.filter(({ whole }) => whole === 0);
  for (const { name, obstacle } of empty)
    io.err(
      `${name}: no run came to its end, so nothing is measured${obstacle ? `; the first stopped at ${obstacle.title}` : ''}\n`,
    );
  return empty.length > 0 ? ExitCodes.failed : ExitCodes.ok;
}
