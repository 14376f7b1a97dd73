import { type Keyed, keyedOf } from './figures.ts';
import { type MeasuredArm, samplesOf } from './measure.ts';
import { type Distribution, distributionOf, SIGNIFICANCE, signTest } from './statistics.ts';

/** How a figure differs between two arms, run by run with the same seed. */
export interface Difference {
  readonly figure: Keyed;
  readonly one: Distribution;
  readonly other: Distribution;
  /** In how many pairs of runs the other has more, less or the same. */
  readonly more: number;
  readonly less: number;
  readonly same: number;
  /** How often chance alone would show as much: the sign test, which asks nothing of the distribution. */
  readonly chance: number;
  /** `equal`: in every pair; `noise`: chance can explain it. */
  readonly verdict: 'more' | 'less' | 'noise' | 'equal';
}

export interface Comparison {
  readonly one: string;
  readonly other: string;
  /** Of figures that both arms have, in the order of the table. */
  readonly differences: readonly Difference[];
}

/** Compares two arms that were played with the same seeds. */
function comparisonOf(one: MeasuredArm, other: MeasuredArm): Comparison {
  const figures = keyedOf([...one.runs, ...other.runs].map((run) => run.figures));
  return {
    one: one.arm.name,
    other: other.arm.name,
    differences: figures.flatMap((figure) => differenceIn(figure, one, other) ?? []),
  };
}

/** Each pair of arms; those with the first, the scenario as it is written, come first. */
export function comparisonsOf(arms: readonly MeasuredArm[]): readonly Comparison[] {
  return arms.flatMap((one, i) => arms.slice(i + 1).map((other) => comparisonOf(one, other)));
}

function differenceIn(figure: Keyed, { runs }: MeasuredArm, other: MeasuredArm): Difference | undefined {
  const mine = samplesOf(runs, figure.key);
  const others = samplesOf(other.runs, figure.key);
  const [distribution, otherDistribution] = [distributionOf(mine), distributionOf(others)];
  if (!distribution || !otherDistribution) return undefined;
  const bySeed = new Map(mine.map(({ seed, value }) => [seed, value]));
  const pairs = others.flatMap(({ seed, value }) => {
    const before = bySeed.get(seed);
    return before === undefined ? [] : [Math.sign(value - before)];
  });
  const [more, less] = [1, -1].map((sign) => pairs.filter((each) => each === sign).length) as [number, number];
  const chance = signTest(more, less);
  const verdict = more + less === 0 ? 'equal' : chance >= SIGNIFICANCE ? 'noise' : more > less ? 'more' : 'less';
  return {
    ...{ figure, one: distribution, other: otherDistribution },
    ...{ more, less, same: pairs.length - more - less, chance, verdict },
  };
}
