import {
  coverageRows,
  type Explored,
  type Finding,
  neverReached,
  type Progress,
  type Question,
  type Shrunk,
} from '@replsim/explore';
import type { Sometimes } from '@replsim/scenario';
import { shown } from '../files.ts';
import { type CutShort, cutText } from './endOf.ts';

/** A finding, and the scenario that is left of it. */
export interface Found {
  readonly finding: Finding;
  readonly shrunk: Shrunk | undefined;
  readonly text: string;
  /** Where it was written. */
  readonly file: string | undefined;
}

/** What came of an exploration, wherever its runs were played. */
export interface Result {
  readonly question: Question;
  /** The file, and what part of its runs. */
  readonly title: string;
  /** Others have the rest of the runs, so that nothing can be said of what none of them reached. */
  readonly isPart: boolean;
  readonly explored: Explored;
  /** Why there are fewer runs than were asked for; undefined if there are all. */
  readonly cutShort?: CutShort | undefined;
  readonly found: readonly Found[];
  readonly tookMs: number;
}

/** What the verdict rests on. */
export type Judged = Pick<Result, 'explored' | 'isPart' | 'cutShort'>;

/** What is drawn over while it goes on. */
export function progressText({ runs, of, found }: Progress, tookMs: number): string {
  const rate = runs / Math.max(tookMs / 1000, 0.001);
  const rest = of < Number.MAX_SAFE_INTEGER ? `, ${Math.ceil((of - runs) / rate)} s to go` : '';
  const total = of < Number.MAX_SAFE_INTEGER ? ` of ${of}` : '';
  return `run ${runs}${total}, ${rate.toFixed(1)} runs/s${rest}; found ${found}`;
}

/** The head of a scenario that was found. */
export function findingComment(path: string, { run, seed }: Finding, shrunk: Shrunk | undefined): string {
  const found = `found in run ${run} of an exploration of ${shown(path)}, with seed ${seed}`;
  return shrunk ? `${found}\nshrunk from ${shrunk.from} steps and faults to ${shrunk.to}` : found;
}

/** What came of an exploration, for people. */
export function exploredText(result: Result): string {
  const { title, explored, found, tookMs } = result;
  const { runs, coverage, base } = explored;
  const of = total(explored);
  const lines = [
    `${title}: ${runs}${of !== undefined && runs < of ? ` of ${of}` : ''} ${runs === 1 ? 'run' : 'runs'} in ${(tookMs / 1000).toFixed(1)} s`,
    '',
    'what came about in these runs:',
    ...rowsOf(explored).map(([name, count]) => `  ${String(count).padStart(9)}  ${name}`),
  ];
  const never = coverageRows(coverage, base.kinds).filter(([, count]) => count === 0);
  if (never.length > 0) lines.push(`never: ${never.map(([name]) => name).join(', ')}`);
  lines.push(...obstacleLines(explored));
  const closing = closingOf(result);
  if (closing !== undefined) lines.push('', closing);
  for (const each of unreached(result)) lines.push('', neverText(each, runs));
  if (base.failure) lines.push('', 'the scenario fails as it stands, without any fault');
  for (const each of found) lines.push('', ...findingLines(each));
  return `${lines.join('\n')}\n`;
}

/** What came about, and in how many runs each `sometimes` held. */
export function rowsOf({ coverage, base, sometimes }: Explored): readonly (readonly [name: string, count: number])[] {
  const asked = base.sometimes ?? [];
  return [
    ...coverageRows(coverage, base.kinds),
    ...asked.map(({ line, text }, i) => [`runs with line ${line}: ${text}`, sometimes[i] ?? 0] as const),
  ];
}

/** Nothing was found, or not all was tried: an answer that rests on fewer runs than were asked for says so. */
export function closingOf({ explored, found, cutShort }: Result): string | undefined {
  if (cutShort === undefined)
    return found.length === 0 ? 'no run was found in which the claim does not hold' : undefined;
  const what = found.length === 0 ? 'no run in which the claim does not hold was found' : `${found.length} found`;
  return `${cutText(cutShort, explored.runs, total(explored))}: ${what} in these`;
}

/** What should hold in some run, and did in none. */
export function unreached({ explored, isPart, cutShort }: Judged): readonly Sometimes[] {
  return isPart || cutShort === 'interrupted' ? [] : neverReached(explored);
}

/** The same in words. */
export function neverText({ line, text }: Sometimes, runs: number): string {
  return `NEVER in ${runs} ${runs === 1 ? 'run' : 'runs'}: line ${line}: ${text}`;
}

/** How many runs there were to be, if somebody has said it. */
export function total({ of }: Pick<Explored, 'of'>): number | undefined {
  return Number.isSafeInteger(of) && of < Number.MAX_SAFE_INTEGER ? of : undefined;
}

/** Runs that were not played to their end show nothing false, and nothing true either. */
export function obstacleLines({ obstacles, obstacle }: Explored): readonly string[] {
  const count = obstacles.fault + obstacles.step;
  if (count === 0) return [];
  const parts = [
    obstacles.fault > 0 && `in ${obstacles.fault} a fault could not happen`,
    obstacles.step > 0 && `in ${obstacles.step} a step that is not a check failed`,
  ].filter((part) => part !== false);
  return [
    '',
    `${count} ${count === 1 ? 'run was' : 'runs were'} not played to the end: ${parts.join('; ')}`,
    `  for example ${obstacle?.split('\n')[0]}`,
  ];
}

function findingLines({ finding, shrunk, text, file }: Found): readonly string[] {
  const { failure, seed, run, times } = finding;
  const size = shrunk
    ? `shrunk from ${shrunk.from} steps and faults to ${shrunk.to}, in ${shrunk.runs} runs`
    : 'as it was found';
  return [
    `FOUND in run ${run}${times > 1 ? ` (and ${times - 1} more)` : ''}, seed ${seed}: ${failure.title}`,
    `${size}${file === undefined ? '' : `, in ${file}`}:`,
    '',
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

/** All in a line. */
export function runsLine(result: Result): string {
  const { explored, title, found, cutShort } = result;
  if (cutShort !== undefined) return `${title}: ${closingOf(result)}`;
  const what = found.length === 0 ? 'no run was found in which the claim does not hold' : `${found.length} found`;
  const of = total(explored);
  const runs = of !== undefined && explored.runs < of ? `${explored.runs} of ${of} runs` : `${explored.runs} runs`;
  return `${title}: ${what}, ${runs}`;
}
