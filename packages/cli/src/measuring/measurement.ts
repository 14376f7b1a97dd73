import {
  type Arm,
  type Comparison,
  comparisonsOf,
  type Distribution,
  FIGURES,
  type Keyed,
  type MeasuredArm,
  type Summary,
  samplesOf,
  summaryOf,
} from '@replsim/explore';
import type { CutShort } from '../exploring/endOf.ts';
import { repeatOf } from '../playing/playOne.ts';

/** What there is to report of a measurement. */
export interface Measurement {
  /** What was measured: the claim of a scenario, or two files. */
  readonly title: string;
  /** Those that were asked for. */
  readonly seeds: { readonly from: number; readonly to: number };
  readonly arms: readonly MeasuredArm[];
  readonly summaries: readonly Summary[];
  readonly comparisons: readonly Comparison[];
  readonly tookMs: number;
  /** Why there are fewer runs than were asked for; undefined if there are all. */
  readonly cutShort?: CutShort | undefined;
}

export function measurementOf({
  arms,
  ...about
}: Pick<Measurement, 'title' | 'seeds' | 'arms' | 'tookMs' | 'cutShort'>): Measurement {
  return { ...about, arms, summaries: arms.map(summaryOf), comparisons: comparisonsOf(arms) };
}

/** A figure, and what it comes to in each arm that has it. */
export interface Spread {
  readonly figure: Keyed;
  readonly arms: readonly {
    readonly name: string;
    readonly distribution: Distribution;
    readonly values: readonly number[];
  }[];
}

/** The figures that have a value other than 0 somewhere, in the order of the table. */
export function spreadsOf({ arms, summaries }: Measurement): readonly Spread[] {
  const figures = new Map(summaries.flatMap(({ rows }) => rows.map(({ figure }) => [figure.key, figure] as const)));
  const spreads = [...figures.values()].map((figure) => ({
    figure,
    arms: summaries.flatMap(({ name, rows }, i) => {
      const row = rows.find((each) => each.figure.key === figure.key);
      if (!row) return [];
      const values = samplesOf(arms[i]?.runs ?? [], figure.key).map(({ value }) => value);
      return [{ name, distribution: row.distribution, values }];
    }),
  }));
  return spreads.filter((spread) => spread.arms.some(({ distribution }) => !isNone(distribution)));
}

/** The command that plays a run of an arm again. */
export function replayOf({ file, variant }: Arm, seed: number): string {
  return repeatOf({ path: file, seed, ...(variant !== undefined && { variant }) });
}

/** Whether it differs between runs, or between arms. */
export function varies({ arms }: Spread): boolean {
  return arms.some(({ distribution: { min, max } }) => min.value !== max.value);
}

/** Figures that are 0 in every run, by their labels. */
export function nonesOf({ summaries }: Measurement): readonly string[] {
  const all = new Map<string, boolean>();
  for (const { rows } of summaries)
    for (const { figure, distribution } of rows)
      all.set(figure.label, (all.get(figure.label) ?? true) && isNone(distribution));
  return [...all].filter(([, none]) => none).map(([label]) => label);
}

/** Figures that no run has, by their titles; those of workloads together, where there are no workloads. */
export function absentFrom({ summaries }: Measurement): readonly string[] {
  const figures = summaries.flatMap(({ rows }) => rows.map(({ figure }) => figure));
  const had = new Set(figures.map(({ name }) => name));
  const absent = FIGURES.filter(({ name }) => !had.has(name));
  if (figures.some(({ workload }) => workload !== undefined)) return absent.map(({ title }) => title);
  const ofRuns = absent.filter(({ of }) => of === 'run').map(({ title }) => title);
  return [...ofRuns, 'a workload (its figures: acknowledged, lost, latency …)'];
}

function isNone({ min, max }: Distribution): boolean {
  return min.value === 0 && max.value === 0;
}
