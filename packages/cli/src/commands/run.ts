import { join, resolve } from 'node:path';
import { required } from '@replsim/protocol';
import { type ScenarioFile, scenarioPaths, shown } from '../files.ts';
import { AlreadyTold, ExitCodes, InputError, type Io } from '../io.ts';
import { codeOf, isMistaken, type Known, type Loaded, type Mistaken, playable, readAll, readTexts } from '../loaded.ts';
import { prepareLogFolder } from '../memberLogs.ts';
import type { Crew } from '../playing/crew.ts';
import { neverReached } from '../playing/neverReached.ts';
import { type Asked, logFolder, playOne, type Turn, unplayed } from '../playing/playOne.ts';
import { openRunFiles } from '../playing/runFiles.ts';
import { type OpenReporters, openReporters, type ReporterChoice } from '../reporters/choices.ts';
import type { PrettyOptions } from '../reporters/pretty.ts';
import type { Outcome } from '../reporters/reporter.ts';
import { openRunPage } from '../studio/runPage.ts';
import { compareTranscript, updateTranscript } from '../transcripts.ts';
import { matching } from './list.ts';
import type { RunOptions } from './runOptions.ts';

/** `replsim run`: all files are read and checked before the first of them runs. One that has mistakes keeps nobody from the others. */
export async function runCommand(paths: readonly string[], options: RunOptions, io: Io): Promise<number> {
  if (options.checkDeterminism) {
    const { compareRuns } = await import('./compareRuns.ts');
    const read = await readAll(readTexts(scenarioPaths(paths), options.variant));
    const loaded = playable(read, io);
    const compared =
      loaded.length === 0 ? ExitCodes.ok : await compareRuns(matching(loaded, options.grep), options, io);
    return Math.max(codeOf(read), compared);
  }
  const outcomes = await outcomesOf(scenarioPaths(paths), options, io);
  const unreached = neverReached(outcomes, seedsOf(options));
  for (const line of unreached) io.err(`${line}\n`);
  return Math.max(unreached.length > 0 ? ExitCodes.failed : ExitCodes.ok, ...outcomes.map(codeOfOutcome));
}

function codeOfOutcome({ ok, error }: Outcome): number {
  if (error !== undefined) return error === 'bug' ? ExitCodes.bug : ExitCodes.badInput;
  return ok ? ExitCodes.ok : ExitCodes.failed;
}

/** Where all files will be played, and several at once, those that play them read them; they get ready while the files are opened. */
async function outcomesOf(paths: readonly string[], options: RunOptions, io: Io): Promise<readonly Outcome[]> {
  const { grep, variant } = options;
  const crew = grep === undefined ? await crewFor(paths.length * seedsOf(options), options, io) : undefined;
  try {
    const files = readTexts(paths, variant);
    if (crew === undefined) {
      const read = await readAll(files);
      return await playLoaded(chosenOf(read, grep), options, io);
    }
    const read = await crew.read(
      files.filter((each): each is ScenarioFile => !isMistaken(each)),
      io,
    );
    const byPath = new Map(read.map((each) => [each.path, each]));
    const all = files.map((each) => (isMistaken(each) ? each : required(byPath.get(each.path), 'file that was read')));
    return await playAll(all, options, io, atOnce(crew));
  } finally {
    crew?.end();
  }
}

/** Those that are asked for, and what has mistakes: nobody knows its name. */
function chosenOf(read: readonly (Loaded | Mistaken)[], grep: string | undefined): readonly (Loaded | Mistaken)[] {
  const loaded = read.filter((each): each is Loaded => !isMistaken(each));
  const chosen: readonly object[] = loaded.length === 0 ? [] : matching(loaded, grep);
  return read.filter((each) => isMistaken(each) || chosen.includes(each));
}

/**
 * Plays scenarios and reports what came of each.
 * @param isOver whether nobody cares for the rest any more
 * @returns what came of those that were played
 */
export async function playLoaded(
  loaded: readonly (Loaded | Mistaken)[],
  options: RunOptions,
  io: Io,
  isOver: () => boolean = () => false,
): Promise<readonly Outcome[]> {
  const crew = await crewFor(loaded.length * seedsOf(options), options, io);
  try {
    return await (crew
      ? playAll(loaded, options, io, atOnce(crew), isOver)
      : playAll(loaded, options, io, inTurn, isOver));
  } finally {
    crew?.end();
  }
}

