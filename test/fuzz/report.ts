import { parseArgs } from 'node:util';
import type { Tally } from './tally.ts';

/** What one seed came to. */
export interface Outcome {
  readonly seed: number;
  readonly counts: readonly (readonly [kind: string, count: number])[];
  readonly found: readonly Found[];
}

/** A run in which something does not hold, and the scenario that is left of it. */
export interface Found {
  readonly seed: number;
  readonly title: string;
  readonly detail: string;
  /** In the language; undefined if it does not fail again. */
  readonly text: string | undefined;
}

export interface Asked {
  readonly from: number;
  readonly to: number;
  readonly jobs: number | undefined;
  readonly file: string | undefined;
}

const USAGE = 'npm run fuzz -- --seeds 1..1000 [--jobs 2], or --file scenario.yaml';

/** @returns what is wrong with the command line, in a line, or what it asks for */
export function askedBy(args: readonly string[]): Asked | string {
  const options = { seeds: { type: 'string' }, jobs: { type: 'string' }, file: { type: 'string' } } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return `${error instanceof Error ? error.message : error}: ${USAGE}`;
  }
  const { seeds = '1..1000', file } = values;
  const [, first, last] = /^(?:(\d+)\.\.)?(\d+)$/.exec(seeds) ?? [];
  const [from, to] = [Number(first ?? 1), Number(last)];
  if (last === undefined || from > to)
    return `--seeds is a range or a number, such as 1..1000; got "${seeds}": ${USAGE}`;
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  if (jobs !== undefined && !(Number.isSafeInteger(jobs) && jobs > 0))
    return `--jobs is 1 or more; got "${values.jobs}"`;
  return { from, to, jobs, file };
}

/** A finding, and how to see it again. */
export function foundText(drawn: number, { seed, title, detail, text }: Found): string {
  const again = `again: npm run fuzz -- --seeds ${drawn}..${drawn}`;
  if (text === undefined) return `seed ${drawn}: ${title}\n${detail}\n${again}\n`;
  const body = text.trimEnd().replaceAll(/^/gm, '  ');
  const save = `or save it and play it: npm run fuzz -- --file FILE, or npx replsim run FILE --seed ${seed}`;
  return `seed ${drawn}: ${title}\n${detail}\nwhat is left of its scenario:\n\n${body}\n\n${again}\n${save}\n`;
}

/** So few runs need not show everything. */
const ENOUGH_SEEDS = 100;

/** The kinds that came about more seldom than they should, in words. @param floors how often each should at least, in a hundred seeds */
export function belowFloor(tally: Tally, seeds: number, floors: ReadonlyMap<string, number>): readonly string[] {
  if (seeds < ENOUGH_SEEDS) return [];
  return [...floors]
    .map(([kind, floor]) => ({ kind, count: tally.of(kind), least: Math.floor((floor * seeds) / ENOUGH_SEEDS) }))
    .filter(({ count, least }) => count < least)
    .map(({ kind, count, least }) => `${kind}: ${count}, and should be at least ${least}`);
}
