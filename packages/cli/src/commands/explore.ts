import type { Explored, ExploreOptions, Progress, Question, Range, Shard } from '@replsim/explore';
import { endOf } from '../exploring/endOf.ts';
import { progressText, type Result } from '../exploring/exploredText.ts';
import { foundFiles, shrunkOf } from '../exploring/findings.ts';
import { playerFor, type TrialPlayer } from '../exploring/player.ts';
import { type QuestionOptions, questionOf, textOf } from '../exploring/question.ts';
import {
  leftText,
  openReport,
  type PartOptions,
  type QueueChoice,
  queueOf,
  refuseQueue,
} from '../exploring/reportFile.ts';
import { chosenReporters, codeOfResult, type ExploreReporterChoice, mustTell, openTold } from '../exploring/result.ts';
import { shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';
import { prepareFolder } from '../memberLogs.ts';

export { MODES } from '../exploring/question.ts';

export interface ExploreCommandOptions extends QuestionOptions, PartOptions, QueueChoice {
  readonly jobs?: number;
  readonly shrink?: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly reporter?: readonly ExploreReporterChoice[];
}

/** `replsim explore`: looks for a run in which what a scenario claims does not hold, and hands back the smallest. */
export async function exploreCommand(path: string, options: ExploreCommandOptions, io: Io): Promise<number> {
  // A claim that rests on nothing is not explored in silence, and what has mistakes is not looked at further.
  const loaded = await parseAll([{ path, text: textOf(path) }]);
  const question = await orInputError(() => questionOf(path, options), path);
  refuseShard(question, options);
  refuseQueue(options);
  for (const { warnings } of loaded) for (const warning of warnings) io.err(`warning: ${warning}\n`);
  const { out } = options;
  if (out !== undefined) prepareFolder(out, '--out');
  const report = openReport(options, [path], io);
  const told = report.isStdout ? undefined : openTold(chosenReporters(options), [path], io);
  const player = await playerFor(options, io);
  try {
    const result = await orInputError(() => resultOf(question, options, player, io), path);
    if (result === undefined) {
      io.out(leftText(options));
      return ExitCodes.ok;
    }
    report.write(await reported(result, options));
    mustTell(result);
    if (told) return await told.tell(result);
    return codeOfResult(result);
  } finally {
    player.end();
    told?.close();
    report.close();
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
  const end = endOf(options.timeMicros, io);
  const { isOver } = end;
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
  const cutShort = (await isCutShort(explored, question, options)) ? end.why() : undefined;
  const shrunk = shrink ? await shrunkOf(findings, player.play, isOver, io) : new Map();
  return {
    question,
    title: shard ? `${question.file}, shard ${shard.index}/${shard.of}` : question.file,
    isPart: shard !== undefined,
    explored,
    cutShort,
    found: foundFiles(question.file, findings, shrunk, out),
    tookMs: performance.now() - began,
  };
}

/** Whether runs are left that were to be played. */
async function isCutShort(
  { findings, runs, of }: Explored,
  { stopAt }: Question,
  { shard = { index: 1, of: 1 } }: PartOptions,
): Promise<boolean> {
  const { shardRange } = await import('@replsim/explore');
  const { from, to } = shardRange(of, shard);
  return findings.length < stopAt && runs < to - from;
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
  options: ExploreCommandOptions,
  { play }: TrialPlayer,
  watch: Watch,
  io: Io,
): Promise<Explored | undefined> {
  const { ask } = await import('../fleet/ask.ts');
  const { ExploreGathering } = await import('../fleet/gathering.ts');
  const { baseOf, explore, exploring } = await import('@replsim/explore');
  // The runs are counted by the base.
  const begin = async () => {
    const base = await baseOf(question.text, { ...exploring(question), play });
    const part = (count: number): Range => ({ from: 0, to: Math.min(1, count) });
    return new ExploreGathering(question, await explore(question.text, { ...exploring(question), play, base, part }));
  };
  return ask(question, begin, { ...(await queueOf(url, options)), ...watch }, io);
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

/** What a report says of a part. */
async function reported({ question, explored, found, tookMs }: Result, { shard }: PartOptions): Promise<object> {
  const { answerOf, shardRange } = await import('@replsim/explore');
  return {
    question,
    answer: answerOf(explored, shardRange(explored.of, shard ?? { index: 1, of: 1 })),
    shrunk: found.flatMap(({ finding: { run }, shrunk }) => (shrunk ? [{ run, ...shrunk }] : [])),
    tookMs,
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
