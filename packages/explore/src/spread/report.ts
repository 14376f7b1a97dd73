import * as z from 'zod';
import type { Explored } from '../search/explore.ts';
import { ExploreError } from '../search/exploreError.ts';
import { type Range, type Shard, shardRange } from '../search/range.ts';
import type { Shrunk } from '../shrink/shrink.ts';
import { type Answer, answerShape, exploredBy, shrunkShape } from './answer.ts';
import { difference, type Question, questionShape } from './question.ts';

/** What a shard hands to whoever merges. Its version grows when an older reader would misread it. */
const reportShape = z.strictObject({
  format: z.literal('replsim report'),
  version: z.literal(1),
  question: questionShape,
  shard: z.strictObject({ index: z.int().min(1), of: z.int().min(1) }),
  answer: answerShape,
  /** What is left of findings, by the number of the run. */
  shrunk: z.array(shrunkShape).max(10_000),
  tookMs: z.number().min(0),
});

export type Report = z.infer<typeof reportShape>;

/** A report, and what it is called where it is spoken of. */
export interface Named {
  readonly name: string;
  readonly report: Report;
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
  const read = reportShape.safeParse(value);
  if (read.success) return { name, report: read.data };
  const [issue] = read.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  throw new ExploreError(
    `${name}: this is not a report of a shard${where && `, at "${where}"`}: ${issue?.message ?? 'unknown'}; write one with --shard and --report`,
  );
}

/** What shards have found together. */
export interface Merged {
  readonly question: Question;
  readonly explored: Explored;
  readonly shrunk: ReadonlyMap<number, Shrunk>;
  /** As long as the slowest took. */
  readonly tookMs: number;
  /** Runs that no report has, and that one process would have made. */
  readonly missing: readonly string[];
}

/** Joins reports of one question. @throws ExploreError if they are of several, or two have the same runs */
export function merge(reports: readonly Named[]): Merged {
  const [first] = reports;
  if (first === undefined) throw new ExploreError('there are no reports to merge: name the files');
  for (const { name, report } of reports) refuseOther(first, { name, report });
  const sorted = [...reports].sort(
    (a, b) => a.report.answer.from - b.report.answer.from || a.report.answer.to - b.report.answer.to,
  );
  refuseTwice(sorted);
  const { question } = first.report;
  const answers = sorted.map(({ report }) => report.answer);
  const explored = exploredBy(answers, question) as Explored;
  return {
    question,
    explored,
    shrunk: new Map(sorted.flatMap(({ report }) => report.shrunk.map(({ run, ...shrunk }) => [run, shrunk] as const))),
    tookMs: Math.max(...sorted.map(({ report }) => report.tookMs)),
    missing: gapsIn(answers, explored, question).map((gap) => gapText(gap, first.report)),
  };
}

function refuseOther(first: Named, other: Named): void {
  const what = difference(first.report.question, other.report.question);
  if (what !== undefined)
    throw new ExploreError(`${first.name} and ${other.name} have different ${what}: merge reports of one exploration`);
  if (first.report.shard.of !== other.report.shard.of)
    throw new ExploreError(
      `${first.name} is one of ${first.report.shard.of} shards, ${other.name} one of ${other.report.shard.of}: merge reports of one exploration`,
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

/** Runs that are not there, although one process would not have ended before them. */
function gapsIn(answers: readonly Answer[], explored: Explored, { stopAt }: Question): readonly Range[] {
  const stretches = answers.flatMap((each) => each.stretches);
  const isEnough = explored.findings.length >= stopAt;
  const last = isEnough ? Math.max(0, ...explored.findings.map(({ run }) => run)) : explored.of;
  const gaps: Range[] = [];
  let at = 0;
  for (const { from, to } of stretches) {
    if (at >= last) break;
    if (from > at) gaps.push({ from: at, to: Math.min(from, last) });
    at = to;
  }
  if (at < last) gaps.push({ from: at, to: last });
  return gaps;
}

function gapText({ from, to }: Range, { shard, answer }: Report): string {
  const shards: number[] = [];
  for (let index = 1; index <= shard.of; index++) {
    const part: Range = shardRange(answer.of, { index, of: shard.of } satisfies Shard);
    if (part.from < to && part.to > from) shards.push(index);
  }
  const which = shards.map((index) => `${index}/${shard.of}`).join(', ');
  return `${to - from === 1 ? `run ${to}` : `runs ${from + 1} to ${to}`}, of shard ${which}`;
}
