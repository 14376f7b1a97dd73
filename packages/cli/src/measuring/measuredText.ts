import type { Comparison, Difference, Sample, Summary } from '@replsim/explore';
import type { ChalkInstance } from 'chalk';
import { cutText } from '../exploring/endOf.ts';
import { chart } from '../forecast/chart.ts';
import { table } from '../table.ts';
import { valueText } from './cells.ts';
import { histogram, rangeOf } from './histogram.ts';
import { absentFrom, type Measurement, nonesOf, replayOf, type Spread, spreadsOf, varies } from './measurement.ts';

const WIDTH = 60;
const HEIGHT = 4;
/** 2 · 0.5⁸ is below `SIGNIFICANCE`. */
const LEAST_RUNS = 8;
/** Charts of more figures nobody reads in a terminal; the page has all. */
const CHARTS = 2;

/** A measurement for people: the table, what differs between variants, and how the figures are spread. */
export function measuredText(measurement: Measurement, chalk: ChalkInstance): string {
  const { title, summaries, comparisons } = measurement;
  const spreads = spreadsOf(measurement);
  const lines = [
    chalk.bold(title),
    playedLine(measurement),
    ...summaries.flatMap((summary) => summaryLines(summary, measurement)),
    '',
    ...(spreads.length === 0 ? [] : table([HEAD, ...spreads.flatMap(rowsOf)], { left: [0], dim: chalk.dim })),
    ...listed('0 in every run', nonesOf(measurement)),
    ...listed('no run has', absentFrom(measurement)),
    ...comparisons.filter(({ one }) => one === summaries[0]?.name).flatMap((each) => ['', ...comparisonLines(each)]),
    ...chosen(spreads, summaries.length).flatMap((spread) => ['', ...chartLines(spread, chalk)]),
    ...worstLines(measurement, spreads),
  ];
  return `${lines.join('\n')}\n`;
}

function playedLine({ arms, summaries, seeds, tookMs, cutShort }: Measurement): string {
  const [{ runs } = { runs: 0 }] = summaries;
  const all = seeds.to - seeds.from + 1;
  const whole = `${runs}${runs < all ? ` of ${all}` : ''} ${Math.max(runs, all) === 1 ? 'run' : 'runs'}`;
  const count = cutShort === undefined ? whole : cutText(cutShort, runs, all);
  const each = summaries.length === 1 ? '' : ` of each of ${summaries.length} variants`;
  return `${count}${each}, from seed ${arms[0]?.runs[0]?.seed ?? seeds.from}, in ${(tookMs / 1000).toFixed(1)} s`;
}

function summaryLines({ name, runs, whole, failed, failure, obstacle }: Summary, { summaries }: Measurement): string[] {
  const lines: string[] = [];
  const of = summaries.length === 1 ? '' : `${name}: `;
  if (obstacle)
    lines.push(
      `  ${of}${runs - whole} did not come to the end and are not in the figures; seed ${obstacle.seed}: ${obstacle.title}`,
    );
  if (failure)
    lines.push(`  ${of}in ${failed} a check failed, and the run went on; seed ${failure.seed}: ${failure.title}`);
  return lines;
}

const HEAD = ['', 'runs', 'least', 'median', '95% sure', '95%', '99%', 'most'];

/** A row for a figure; with several arms one for each, below its name. */
function rowsOf({ figure: { label, unit }, arms }: Spread): string[][] {
  const rows = arms.map(({ name, distribution: { runs, min, median, medianWithin, p95, p99, max } }) => {
    const text = ({ value, seed }: Sample) => `${valueText(value, unit)} #${seed}`;
    const { low, high } = medianWithin ?? {};
    const within = low === undefined || high === undefined ? '' : `${valueText(low, unit)}–${valueText(high, unit)}`;
    return [
      arms.length === 1 ? label : `  ${name}`,
      String(runs),
      text(min),
      text(median),
      within,
      text(p95),
      text(p99),
      text(max),
    ];
  });
  return arms.length === 1 ? rows : [[label], ...rows];
}

function listed(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : ['', `${what}: ${names.join(', ')}`];
}