async function playAll<Scenario extends Known>(
  read: readonly (Scenario | Mistaken)[],
  options: RunOptions,
  io: Io,
  player: Player<Scenario>,
  isOver: () => boolean = () => false,
): Promise<readonly Outcome[]> {
  const turns = runsOf(read, options);
  const runs = turns.filter((each): each is Run<Scenario> => !isMistaken(each));
  for (const name of ['trace', 'html'] as const)
    if (options[name] !== undefined && turns.length > 1)
      throw new InputError(`--${name} takes one scenario, not several`);
  if (options.variant !== undefined && options.html !== undefined)
    throw new InputError('--html shows the scenario as it is written: leave out --variant, or --html');
  if (options.causes && options.trace === undefined)
    throw new InputError('--causes adds to the file of --trace: add --trace FILE');
  refuseOverwriting(read, options);
  refuseUnseenTranscript(turns.length, options);
  const loaded = playable(read, io);
  // Who asks for no report in particular has been told all.
  if (loaded.length === 0 && options.reporter === undefined) throw new AlreadyTold(codeOf(read));
  for (const warning of loaded.flatMap(({ warnings }) => warnings)) io.err(`warning: ${warning}\n`);
  if (options.logs !== undefined) prepareLogFolder(options.logs);
  const page = options.html === undefined ? undefined : openRunPage(options.html, options.force === true, io);
  const chosen: readonly ReporterChoice[] = options.reporter ?? [{ name: 'pretty' }];
  const reporter = await openReporters(chosen, io, await shownOf(turns, options));
  // Programs that read the report decide for themselves what they look at.
  const asked = { ...options, ttlReport: options.ttlReport === true || chosen.some(({ name }) => name === 'json') };
  const began = performance.now();
  const outcomes: Outcome[] = [];
  try {
    for await (const [turn, played] of inOrder(turns, player.play(runs, asked, reporter, io), options)) {
      const outcome = isMistaken(turn) ? played : heldAgainstTranscript(played, turn, options, turns.length === 1);
      outcomes.push(outcome);
      if (!isMistaken(turn)) page?.write(turn, outcome);
      reporter.finished(outcome);
      if ((!outcome.ok && options.bail) || isOver()) break;
    }
    reporter.ended({ outcomes, tookMs: performance.now() - began, atOnce: player.atOnce });
  } catch (error) {
    reporter.brokenOff('a run had no outcome; stderr says what happened');
    throw error;
  } finally {
    page?.close();
    reporter.close();
  }
  return outcomes;
}

/** What came of each turn, and of the files between them that cannot be played. */
async function* inOrder<Scenario extends Known>(
  turns: readonly (Run<Scenario> | Mistaken)[],
  played: AsyncIterable<Outcome>,
  { seed = 1 }: RunOptions,
): AsyncGenerator<[Run<Scenario> | Mistaken, Outcome]> {
  const runs = turns.filter((each): each is Run<Scenario> => !isMistaken(each));
  let next = 0;
  let run = 0;
  const mistaken = function* (): Generator<[Mistaken, Outcome]> {
    for (let turn = turns[next]; turn !== undefined && isMistaken(turn); turn = turns[++next])
      yield [turn, unplayed(turn, seed)];
  };
  yield* mistaken();
  for await (const outcome of played) {
    const turn = required(runs[run++], 'run of an outcome');
    next += 1;
    yield [turn, { ...outcome, name: turn.scenario.name }];
    yield* mistaken();
  }
}

/** A report or trace must not take the place of what it tells of, nor of another. */
function refuseOverwriting(
  loaded: readonly { readonly path: string }[],
  { reporter = [], trace, html }: RunOptions,
): void {
  const taken = new Map(loaded.map(({ path }) => [resolve(path), 'the scenario itself']));
  const written = reporter.flatMap(({ output }) => (output === undefined ? [] : [['--output', output] as const]));
  for (const [option, file] of [['--trace', trace] as const, ['--html', html] as const, ...written]) {
    if (file === undefined) continue;
    const other = taken.get(resolve(file));
    if (other !== undefined) throw new InputError(`${option}: ${file} is ${other}; choose another name`);
    if (option !== '--output') taken.set(resolve(file), `what ${option} writes to`);
  }
}

/** Reporters that show transcripts of several scenarios, at least of those that failed. */
const OF_SEVERAL: readonly string[] = ['html', 'junit'];

/** Who watches may play one scenario in the next turn. */
function refuseUnseenTranscript(
  turns: number,
  { transcript, reporter = [{ name: 'pretty' }], watch }: RunOptions,
): void {
  if (transcript === undefined || watch) return;
  if (reporter.some(({ name }) => OF_SEVERAL.includes(name) || (name === 'pretty' && turns === 1))) return;
  throw new InputError(
    '--transcript: no transcript is shown here; pretty shows that of a single scenario, html and junit those of failures',
  );
}

/** One run that is asked for. */
type Run<Scenario extends Known = Known> = Turn & Scenario;

