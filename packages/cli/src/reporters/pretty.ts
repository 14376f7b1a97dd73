import { required } from '@replsim/protocol';
import { durationText } from '@replsim/scenario';
import { Chalk, type ChalkInstance } from 'chalk';
import type { Io } from '../io.ts';
import { painter } from '../painted.ts';
import { foldersOf } from './folders.ts';
import { countsLine, type Outcome, oneLine, type Played, type Reporter, virtualText, wallText } from './reporter.ts';
import type { ttlTable as TtlTable } from './ttlTable.ts';

/** What people are shown. */
export interface PrettyOptions {
  /** The files of all runs that are asked for, in order; of one alone the transcript is shown as it comes about. */
  readonly paths: readonly string[];
  /** A line for each of many, instead of one for each folder. */
  readonly verbose: boolean;
  /** Says how late TTL deleted, if that was asked for. See `ttlTable.ts`, which is not loaded by those who do not need it. */
  readonly ttlTable?: typeof TtlTable | undefined;
}

/** For people: the transcript and the verdict of one scenario, or what held of many and failures in full. */
export function prettyReporter(io: Io, options: PrettyOptions): Reporter {
  const chalk = new Chalk({ level: io.colours ? 1 : 0 });
  return options.paths.length === 1 ? single(io, chalk, options) : several(io, chalk, options);
}

function single(io: Io, chalk: ChalkInstance, { ttlTable }: PrettyOptions): Reporter {
  const paint = painter(chalk);
  return {
    began(name) {
      io.out(`${chalk.bold(name)}\n\n`);
    },
    line(text) {
      io.out(`${paint(text)}\n`);
    },
    finished(outcome) {
      if (ttlTable) io.out(ttlTable(outcome.ttl ?? [], outcome.workloads, chalk));
      if (outcome.ok) showVerdict(io, chalk, outcome);
      else io.out('\n');
      showChallenge(io, chalk, outcome);
      showFailure(io, chalk, outcome);
    },
    ended() {},
  };
}

function several(io: Io, chalk: ChalkInstance, { paths, verbose, ttlTable }: PrettyOptions): Reporter {
  const folders = new Folders(paths, chalk);
  return {
    began(name, index, total) {
      if (io.progress) io.err(`\r\x1b[K${index + 1}/${total} ${name}`);
    },
    finished(outcome) {
      if (io.progress) io.err('\r\x1b[K');
      // How late TTL was in a scenario says nothing without its name.
      if (verbose || ttlTable || !outcome.ok) showLine(io, chalk, outcome);
      if (ttlTable) io.out(ttlTable(outcome.ttl ?? [], outcome.workloads, chalk));
      showFailure(io, chalk, outcome);
      const folder = folders.take(outcome);
      if (folder !== undefined && !verbose) io.out(folder);
    },
    ended(played) {
      if (!verbose) io.out(folders.rest());
      showEnd(io, chalk, played);
    },
  };
}

/** Whether the task is solved; what is missing, and what stood in the way. */
function showChallenge(io: Io, chalk: ChalkInstance, { challenge }: Outcome): void {
  if (!challenge) return;
  const { task, solved, goals } = challenge;
  io.out(`${solved ? chalk.green('challenge: solved') : chalk.yellow('challenge: open')}\n  ${oneLine(task)}\n`);
  for (const { text, held, got, reasons } of goals) {
    io.out(`  ${held ? '=' : '~'} ${text}${held ? '' : `: ${got}`}\n`);
    for (const reason of reasons) io.out(`      ${reason}\n`);
  }
}

/** What is known of a folder. */
interface Folder {
  readonly name: string;
  readonly total: number;
  readonly outcomes: Outcome[];
}

/** Counts by folder; one is told of when the last of its scenarios has been played, as folders within may stand between. */
class Folders {
  readonly #of = new Map<string, Folder>();
  readonly #width: number;
  readonly #chalk: ChalkInstance;

