import { closeSync, writeSync } from 'node:fs';
import type { Explored, ExploreOptions, Progress, Question, Range, Shard } from '@replsim/explore';
import { progressText, type Result } from '../exploring/exploredText.ts';
import { foundFiles, shrunkOf } from '../exploring/findings.ts';
import { playerFor, type TrialPlayer } from '../exploring/player.ts';
import { type QuestionOptions, questionOf } from '../exploring/question.ts';
import {
  chosenReporters,
  codeOfResult,
  type ExploreReporterChoice,
  mustTell,
  openTold,
  refuseInput,
} from '../exploring/result.ts';
import { openToWrite, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';
import { prepareFolder } from '../memberLogs.ts';

export { MODES } from '../exploring/question.ts';

export interface ExploreCommandOptions extends QuestionOptions {
  readonly jobs?: number;
  readonly shrink?: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly reporter?: readonly ExploreReporterChoice[];
  /** Which part of the runs. */
  readonly shard?: Shard;
  /** A file for `replsim merge`. */
  readonly report?: string;
  /** The address of a queue whose workers play. */
  readonly queue?: string;
  readonly queueName?: string;
  /** How many runs a worker takes at a time. */
  readonly range?: number;
  /** Queue the runs, and leave. */
  readonly detach?: boolean;
}

const DEFAULT_QUEUE_NAME = 'explore';
const DEFAULT_RANGE = 20;

/** `replsim explore`: looks for a run in which what a scenario claims does not hold, and hands back the smallest. */
export async function exploreCommand(path: string, options: ExploreCommandOptions, io: Io): Promise<number> {
  const question = await orInputError(() => questionOf(path, options), path);
  refuseShard(question, options);
  refuseQueue(options);
  // A claim that rests on nothing is not explored in silence.
  for (const { warnings } of await parseAll([{ path, text: question.text }]))
    for (const warning of warnings) io.err(`warning: ${warning}\n`);
  const { out, report } = options;
  if (out !== undefined) prepareFolder(out, '--out');
  const writeReport = reportWriter(path, options, io);
  const told = writeReport.isStdout ? undefined : openTold(chosenReporters(options), [path], io);
  const player = await playerFor(options, io);
  try {
    const result = await orInputError(() => resultOf(question, options, player, io), path);
    if (result === undefined) return leftRunning(options, io);
    if (report !== undefined || writeReport.isStdout) await writeReport.write(result, options);
    mustTell(result);
    if (told) return await told.tell(result);
    return codeOfResult(result);
  } finally {
    player.end();
    told?.close();
    writeReport.close();
  }
}

async function resultOf(
  question: Question,
  options: ExploreCommandOptions,
  player: TrialPlayer,
  io: Io,
): Promise<Result | undefined> {
  const { shard, shrink = true, out } = options;
  const began = performance.now();
  const isOver = endOf(options, io, began);
  const watch = {
    isOver,
    ...(io.progress && {
      onProgress: (progress: Progress) => io.err(`\r\x1b[K${progressText(progress, performance.now() - began)}`),
    }),
  };
  const explored = await (options.queue === undefined
    ? exploreHere(question, options, player, watch)
    : askQueue(question, options.queue, options, player, watch, io));
  if (io.progress) io.err('\r\x1b[K');
  if (explored === undefined) return undefined;
  const { findings } = explored;
  const shrunk = shrink ? await shrunkOf(findings, player.play, isOver, io) : new Map();
  return {
    question,
    title: shard ? `${question.file}, shard ${shard.index}/${shard.of}` : question.file,
    isPart: shard !== undefined,
    explored,
    found: foundFiles(question.file, findings, shrunk, out),
    tookMs: performance.now() - began,
  };
}

type Watch = Pick<ExploreOptions, 'isOver' | 'onProgress'> & { readonly isOver: () => boolean };

async function exploreHere(
  question: Question,
  { shard }: ExploreCommandOptions,
  { play, atOnce }: TrialPlayer,
  watch: Watch,
): Promise<Explored> {
  const { explore, exploring, shardRange } = await import('@replsim/explore');
  const part = shard && ((count: number) => partOf(shardRange(count, shard), count, shard));
  return explore(question.text, { ...exploring(question), play, atOnce, ...watch, ...(part && { part }) });
}

async function askQueue(
  question: Question,
  url: string,
  { queueName: name = DEFAULT_QUEUE_NAME, range: rangeSize = DEFAULT_RANGE, detach }: ExploreCommandOptions,
  { play }: TrialPlayer,
  watch: Watch,
  io: Io,
): Promise<Explored | undefined> {
  const { addressOf } = await import('../fleet/address.ts');
  const { ask } = await import('../fleet/ask.ts');
  const to = { address: addressOf(url), name, rangeSize, isDetached: detach === true };
  return ask(question, { ...to, play, ...watch }, io);
}

/** @returns the exit code: what was asked is done, and says nothing of the claim */
function leftRunning({ queueName = DEFAULT_QUEUE_NAME }: ExploreCommandOptions, io: Io): number {
  io.out(
    `left running in the queue "${queueName}"; nothing is known yet. The same command without --detach collects it\n`,
  );
  return ExitCodes.ok;
}

function refuseQueue({ queue, queueName, range, detach, shard }: ExploreCommandOptions): void {
  if (queue !== undefined) {
    if (shard !== undefined) throw new InputError('--shard and --queue both spread the runs: leave one out');
    return;
  }
  for (const [name, given] of Object.entries({ '--queue-name': queueName, '--range': range, '--detach': detach }))
    if (given !== undefined) throw new InputError(`${name} belongs to --queue`);
}

/** @throws InputError for a part that has no run */
function partOf(range: Range, count: number, { index, of }: Shard): Range {
  if (range.to > range.from) return range;
  throw new InputError(
    `--shard: there are only ${count} runs, of which shard ${index}/${of} has none; use fewer shards`,
  );
}

function refuseShard({ mode, runs }: Question, { shard, json, reporter, report }: ExploreCommandOptions): void {
  if (shard === undefined) return;
  if (mode.kind !== 'everywhere' && runs === Number.MAX_SAFE_INTEGER)
    throw new InputError('--shard needs a number of runs to take a part of: add --runs');
  if (report === undefined && (json || reporter !== undefined))
    throw new InputError("--shard writes the shard's report to stdout; give it a file with --report");
}

interface ReportWriter {
  /** Whether it goes there because nobody has named a file. */
  readonly isStdout: boolean;
  readonly write: (result: Result, options: ExploreCommandOptions) => Promise<void>;
  readonly close: () => void;
}

function reportWriter(path: string, { report, shard }: ExploreCommandOptions, io: Io): ReportWriter {
  if (report !== undefined) refuseInput('--report', report, [path]);
  const file = report === undefined ? undefined : openToWrite(report, 'report', true);
  return {
    isStdout: shard !== undefined && report === undefined,
    async write({ question, explored, found, tookMs }, { shard: given }) {
      const { answerOf, shardRange } = await import('@replsim/explore');
      const part = given ?? { index: 1, of: 1 };
      const text = JSON.stringify({
        format: 'replsim report',
        version: 1,
        question,
        shard: part,
        answer: answerOf(explored, shardRange(explored.of, part)),
        shrunk: found.flatMap(({ finding: { run }, shrunk }) => (shrunk ? [{ run, ...shrunk }] : [])),
        tookMs,
      });
      if (file === undefined) io.out(`${text}\n`);
      else writeSync(file, `${text}\n`);
    },
    close: () => {
      if (file !== undefined) closeSync(file);
    },
  };
}

/** What cannot be explored is the fault of who asks, in the words of their file. */
export async function orInputError<Value>(act: () => Promise<Value>, path: string): Promise<Value> {
  const { ExploreError } = await import('@replsim/explore');
  try {
    return await act();
  } catch (error) {
    if (error instanceof ExploreError) throw new InputError(error.message.replaceAll('scenario.yaml', shown(path)));
    throw error;
  }
}

/** Whether it is to end: the time is up, or somebody has asked for it. */
function endOf({ timeMicros }: ExploreCommandOptions, io: Io, began: number): () => boolean {
  let isAsked = false;
  io.onInterrupt?.(() => {
    isAsked = true;
  });
  return () => isAsked || (timeMicros !== undefined && (performance.now() - began) * 1000 >= timeMicros);
}