/** What differs, a sentence each, and where nothing can be told. */
export function comparisonLines({ one, other, differences }: Comparison): string[] {
  const named = (verdict: Difference['verdict']) =>
    differences.filter((each) => each.verdict === verdict).map(({ figure }) => figure.label);
  const differing = differences.filter(({ verdict }) => verdict === 'more' || verdict === 'less');
  const told = differing.map(sentence).filter((each) => each !== undefined);
  const nothing = differing.length === 0 ? 'nothing differs beyond noise' : 'nothing differs by as much as is shown';
  const noise = named('noise');
  const equal = differences.filter(({ verdict, one: { max } }) => verdict === 'equal' && max.value !== 0);
  return [
    `${other} instead of ${one}, run by run with the same seeds:`,
    ...(told.length === 0 ? [nothing] : told).map((each) => `  ${each}`),
    ...(differences.every(tooFew) ? [`  fewer than ${LEAST_RUNS} runs never show a difference beyond noise`] : []),
    ...(noise.length === 0 ? [] : [`  no difference beyond noise: ${noise.join(', ')}`]),
    ...(equal.length === 0 ? [] : [`  the same in every run: ${equal.map(({ figure }) => figure.label).join(', ')}`]),
  ];
}

/** So few that chance could order them all alike more often than is allowed for. */
function tooFew({ more, less, same }: Difference): boolean {
  return more + less + same < LEAST_RUNS;
}

/** Undefined for what is smaller than what is shown: nobody could see it in the table. */
function sentence({ figure, one, other, more, less, same, verdict }: Difference): string | undefined {
  const { label, unit } = figure;
  const often = `${verdict} in ${verdict === 'more' ? more : less} of ${more + less + same} runs`;
  const text = (value: number) => valueText(value, unit);
  // Of what is rare the medians say nothing.
  const [now, was, kind] =
    one.median.value !== other.median.value
      ? [text(other.median.value), text(one.median.value), 'median']
      : [text(other.total / other.runs), text(one.total / one.runs), 'average'];
  return now === was ? undefined : `${label}: ${kind} ${now} instead of ${was} (${often})`;
}

/** Two figures that are the same in every run need no two charts. */
function chosen(spreads: readonly Spread[], arms: number): readonly Spread[] {
  const varying = spreads.filter(varies);
  const texts = varying.map((spread) => JSON.stringify(spread.arms));
  return varying.filter((_, i) => texts.indexOf(texts[i] ?? '') === i).slice(0, arms === 1 ? CHARTS : 1);
}

function chartLines({ figure: { label, unit }, arms }: Spread, chalk: ChalkInstance): string[] {
  const range = rangeOf(arms.map(({ distribution }) => distribution));
  const [from, to] = range;
  const below = Array.from({ length: 4 }, (_, i) => valueText(from + (i * (to - from)) / 4, unit));
  const most = Math.max(...arms.flatMap(({ values }) => histogram(values, range, WIDTH).map(({ runs }) => runs)));
  return arms.flatMap(({ name, values }) => {
    const bins = histogram(values, range, WIDTH).map(({ runs }) => runs);
    const title = arms.length === 1 ? label : `${label}, ${name}`;
    const shape = {
      width: WIDTH,
      height: HEIGHT,
      below,
      top: most,
      label: (runs: number) => `${Math.round(runs)} ${runs === 1 ? 'run' : 'runs'}`,
    };
    return [chalk.dim(title), ...chart(bins, shape)];
  });
}

/** How to play the runs again that are worth a look first: the worst of each arm. */
function worstLines({ arms }: Measurement, spreads: readonly Spread[]): string[] {
  const spread = spreads.find(varies) ?? spreads[0];
  if (!spread) return [];
  const { unit, bad, label } = spread.figure;
  const all = spread.arms.flatMap(({ name, distribution: { min, max } }) => {
    const arm = arms.find((each) => each.arm.name === name)?.arm;
    const { value, seed } = bad === 'most' ? max : min;
    return arm ? [{ name, value: valueText(value, unit), again: replayOf(arm, seed) }] : [];
  });
  const head = `#N is a seed. The worst "${label}"`;
  const [first] = all;
  if (first && arms.length === 1) return ['', `${head}, ${first.value}, again: ${first.again}`];
  return ['', `${head} of each, again:`, ...all.map(({ name, value, again }) => `  ${name}, ${value}: ${again}`)];
}