function runsOf<Scenario extends Known>(
  read: readonly (Scenario | Mistaken)[],
  options: RunOptions,
): (Run<Scenario> | Mistaken)[] {
  const { seed, seeds, logs, update } = options;
  const isForeign = (each: Scenario | Mistaken) => !isMistaken(each) && each.scenario.seed !== seed;
  if (update && options.variant !== undefined)
    throw new InputError('--update writes the transcript of the scenario as it is written: leave out --variant');
  const foreign = update && seed !== undefined && read.some(isForeign);
  if (foreign) throw new InputError("--update writes the transcript of the scenario's own seed: leave out --seed");
  if (seeds === undefined)
    return read.map((each) => {
      if (isMistaken(each)) return each;
      const folder = logs === undefined || read.length === 1 ? logs : logFolder(logs, each.path);
      return { ...each, seed: seed ?? each.scenario.seed, ...(folder !== undefined && { logs: folder }) };
    });
  const other = (['seed', 'update'] as const).find((name) => options[name] !== undefined);
  if (other !== undefined) throw new InputError(`--seeds sets the seeds: leave out --${other}`);
  const all = Array.from({ length: seeds.to - seeds.from + 1 }, (_, i) => seeds.from + i);
  return read.flatMap<Run<Scenario> | Mistaken>((each) =>
    isMistaken(each) ? [each] : all.map((one) => withSeed(each, one, logs)),
  );
}

/** One of several runs of a scenario, which its name tells from the others. */
function withSeed<Scenario extends Known>(known: Scenario, seed: number, logs: string | undefined): Run<Scenario> {
  const scenario = { ...known.scenario, name: `${known.scenario.name}, seed ${seed}` };
  const folder = logs === undefined ? undefined : join(logFolder(logs, known.path), String(seed));
  return { ...known, scenario, seed, ...(folder !== undefined && { logs: folder }) };
}

async function shownOf(
  runs: readonly { readonly path: string }[],
  { ttlReport, verbose }: RunOptions,
): Promise<PrettyOptions> {
  return {
    paths: runs.map(({ path }) => shown(path)),
    verbose: verbose === true,
    ttlTable: ttlReport ? (await import('../reporters/ttlTable.ts')).ttlTable : undefined,
  };
}

function seedsOf({ seeds }: RunOptions): number {
  return seeds === undefined ? 1 : seeds.to - seeds.from + 1;
}

/** The processes to read and play in, where more than one run is asked for. @throws InputError if there are none to be had */
async function crewFor(runs: number, { jobs }: RunOptions, { processes }: Io): Promise<Crew | undefined> {
  if (jobs !== undefined && jobs > 1 && processes === undefined)
    throw new InputError('--jobs: the caller of this command line has not set Io.processes');
  const atOnce = Math.min(jobs ?? processes?.atOnce ?? 1, runs);
  if (processes === undefined || atOnce <= 1) return undefined;
  const { Crew } = await import('../playing/crew.ts');
  return new Crew({ ...processes, atOnce });
}

/** Who plays. */
interface Player<Scenario extends Known> {
  /** How many at once. */
  readonly atOnce: number;
  /** The outcomes come in the order of the runs. */
  play(
    runs: readonly Run<Scenario>[],
    asked: Asked & RunOptions,
    reporter: OpenReporters,
    io: Io,
  ): AsyncIterable<Outcome>;
}

const atOnce = (crew: Crew): Player<Known> => ({
  atOnce: crew.atOnce,
  play(runs, { speed, ttlReport, transcript }, reporter, io) {
    const asked: Asked = { ...(speed !== undefined && { speed }), ttlReport, ...(transcript && { transcript }) };
    return crew.play(runs, asked, io, (index) =>
      reporter.began(required(runs[index], 'run that begins').scenario.name, index, runs.length),
    );
  },
});

const inTurn: Player<Loaded> = {
  atOnce: 1,
  async *play(runs, asked, reporter, io) {
    const files = await openRunFiles(asked);
    try {
      for (const [index, run] of runs.entries()) {
        const { scenario } = run;
        reporter.began(scenario.name, index, runs.length);
        yield await playOne(scenario, run, asked, io, { line: reporter.line, event: files.event });
      }
    } finally {
      files.close();
    }
  },
};

/** A transcript that cannot be read or written keeps nobody from the other scenarios. */
function heldAgainstTranscript(outcome: Outcome, run: Run, options: RunOptions, alone: boolean): Outcome {
  try {
    return withTranscript(outcome, run, options, alone);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...outcome, ok: false, error: 'mistakes', failure: { title: error.message, detail: '', line: 1 } };
  }
}

/** A transcript is that of the scenario as it is written, with its own seed; another run has none to compare with. */
function withTranscript(outcome: Outcome, run: Run, { update }: RunOptions, alone: boolean): Outcome {
  if (run.seed !== run.scenario.seed || run.variant !== undefined || !outcome.ok) return outcome;
  if (update) {
    updateTranscript(run.path, outcome.transcript, alone);
    return outcome;
  }
  const comparison = compareTranscript(run.path, outcome.transcript);
  if (!comparison || comparison.same) return outcome;
  const title = 'the transcript differs from the one beside the scenario (-u rewrites it)';
  return { ...outcome, ok: false, failure: { title, detail: comparison.diff, line: 1 } };
}
