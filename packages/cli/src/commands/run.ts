import { closeSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import type { Scenario } from '@replsim/scenario';
import { findScenarios, openToWrite, shown } from '../files.ts';
import { diskFailure, ExitCodes, InputError, type Io } from '../io.ts';
import { MemberLogs, prepareLogFolder } from '../memberLogs.ts';
import { pacer } from '../pace.ts';
import { jsonReporter, junitReporter, tapReporter } from '../reporters/machine.ts';
import { prettyReporter } from '../reporters/pretty.ts';
import type { Outcome, Reporter } from '../reporters/reporter.ts';
import type { TlaFile } from '../tla/tlaFile.ts';
import { compareTranscript, updateTranscript } from '../transcripts.ts';
import { parseAll } from './check.ts';

type ReporterName = 'pretty' | 'json' | 'junit' | 'tap';

export interface RunOptions {
  readonly reporter: ReporterName;
  readonly seed?: number;
  /** A file that gets every event as a line of JSON. */
  readonly trace?: string;
  /** A file that gets the run as a TLA+ module, with its `.cfg` beside it. */
  readonly tla?: string;
  /** What those files hold already may be lost. */
  readonly force?: boolean;
  /** A folder that gets one log file a member; with several scenarios, one folder for each. */
  readonly logs?: string;
  /** Play each twice, and compare. */
  readonly checkDeterminism?: boolean;
  readonly bail?: boolean;
  /** Virtual seconds a second of the wall clock. */
  readonly speed?: number;
  /** Say how late TTL deleted documents, and why. */
  readonly ttlReport?: boolean;
  /** Rewrite transcripts instead of comparing. */
  readonly update?: boolean;
}

interface Loaded {
  readonly path: string;
  readonly scenario: Scenario;
}

/** `replsim run`: all files are read and checked before the first of them runs. */
export async function runCommand(paths: readonly string[], options: RunOptions, io: Io): Promise<number> {
  const files = findScenarios(paths);
  for (const name of ['trace', 'tla'] as const)
    if (options[name] !== undefined && files.length > 1)
      throw new InputError(`--${name} takes one scenario, not several`);
  const loaded = await parseAll(files);
  if (options.checkDeterminism) return compareRuns(loaded, options, io);
  if (options.logs !== undefined) prepareLogFolder(options.logs);
  const tla =
    options.tla === undefined
      ? undefined
      : new (await import('../tla/tlaFile.ts')).TlaFile(options.tla, options.force === true);
  const reporter = await reporterFor(options, io, loaded.length);
  const outcomes: Outcome[] = [];
  for (const [index, { path, scenario }] of loaded.entries()) {
    reporter.began?.(scenario.name, index, loaded.length);
    const outcome = await runOne({ path, scenario }, options, reporter, loaded.length === 1, io, tla);
    outcomes.push(outcome);
    reporter.finished(outcome);
    if (!outcome.ok && options.bail) break;
  }
  reporter.ended(outcomes);
  return outcomes.every(({ ok }) => ok) ? ExitCodes.ok : ExitCodes.failed;
}

/** What belongs to one run, and says nothing of two. */
const OF_ONE_RUN = ['trace', 'logs', 'ttlReport', 'speed', 'update'] as const;

async function compareRuns(loaded: readonly Loaded[], options: RunOptions, io: Io): Promise<number> {
  const senseless = OF_ONE_RUN.filter((name) => options[name] !== undefined);
  if (options.reporter !== 'pretty') senseless.unshift('reporter' as never);
  if (senseless.length > 0) {
    const names = senseless.map(
      (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    throw new InputError(`--check-determinism only compares: leave out ${names.join(', ')}`);
  }
  const { checkDeterminism, differenceInWords } = await import('./checkDeterminism.ts');
  const { ReplSet } = await import('@replsim/replset');
  let code: number = ExitCodes.ok;
  for (const { path, scenario } of loaded) {
    const seed = options.seed ?? scenario.seed;
    const { events, difference } = await checkDeterminism(scenario, seed, (setup) => ReplSet.create(setup));
    if (difference === undefined) {
      io.out(`same: ${scenario.name}: ${events} events, seed ${seed}\n`);
      continue;
    }
    code = ExitCodes.failed;
    io.out(`differs: ${scenario.name} (${shown(path)}, seed ${seed})\n${differenceInWords(difference)}`);
    if (options.bail) break;
  }
  io.out('\nplayed twice in this process; that says nothing of other machines or other releases of Node.js\n');
  return code;
}

async function reporterFor({ reporter, ttlReport }: RunOptions, io: Io, total: number): Promise<Reporter> {
  switch (reporter) {
    case 'pretty':
      return prettyReporter(
        io,
        total === 1,
        ttlReport ? (await import('../reporters/ttlTable.ts')).ttlTable : undefined,
      );
    case 'json':
      return jsonReporter(io);
    case 'junit':
      return junitReporter(io);
    case 'tap':
      return tapReporter(io, total);
  }
}

async function runOne(
  { path, scenario }: Loaded,
  options: RunOptions,
  reporter: Reporter,
  alone: boolean,
  io: Io,
  tla: TlaFile | undefined,
): Promise<Outcome> {
  const { playScenario, Transcript, traceLine } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { Checkers } = await import('@replsim/checker');
  const seed = options.seed ?? scenario.seed;
  const repeat = `replsim run ${quoted(shown(path))} --seed ${seed}`;
  const checkers = new Checkers();
  const transcript = new Transcript();
  const trace = options.trace === undefined ? undefined : openToWrite(options.trace, 'trace', options.force === true);
  const logs = options.logs === undefined ? undefined : new MemberLogs(logFolder(options.logs, path, alone));
  const lines: string[] = [];
  const take = (more: readonly string[]): void => {
    for (const line of more) {
      lines.push(line);
      reporter.line?.(line);
    }
  };
  const began = performance.now();
  try {
    const result = await playScenario(scenario, (setup) => ReplSet.create(setup), {
      seed,
      observers: [(event) => checkers.observe(event)],
      // Programs that read the report decide for themselves what they look at.
      ttlReport: options.ttlReport === true || options.reporter === 'json',
      ...(options.speed !== undefined && { pace: pacer(options.speed) }),
      onTrace: (event: TraceEvent) => {
        if (trace !== undefined) writeSync(trace, `${traceLine(event)}\n`);
        tla?.observe(event);
        logs?.observe(event);
        take(transcript.observe(event));
      },
    });
    take(transcript.end());
    const left = tla?.write(`${scenario.name}, seed ${seed}`);
    if (left !== undefined) io.err(`${left}\n`);
    const failure = result.failure ?? compare(path, lines, options, seed === scenario.seed, alone);
    return {
      path: shown(path),
      name: scenario.name,
      ok: failure === undefined,
      seed,
      steps: result.steps,
      virtualMs: result.virtualMicros / 1000,
      wallMs: performance.now() - began,
      transcript: lines,
      workloads: result.workloads,
      ...(result.ttl && { ttl: result.ttl }),
      ...(failure && { failure }),
      repeat,
    };
  } catch (error) {
    // A bug of ours: whoever reports it needs the seed.
    if (!(error instanceof InputError) && diskFailure(error) === undefined)
      io.err(`this is a bug of replsim; repeat with: ${repeat}\n`);
    throw error;
  } finally {
    if (trace !== undefined) closeSync(trace);
    tla?.close();
    logs?.close();
  }
}

/** Several scenarios name their members alike, so each has a folder after its own file. */
function logFolder(folder: string, path: string, alone: boolean): string {
  return alone ? folder : join(folder, shown(path).replace(/\.ya?ml$/, ''));
}

/** A transcript is that of the scenario's own seed; another seed's run has none to compare with. */
function compare(
  path: string,
  lines: readonly string[],
  options: RunOptions,
  ownSeed: boolean,
  alone: boolean,
): Outcome['failure'] | undefined {
  if (!ownSeed) return undefined;
  if (options.update) {
    updateTranscript(path, lines, alone);
    return undefined;
  }
  const comparison = compareTranscript(path, lines);
  if (!comparison || comparison.same) return undefined;
  return { title: 'the transcript differs from the one beside the scenario (-u rewrites it)', detail: comparison.diff };
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
