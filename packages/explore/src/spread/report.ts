import * as z from 'zod';
import type { MeasuredArm } from '../measure/measure.ts';
import type { Explored } from '../search/explore.ts';
import { ExploreError } from '../search/exploreError.ts';
import { type Range, type Shard, shardRange } from '../search/range.ts';
import type { Shrunk } from '../shrink/shrink.ts';
import { answerShape, exploredBy, shrunkShape } from './answer.ts';
import { isAnswerTo, measuredAnswerShape, measuredBy } from './measuredAnswer.ts';
import { difference, type MeasureQuestion, measureQuestionShape, type Question, questionShape } from './question.ts';

const shard = z.strictObject({ index: z.int().min(1), of: z.int().min(1) });
/** Its version grows when an older reader would misread it. */
const head = { format: z.literal('replsim report'), version: z.literal(1), shard, tookMs: z.number().min(0) };

/** What a shard of an exploration hands to whoever merges. */
const exploredShape = z.strictObject({
  ...head,
  question: questionShape,
  answer: answerShape,
  /** What is left of findings, by the number of the run. */
  shrunk: z.array(shrunkShape).max(10_000),
});

/** What a shard of a measurement does. */
const measuredShape = z
  .strictObject({ ...head, question: measureQuestionShape, answer: measuredAnswerShape })
  .refine(({ question, answer }) => isAnswerTo(question, answer), { error: 'its runs are not those of its seeds' });

export type ExploredReport = z.infer<typeof exploredShape>;
export type MeasuredReport = z.infer<typeof measuredShape>;
export type Report = ExploredReport | MeasuredReport;

/** A report, and what it is called where it is spoken of. */
export interface Named<Kind extends Report = Report> {
  readonly name: string;
  readonly report: Kind;
}

/** @throws ExploreError if that is no report */
export function readReport(name: string, json: string): Named {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ExploreError(
      `${name}: this is not a report of a shard: it is not JSON; write one with --shard and --report`,
    );
  }
  const { question } = (value ?? {}) as { readonly question?: { readonly kind?: unknown } };
  const read = (question?.kind === 'measure' ? measuredShape : exploredShape).safeParse(value);
  if (read.success) return { name, report: read.data };
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  throw new ExploreError(
    `${name}: this is not a report of a shard${where && `, at "${where}"`}: ${issue?.message ?? 'unknown'}; write one with --shard and --report`,
  );
}

/** What shards have come to together. */
interface Joined {
  /** As long as the slowest took. */
  readonly tookMs: number;
  /** Runs that no report has, and that one process would have made. */
  readonly missing: readonly string[];
}

/** What shards of an exploration have found together. */
export interface Merged extends Joined {
  readonly question: Question;
  readonly explored: Explored;
  readonly shrunk: ReadonlyMap<number, Shrunk>;
}

/** What shards of a measurement have played together. */
export interface MergedArms extends Joined {
  readonly question: MeasureQuestion;
  readonly arms: readonly MeasuredArm[];
}

/** Joins reports of one question. @throws ExploreError if they are of several, or two have the same runs */
export function merge(reports: readonly Named[]): Merged | MergedArms {
  const [first] = reports;
  if (first === undefined) throw new ExploreError('there are no reports to merge: name the files');
  for (const { name, report } of reports) refuseOther(first, { name, report });
  const sorted = [...reports].sort(
    (a, b) => a.report.answer.from - b.report.answer.from || a.report.answer.to - b.report.answer.to,
  );
  refuseTwice(sorted);
  const tookMs = Math.max(...sorted.map(({ report }) => report.tookMs));
  const all = sorted.map(({ report }) => report);
  // All are of the same kind as the first.
  return first.report.question.kind === 'measure'
    ? mergedArms(all as readonly MeasuredReport[], tookMs)
    : merged(all as readonly ExploredReport[], tookMs);
}

function merged(sorted: readonly ExploredReport[], tookMs: number): Merged {
  const [first] = sorted as readonly [ExploredReport];
  const { question } = first;
  const answers = sorted.map(({ answer }) => answer);
  const explored = exploredBy(answers, question) as Explored;
  const stretches = answers.flatMap((each) => each.stretches);
  return {
    question,
    explored,
    shrunk: new Map(sorted.flatMap((report) => report.shrunk.map(({ run, ...shrunk }) => [run, shrunk] as const))),
    tookMs,
    missing: gapsIn(stretches, lastOf(explored, question)).map((gap) => gapText(gap, first, ['run', 'runs'], 1)),
  };
}

function mergedArms(sorted: readonly MeasuredReport[], tookMs: number): MergedArms {
  const [first] = sorted as readonly [MeasuredReport];
  const { question, answer } = first;
  const answers = sorted.map((report) => report.answer);
  const gaps = gapsIn(answers, answer.of);
  return {
    question,
    arms: measuredBy(answers, question),
    tookMs,
    missing: gaps.map((gap) => gapText(gap, first, ['seed', 'seeds'], question.seeds.from)),
  };
}

function refuseOther(first: Named, other: Named): void {
  const what = difference(first.report.question, other.report.question);
  if (what !== undefined)
    throw new ExploreError(`${first.name} and ${other.name} have different ${what}: merge reports of the same command`);
  if (first.report.shard.of !== other.report.shard.of)
    throw new ExploreError(
      `${first.name} is one of ${first.report.shard.of} shards, ${other.name} one of ${other.report.shard.of}: merge reports of the same command`,
    );
  if (first.report.answer.of !== other.report.answer.of)
    throw new ExploreError(
      `${first.name} and ${other.name} disagree on how many runs there are (${first.report.answer.of}, ${other.report.answer.of}): one was changed`,
    );
}

/** @param sorted by what they begin with */
function refuseTwice(sorted: readonly Named[]): void {
  for (const [i, { name, report }] of sorted.entries()) {
    const before = sorted[i - 1];
    const isSame = before?.report.shard.index === report.shard.index;
    if (before && (isSame || before.report.answer.to > report.answer.from))
      throw new ExploreError(
        `${before.name} and ${name} both have shard ${report.shard.index}/${report.shard.of}: leave one out`,
      );
  }
}

/** The run behind which one process would have ended. */
function lastOf({ findings, of }: Explored, { stopAt }: Question): number {
  return findings.length >= stopAt ? Math.max(0, ...findings.map(({ run }) => run)) : of;
}

/** Runs that are not there. @param there in their order */
function gapsIn(there: readonly Range[], last: number): readonly Range[] {
  const gaps: Range[] = [];
  let at = 0;
  for (const { from, to } of there) {
    if (at >= last) break;
    if (from > at) gaps.push({ from: at, to: Math.min(from, last) });
    at = to;
  }
  if (at < last) gaps.push({ from: at, to: last });
  return gaps;
}

/** @param first what the first of all is called */
function gapText(
  { from, to }: Range,
  { shard, answer }: Pick<ExploredReport, 'shard'> & { readonly answer: { readonly of: number } },
  [one, several]: readonly [string, string],
  first: number,
): string {
  const shards: number[] = [];
  for (let index = 1; index <= shard.of; index++) {
    const part: Range = shardRange(answer.of, { index, of: shard.of } satisfies Shard);
    if (part.from < to && part.to > from) shards.push(index);
  }
  const which = shards.map((index) => `${index}/${shard.of}`).join(', ');
  const what = to - from === 1 ? `${one} ${from + first}` : `${several} ${from + first} to ${to + first - 1}`;
  return `${what}, of shard ${which}`;
}