  constructor(paths: readonly string[], chalk: ChalkInstance) {
    const names = foldersOf(paths);
    const inFolder = (name: string) => paths.filter((path) => names.get(path) === name).length;
    const folders = [...new Set(names.values())].map((name) => ({ name, total: inFolder(name), outcomes: [] }));
    for (const [path, name] of names)
      this.#of.set(path, required(folders.find((each) => each.name === name), `folder of ${path}`)); // biome-ignore format: one line
    this.#width = Math.max(...folders.map(({ name }) => name.length));
    this.#chalk = chalk;
  }

  /** @returns the folder's line, if all of it is played */
  take(outcome: Outcome): string | undefined {
    const folder = required(this.#of.get(outcome.path), `folder of ${outcome.path}`);
    folder.outcomes.push(outcome);
    return folder.outcomes.length === folder.total ? this.#line(folder) : undefined;
  }

  /** The lines of those that a failure has cut short. */
  rest(): string {
    const begun = [...new Set(this.#of.values())].filter(({ outcomes, total }) => outcomes.length % total > 0);
    return begun.map((folder) => this.#line(folder)).join('');
  }

  #line({ name, outcomes }: Folder): string {
    const count = (wanted: (outcome: Outcome) => boolean, word: string) => {
      const number = outcomes.filter(wanted).length;
      return number === 0 ? '' : `, ${this.#chalk.red(`${number} ${word}`)}`;
    };
    const held = `${String(outcomes.filter(({ ok }) => ok).length).padStart(4)} held`;
    const failed = count(({ ok, error }) => !ok && error === undefined, 'failed');
    const wrong = `${failed}${count(({ error }) => error !== undefined, 'with errors')}`;
    const took = wallText(outcomes.reduce((sum, { wallMs }) => sum + wallMs, 0)).padStart(7);
    return `${name.padEnd(this.#width)} ${held}${wrong} ${this.#chalk.dim(took)}\n`;
  }
}

function showLine(io: Io, chalk: ChalkInstance, outcome: Outcome): void {
  const mark = outcome.ok ? chalk.green('✓') : chalk.red('✗');
  const times = chalk.dim(`${virtualText(outcome.virtualMs)} in ${Math.round(outcome.wallMs)} ms`);
  io.out(`${mark} ${outcome.name} ${times}\n`);
}

function showVerdict(io: Io, chalk: ChalkInstance, { steps, virtualMs, seed, wallMs }: Outcome): void {
  io.out(`\n${chalk.green('held')}: ${steps} steps, ${virtualText(virtualMs)} of virtual time, seed ${seed}\n`);
  io.err(io.progress ? chalk.dim(`in ${Math.round(wallMs)} ms\n`) : '');
}

/** What is wrong with a file, and what our bugs are, has been said on stderr. */
function showFailure(io: Io, chalk: ChalkInstance, { failure, error, repeat }: Outcome): void {
  if (failure === undefined) return;
  const { title, detail } = failure;
  io.out(`${chalk.red(error === undefined ? 'failed' : 'error')}: ${title}\n`);
  if (detail && error === undefined) io.out(`${detail.replace(/^/gm, '  ')}\n`);
  io.out(`repeat with: ${repeat}\n`);
}

/** Of more than these nobody thinks of making them faster. */
const SLOWEST = 5;

function showEnd(io: Io, chalk: ChalkInstance, { outcomes, tookMs, atOnce }: Played): void {
  const slowest = outcomes.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, SLOWEST);
  const lines = slowest.map(({ wallMs, path }) => `  ${wallText(wallMs).padStart(7)}  ${path}\n`);
  const events = outcomes.reduce((sum, each) => sum + each.events, 0);
  const invariants = Math.max(0, ...outcomes.map((each) => each.invariants));
  const virtualSecs = Math.round(outcomes.reduce((sum, { virtualMs }) => sum + virtualMs, 0) / 1000);
  const at = atOnce > 1 ? `, ${atOnce} at once` : '';
  io.out(`\n${chalk.dim(`the slowest:\n${lines.join('')}`)}`);
  io.out(`${invariants} invariants watched ${events.toLocaleString('en')} events\n`);
  io.out(`${durationText(virtualSecs * 1_000_000)} of virtual time in ${wallText(tookMs)}${at}\n`);
  io.out(`\n${countsLine(outcomes)}\n`);
}
