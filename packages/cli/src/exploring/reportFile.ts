import type { Shard } from '@replsim/explore';
import { openLate } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import { refuseInput } from './result.ts';

/** How a command says which part of the runs it plays, and where its report goes. */
export interface PartOptions {
  /** Which part of the runs. */
  readonly shard?: Shard;
  /** A file for `replsim merge`. */
  readonly report?: string;
}

/** Where the report of a part goes. */
export interface ReportFile {
  /** Whether it goes to stdout because nobody has named a file. */
  readonly isStdout: boolean;
  /** @param about all that is not the same of every report */
  readonly write: (about: object) => void;
  readonly close: () => void;
}

/** Looked at before anything is played. @param inputs files that are read, of which it may not take the place @throws InputError */
export function openReport({ report, shard }: PartOptions, inputs: readonly string[], io: Io): ReportFile {
  if (report !== undefined) refuseInput('--report', report, inputs);
  const file = report === undefined ? undefined : openLate(report, 'report', true);
  const isStdout = shard !== undefined && report === undefined;
  return {
    isStdout,
    write(about) {
      if (file === undefined && !isStdout) return;
      const head = { format: 'replsim report', version: 1, shard: shard ?? { index: 1, of: 1 } };
      const text = `${JSON.stringify({ ...head, ...about })}\n`;
      if (file === undefined) io.out(text);
      else file.write(text);
    },
    close: () => file?.close(),
  };
}

/** How a command has workers play. */
export interface QueueChoice {
  /** The address of a queue whose workers play. */
  readonly queue?: string;
  readonly queueName?: string;
  /** How many runs a worker takes at a time. */
  readonly range?: number;
  /** Queue the runs, and leave. */
  readonly detach?: boolean;
}

const DEFAULT_RANGE = 20;
const DEFAULT_QUEUE_NAME = 'explore';

/** @throws InputError for options that do not go together */
export function refuseQueue({ queue, queueName, range, detach, shard }: QueueChoice & PartOptions): void {
  if (queue !== undefined) {
    if (shard !== undefined) throw new InputError('--shard and --queue both spread the runs: leave one out');
    return;
  }
  for (const [name, given] of Object.entries({ '--queue-name': queueName, '--range': range, '--detach': detach }))
    if (given !== undefined) throw new InputError(`${name} belongs to --queue`);
}

/** Where to ask, and how. @throws InputError */
export async function queueOf(url: string, { queueName: name, range, detach }: QueueChoice) {
  const { addressOf } = await import('../fleet/address.ts');
  return {
    address: addressOf(url),
    name: name ?? DEFAULT_QUEUE_NAME,
    rangeSize: range ?? DEFAULT_RANGE,
    isDetached: detach === true,
  };
}

/** What is said of runs that go on without who has asked for them. */
export function leftText({ queueName = DEFAULT_QUEUE_NAME }: QueueChoice): string {
  return `left running in the queue "${queueName}"; nothing is known yet. The same command without --detach collects it\n`;
}
