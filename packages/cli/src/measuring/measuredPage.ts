import type { Distribution } from '@replsim/explore';
import { cutText } from '../exploring/endOf.ts';
import { htmlPage } from '../reporters/htmlPage.ts';
import { escapeXml } from '../reporters/xml.ts';
import { valueText } from './cells.ts';
import { histogramSvg } from './chart.ts';
import { histogram, rangeOf } from './histogram.ts';
import { comparisonLines } from './measuredText.ts';
import { absentFrom, type Measurement, nonesOf, replayOf, type Spread, spreadsOf, varies } from './measurement.ts';

const BINS = 60;

/** A page to look at, in one file: the tables, what differs, and a histogram of each figure that varies. */
export function measuredPage(measurement: Measurement): string {
  const { title, arms, summaries, comparisons, seeds, cutShort } = measurement;
  const spreads = spreadsOf(measurement);
  const body = [
    '<header>',
    `<h1>${escapeXml(title)}</h1>`,
    `<p>Seeds ${seeds.from} to ${seeds.to}. <code>#7</code> is the run with seed 7.</p>`,
    ...(cutShort === undefined ? [] : [`<p class="failed">${cutLine(measurement, cutShort)}</p>`]),
    ...summaries.flatMap(({ name, runs, whole, failed }, i) => [
      `<p class="dim">${escapeXml(name)}: ${runs} runs, ${whole} came to their end; in ${failed} a check failed.`,
      ...arms
        .slice(i, i + 1)
        .map(({ arm }) => `Again, with seed ${seeds.from}: <code>${escapeXml(replayOf(arm, seeds.from))}</code>`),
      '</p>',
    ]),
    '</header>',
    '<main>',
    ...comparisons.flatMap((each) => {
      const [head = '', ...lines] = comparisonLines(each);
      return [
        `<h2>${escapeXml(head)}</h2>`,
        `<ul>${lines.map((line) => `<li>${escapeXml(line.trim())}</li>`).join('')}</ul>`,
      ];
    }),
    ...spreads.map(section),
    ...listed('0 in every run', nonesOf(measurement)),
    ...listed('no run has', absentFrom(measurement)),
    '</main>',
  ];
  return htmlPage(`replsim: ${title}`, body.join('\n'), '');
}

function cutLine({ summaries, seeds }: Measurement, why: NonNullable<Measurement['cutShort']>): string {
  const all = seeds.to - seeds.from + 1;
  return `${cutText(why, summaries[0]?.runs ?? 0, all)}${summaries.length === 1 ? '' : ' of each variant'}.`;
}

function section(spread: Spread): string {
  const { label, unit, what, how } = spread.figure;
  const heads = ['runs', 'least', 'median', '95% sure', '95%', '99%', 'most'];
  return [
    '<section>',
    `<h2>${escapeXml(label)}</h2>`,
    `<p>${escapeXml(`${what}. ${how.charAt(0).toUpperCase()}${how.slice(1)}.`)}</p>`,
    '<table>',
    `<thead><tr><th scope="col">variant</th>${heads.map((head) => `<th scope="col" class="number">${head}</th>`).join('')}</tr></thead>`,
    '<tbody>',
    ...spread.arms.map(({ name, distribution }) => row(name, distribution, unit)),
    '</tbody>',
    '</table>',
    ...(varies(spread) ? charts(spread) : []),
    '</section>',
  ].join('\n');
}

function row(
  name: string,
  { runs, min, median, medianWithin, p95, p99, max }: Distribution,
  unit: 'ms' | 'count',
): string {
  const sample = ({ value, seed }: typeof min) => `${valueText(value, unit)} #${seed}`;
  const within = medianWithin ? `${valueText(medianWithin.low, unit)}–${valueText(medianWithin.high, unit)}` : '';
  const cells = [String(runs), sample(min), sample(median), within, sample(p95), sample(p99), sample(max)];
  return `<tr><th scope="row">${escapeXml(name)}</th>${cells.map((text) => `<td class="number">${escapeXml(text)}</td>`).join('')}</tr>`;
}

/** Over the same range and to the same height, so that they can be compared. */
function charts({ figure: { label, unit }, arms }: Spread): string[] {
  const range = rangeOf(arms.map(({ distribution }) => distribution));
  const all = arms.map(({ name, values }) => ({ name, bins: histogram(values, range, BINS) }));
  const most = Math.max(...all.flatMap(({ bins }) => bins.map(({ runs }) => runs)));
  const [from, to] = range.map((value) => valueText(value, unit));
  return all.map(({ name, bins }) => {
    const said = `Histogram of ${label}, ${name}: from ${from} to ${to}, at most ${most} runs in a bar`;
    const svg = histogramSvg(bins, most, { x: label, said, tickText: (value) => valueText(value, unit) });
    return `<figure>${svg}<figcaption>${escapeXml(name)}</figcaption></figure>`;
  });
}

function listed(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`<p class="dim">${what}: ${escapeXml(names.join(', '))}</p>`];
}
