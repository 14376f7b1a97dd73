import type { TtlIndexReport } from '@replsim/scenario';
import { Chalk, type ChalkInstance } from 'chalk';
import type { Io } from '../io.ts';
import { painter } from '../painted.ts';
import { countsLine, type Outcome, type Reporter, seconds } from './reporter.ts';

/** See `ttlTable.ts`, which is not loaded by those who do not need it. */
type TtlTable = (reports: readonly TtlIndexReport[], chalk: ChalkInstance) => string;

/**
 * For people: the transcript and the verdict of one scenario, or a line for each of many and failures in full.
 * @param single whether one scenario was asked for, whose transcript is then shown as it comes about
 * @param ttlTable says how late TTL deleted, if that was asked for
 */
export function prettyReporter(io: Io, single: boolean, ttlTable?: TtlTable): Reporter {
  const chalk = new Chalk({ level: io.colours ? 1 : 0 });
  const paint = painter(chalk);
  return {
    began(name, index, total) {
      if (single) io.out(`${chalk.bold(name)}\n\n`);
      else if (io.progress) io.err(`\r\x1b[K${index + 1}/${total} ${name}`);
    },
    line(text) {
      if (single) io.out(`${paint(text)}\n`);
    },
    finished(outcome) {
      if (!single && io.progress) io.err('\r\x1b[K');
      if (!single) showLine(io, chalk, outcome);
      if (ttlTable) io.out(ttlTable(outcome.ttl ?? [], chalk));
      if (single && outcome.ok) showVerdict(io, chalk, outcome);
      if (single && !outcome.ok) io.out('\n');
      if (outcome.failure) showFailure(io, chalk, outcome.failure, outcome.repeat);
    },
    ended(outcomes) {
      if (!single) io.out(`\n${countsLine(outcomes)}\n`);
    },
  };
}

function showLine(io: Io, chalk: ChalkInstance, outcome: Outcome): void {
  const mark = outcome.ok ? chalk.green('✓') : chalk.red('✗');
  const times = chalk.dim(`${seconds(outcome.virtualMs)} in ${Math.round(outcome.wallMs)} ms`);
  io.out(`${mark} ${outcome.name} ${times}\n`);
}

function showVerdict(io: Io, chalk: ChalkInstance, { steps, virtualMs, seed, wallMs }: Outcome): void {
  io.out(`\n${chalk.green('held')}: ${steps} steps, ${seconds(virtualMs)} of virtual time, seed ${seed}\n`);
  io.err(io.progress ? chalk.dim(`in ${Math.round(wallMs)} ms\n`) : '');
}

function showFailure(
  io: Io,
  chalk: ChalkInstance,
  { title, detail }: NonNullable<Outcome['failure']>,
  repeat: string,
): void {
  io.out(`${chalk.red('failed')}: ${title}\n`);
  if (detail) io.out(`${detail.replace(/^/gm, '  ')}\n`);
  io.out(`repeat with: ${repeat}\n`);
}
