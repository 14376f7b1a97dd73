import { closeSync, existsSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Explored, ExploreOptions, Trial, TrialInput } from '@replsim/explore';
import { exploredText, type Found, findingComment, progressText } from '../exploring/exploredText.ts';
import { openToWrite, readText, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';
import { prepareFolder } from '../memberLogs.ts';

export const MODES = ['faults', 'seeds', 'everywhere'] as const;

export interface ExploreCommandOptions {
  readonly mode: (typeof MODES)[number];
  /** Of `everywhere`: what happens; with `pairs`, a second that happens as well. */
  readonly fault?: readonly string[];
  /** Of `faults`: the kinds that are drawn, and how many at most. */
  readonly kinds?: readonly string[];
  readonly atMost?: number;
  readonly runs?: number;
  readonly timeMicros?: number;
  readonly stopAt?: number;
  readonly seed?: number;
  readonly jobs?: number;
  readonly shrink?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

const DEFAULT_RUNS = 1000;
const DEFAULT_AT_MOST = 6;
/** Of a finding: so that a large one ends, too. */
const SHRINK_RUNS = 2000;

/** `replsim explore`: looks for a run in which what a scenario claims does not hold, and hands back the smallest. */
export async function exploreCommand(path: string, options: ExploreCommandOptions, io: Io): Promise<number> {
  const text = textOf(path);
  const { explore, ExploreError } = await import('@replsim/explore');
  // A claim that rests on nothing is not explored in silence.
  for (const { warnings } of await parseAll([{ path, text }]))
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
  if (options.out !== undefined) prepareFolder(options.out, '--out');
  const player = await playerFor(options, io);
  const began = performance.now();
  const isOver = endOf(options, io, began);
  try {
    const explored = await explore(text, {
      mode: await modeOf(options),
      runs: runsOf(options),
      stopAt: options.stopAt ?? 1,
      play: player.play,
      atOnce: player.atOnce,
      isOver,
      ...(options.seed !== undefined && { seed: options.seed }),
      ...(io.progress && {
        onProgress: (progress) => io.err(`\r\x1b[K${progressText(progress, performance.now() - began)}`),
      }),
    });
    if (io.progress) io.err('\r\x1b[K');
    mustTell(path, explored);
    const found = await filesOf(path, explored, options, player.play, isOver, io);
    const tookMs = performance.now() - began;
    io.out(
      options.json
        ? `${JSON.stringify(asJson(path, explored, found, tookMs), undefined, 2)}\n`
        : exploredText(path, explored, found, tookMs),
    );
    return explored.findings.length > 0 ? ExitCodes.failed : ExitCodes.ok;
  } catch (error) {
    if (error instanceof ExploreError) throw new InputError(error.message.replaceAll('scenario.yaml', shown(path)));
    throw error;
  } finally {
    player.end();
  }
}

/** A green that rests on nothing is none. @throws InputError where no run but the base could be played to its end */
function mustTell(path: string, { runs, findings, obstacles, obstacle }: Explored): void {
  const unplayed = obstacles.fault + obstacles.step;
  if (findings.length > 0 || unplayed === 0 || unplayed < runs - 1) return;
  throw new InputError(
    `${shown(path)}: none of the runs came to its end, so they show nothing; the first stopped at ${obstacle}`,
  );
}

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

function textOf(path: string): string {
  if (!existsSync(path)) throw new InputError(`${path}: no such file; replsim list shows which there are`);
  if (statSync(path).isDirectory()) throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  return readText(path);
}

async function modeOf(options: ExploreCommandOptions): Promise<ExploreOptions['mode']> {
  const { mode, fault, kinds, atMost } = options;
  if (fault !== undefined && mode !== 'everywhere') throw new InputError('--fault belongs to --mode everywhere');
  for (const [name, given] of [
    ['--kinds', kinds],
    ['--at-most', atMost],
  ] as const)
    if (given !== undefined && mode !== 'faults') throw new InputError(`${name} belongs to --mode faults`);
  const { faultTextOf, DRAWN_KINDS } = await import('@replsim/explore');
  if (mode === 'seeds') return { kind: 'seeds' };
  if (mode === 'faults') {
    const unknown = kinds?.find((kind) => !DRAWN_KINDS.includes(kind));
    if (unknown !== undefined)
      throw new InputError(`--kinds: ${unknown} cannot be drawn; these can: ${DRAWN_KINDS.join(', ')}`);
    return { kind: 'faults', atMost: atMost ?? DEFAULT_AT_MOST, ...(kinds && { kinds }) };
  }
  if (fault === undefined) throw new InputError('--mode everywhere needs a fault: --fault "kill primary"');
  if (fault.length > 2) throw new InputError('--fault: two at most; each pair of instants is a run');
  return { kind: 'everywhere', faults: fault.map(faultTextOf) };
}

/** Of `everywhere` all instants, unless somebody wants fewer. */
function runsOf({ mode, runs, timeMicros }: ExploreCommandOptions): number {
  return runs ?? (mode === 'everywhere' || timeMicros !== undefined ? Number.MAX_SAFE_INTEGER : DEFAULT_RUNS);
}

/** Whether it is to end: the time is up, or somebody has asked for it. */
function endOf({ timeMicros }: ExploreCommandOptions, io: Io, began: number): () => boolean {
  let isAsked = false;
  io.onInterrupt?.(() => {
    isAsked = true;
  });
  return () => isAsked || (timeMicros !== undefined && (performance.now() - began) * 1000 >= timeMicros);
}

interface TrialPlayer {
  readonly atOnce: number;
  readonly play: (input: TrialInput) => Promise<Trial>;
  readonly end: () => void;
}

async function playerFor({ jobs }: Pick<ExploreCommandOptions, 'jobs'>, io: Io): Promise<TrialPlayer> {
  const { processes } = io;
  const atOnce = jobs ?? processes?.atOnce ?? 1;
  if (processes === undefined || atOnce <= 1)
    return { atOnce: 1, play: (await import('@replsim/explore')).tryOut, end: () => {} };
  const { Crew } = await import('../playing/crew.ts');
  const crew = new Crew({ ...processes, atOnce });
  return { atOnce, play: (input) => crew.try(input, io), end: () => crew.end() };
}

async function filesOf(
  path: string,
  { findings }: Explored,
  { shrink: wantsShrunk = true, out }: ExploreCommandOptions,
  play: TrialPlayer['play'],
  isOver: () => boolean,
  io: Io,
): Promise<readonly Found[]> {
  const { shrink } = await import('@replsim/explore');
  const found: Found[] = [];
  for (const [i, finding] of findings.entries()) {
    if (io.progress && wantsShrunk) io.err(`\r\x1b[Kshrinking ${i + 1} of ${findings.length}`);
    const { seed } = finding;
    const shrunk = wantsShrunk ? await shrink(finding.text, { seed, play, runs: SHRINK_RUNS, isOver }) : undefined;
    if (io.progress) io.err('\r\x1b[K');
    const comment = findingComment(path, finding, shrunk);
    const text = headed(shrunk ?? finding, comment);
    const file = out === undefined ? undefined : freeName(out, basename(path).replace(/\.ya?ml$/, ''));
    if (file !== undefined) writeFileSync(file, text);
    found.push({ finding, shrunk, text, file });
  }
  return found;
}

/** A name that nothing has yet: what was found before stays. */
function freeName(folder: string, name: string): string {
  for (let n = 1; ; n++) {
    const file = join(folder, `${name}-${n}.yaml`);
    if (!existsSync(file)) return file;
  }
}

/** A scenario under a comment that says where it comes from; what was written above it before said something of all of it. */
function headed(
  { text, failure }: { readonly text: string; readonly failure: { readonly title: string } },
  from: string,
): string {
  const body = text.replace(/^(#.*\n|\s*\n)*/, '');
  const lines = [`what fails: ${failure.title}`, ...from.split('\n')];
  return `${lines.map((line) => `# ${line}`).join('\n')}\n${body}`;
}

function asJson(path: string, explored: Explored, found: readonly Found[], tookMs: number) {
  const { runs, of, coverage, obstacles } = explored;
  return {
    version: 1,
    file: shown(path),
    runs,
    of: Number.isSafeInteger(of) && of < Number.MAX_SAFE_INTEGER ? of : null,
    tookMs: Math.round(tookMs),
    coverage,
    obstacles,
    findings: found.map(({ finding: { failure, seed, run, times }, shrunk, text, file }) => ({
      ...{ failure, seed, run, times, text, file },
      ...(shrunk && { from: shrunk.from, to: shrunk.to, shrunkIn: shrunk.runs }),
    })),
  };
}
