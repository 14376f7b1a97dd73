import type { Arm, Measured, MeasuredArm, MeasureInput, MeasureOptions, MeasureQuestion } from '@replsim/explore';
import { Chalk } from 'chalk';
import { type End, endOf } from '../exploring/endOf.ts';
import {
  leftText,
  openReport,
  type PartOptions,
  type QueueChoice,
  queueOf,
  refuseQueue,
} from '../exploring/reportFile.ts';
import { refuseInput } from '../exploring/result.ts';
import { type LateFile, openLate, scenarioPaths, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { type Loaded, parseAll } from '../loaded.ts';
import { type Measurement, measurementOf } from '../measuring/measurement.ts';
import { counted } from '../playing/longWork.ts';
import { readScenario } from '../scenarioText.ts';
import type { Range } from '../values.ts';
import { VERSION } from '../version.ts';

/** In which forms a measurement is reported. */
export interface MeasureFormOptions {
  readonly json?: boolean;
  /** A file, or `-` for the output. */
  readonly csv?: string;
  readonly html?: string;
  readonly force?: boolean;
}

export interface MeasureCommandOptions extends MeasureFormOptions, PartOptions, QueueChoice {
  readonly seeds?: Range;
  /** Unit: µs. */
  readonly time?: number;
  readonly jobs?: number;
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
  const [loaded] = await parseAll([{ path, text: readScenario(path) }]);
  for (const warning of (loaded as Loaded).warnings) io.err(`warning: ${warning}\n`);
  return loaded as Loaded;
}

/** Measures what is to be compared, or a part of it, and reports it in every form that is asked for. */
export async function measureArms(
  title: string,
  arms: readonly Arm[],
  options: MeasureCommandOptions,
  io: Io,
): Promise<number> {
  refuseQueue(options);
  const { shard, report: wanted } = options;
  if (shard !== undefined && wanted === undefined && (options.json || options.csv === '-'))
    throw new InputError("--shard writes the shard's report to stdout; give it a file with --report");
  const twice = (['csv', 'html'] as const).find((name) => wanted !== undefined && options[name] === wanted);
  if (twice !== undefined) throw new InputError(`--report and --${twice} name the same file; choose another name`);
  const seeds = options.seeds ?? DEFAULT_SEEDS;
  const question: MeasureQuestion = { kind: 'measure', replsim: VERSION, title, arms: [...arms], seeds };
  const part = await partOf(question, options);
  const inputs = arms.map(({ file }) => file);
  const forms = openForms(options, inputs);
  const report = openReport(options, inputs, io);
  try {
    const began = performance.now();
    const end = endOf(options.time, io);
    const measured = await measuredArms(question, part, options, end, io);
    const tookMs = performance.now() - began;
    if (measured === undefined) {
      io.out(leftText(options));
      return ExitCodes.ok;
    }
    const runs = measured.map((each) => each.runs);
    const { from } = part;
    const answer = { from, to: from + (runs[0]?.length ?? 0), of: seeds.to - seeds.from + 1, arms: runs };
    report.write({ question, answer, tookMs });
    const isPart = shard !== undefined;
    const measurement = measurementOf({
      title: isPart ? `${title}, shard ${shard.index}/${shard.of}` : title,
      seeds: { from: seeds.from + part.from, to: seeds.from + part.to - 1 },
      arms: measured,
      tookMs,
      cutShort: (runs[0]?.length ?? 0) < part.to - part.from ? end.why() : undefined,
    });
    if (!report.isStdout || options.html !== undefined || options.csv !== undefined)
      await forms.tell(measurement, report.isStdout ? { ...io, out: () => {} } : io);
    return codeOf(measurement, io);
  } finally {
    forms.close();
    report.close();
  }
}

/** The seeds to play, counted from 0. @throws InputError for a part that has none */
async function partOf({ seeds: { from, to } }: MeasureQuestion, { shard }: PartOptions) {
  const { shardRange } = await import('@replsim/explore');
  const count = to - from + 1;
  const part = shardRange(count, shard ?? { index: 1, of: 1 });
  if (shard && part.from === part.to)
    throw new InputError(
      `--shard: there are only ${count} seeds, of which shard ${shard.index}/${shard.of} has none; use fewer shards, or more --seeds`,
    );
  return part;
}

/** The forms in which a measurement is wanted, ready to be written. */
export interface Forms {
  readonly tell: (measurement: Measurement, io: Io) => Promise<void>;
  readonly close: () => void;
}

/** Opened before anything is played, so that a bad path is reported at once. @param inputs files that are read @throws InputError */
export function openForms(options: MeasureFormOptions, inputs: readonly string[]): Forms {
  const { csv, html, json, force = false } = options;
  if (csv === '-' && json) throw new InputError('--csv - and --json both print: give --csv a file');
  if (csv !== undefined && csv === html)
    throw new InputError('--csv and --html name the same file; choose another name');
  for (const [name, file] of Object.entries({ '--csv': csv, '--html': html }))
    if (file !== undefined && file !== '-') refuseInput(name, file, inputs);
  const files = {
    ...(csv !== undefined && csv !== '-' && { csv: openLate(csv, 'table', force) }),
    ...(html !== undefined && { html: openLate(html, 'page', force) }),
  };
  return {
    tell: (measurement, io) => report(measurement, files, options, io),
    close() {
      for (const file of Object.values(files)) file.close();
    },
  };
}

/** @returns undefined if the runs were left to workers */
async function measuredArms(
  question: MeasureQuestion,
  part: { readonly from: number; readonly to: number },
  options: MeasureCommandOptions,
  { isOver }: End,
  io: Io,
): Promise<readonly MeasuredArm[] | undefined> {
  const began = performance.now();
  const onProgress = io.progress
    ? ({ runs, of }: { readonly runs: number; readonly of: number }) => {
        const rest = ((performance.now() - began) / runs) * (of - runs);
        io.err(`\r\x1b[Krun ${runs} of ${of}, ${Math.ceil(rest / 1000)} s to go`);
      }
    : undefined;
  const watch = { isOver, ...(onProgress && { onProgress }) };
  try {
    if (options.queue === undefined) return await played(question, part, options, watch, io);
    const { ask } = await import('../fleet/ask.ts');
    const { MeasureGathering } = await import('../fleet/gathering.ts');
    const begin = async () => new MeasureGathering(question);
    return await ask(question, begin, { ...(await queueOf(options.queue, options)), ...watch }, io);
  } finally {
    if (io.progress) io.err('\r\x1b[K');
  }
}

type Watch = Pick<MeasureOptions, 'isOver' | 'onProgress'>;

async function played(
  { arms, seeds }: MeasureQuestion,
  { from, to }: { readonly from: number; readonly to: number },
  options: MeasureCommandOptions,
  watch: Watch,
  io: Io,
): Promise<readonly MeasuredArm[]> {
  const { measure } = await import('@replsim/explore');
  const { play, atOnce, end } = await playerFor(options, io);
  try {
    const part = { from: seeds.from + from, to: seeds.from + to - 1 };
    return await measure(arms, { seeds: part, play, atOnce, ...watch });
  } finally {
    end();
  }
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
  if (processes === undefined || atOnce <= 1) {
    const { measureRun } = await import('@replsim/explore');
    return { atOnce: 1, play: counted(measureRun), end: () => {} };
  }
  const { Crew } = await import('../playing/crew.ts');
  const crew = new Crew({ ...processes, atOnce });
  return { atOnce, play: (input) => crew.measure(input, io), end: () => crew.end() };
}

async function report(
  measurement: Measurement,
  files: { readonly csv?: LateFile; readonly html?: LateFile },
  { csv, json }: MeasureFormOptions,
  io: Io,
): Promise<void> {
  const { measuredCsv, measuredJson } = await import('../measuring/measuredFiles.ts');
  files.csv?.write(measuredCsv(measurement));
  if (files.html !== undefined)
    files.html.write((await import('../measuring/measuredPage.ts')).measuredPage(measurement));
  if (csv === '-') io.out(measuredCsv(measurement));
  else if (json) io.out(`${JSON.stringify(measuredJson(measurement), undefined, 2)}\n`);
  else {
    const { measuredText } = await import('../measuring/measuredText.ts');
    io.out(measuredText(measurement, new Chalk({ level: io.colours ? 1 : 0 })));
  }
}

/**
 * Checks that fail are counted, and fail nothing: a measurement asks how it is, not whether it holds. What rests on no run is no answer, and what
 * somebody has interrupted is not the one that was asked for.
 */
export function codeOf({ summaries, cutShort }: Measurement, io: Pick<Io, 'err'>): number {
  const empty = summaries.filter(({ whole }) => whole === 0);
  for (const { name, obstacle } of empty)
    io.err(
      `${name}: no run came to its end, so nothing is measured${obstacle ? `; the first stopped at ${obstacle.title}` : ''}\n`,
    );
  if (cutShort === 'interrupted') return ExitCodes.interrupted;
  return empty.length > 0 ? ExitCodes.failed : ExitCodes.ok;
}
