import {
  durationText,
  type ForecastResult,
  type ForecastRow,
  type LatenessSummary,
  type OutageEffect,
  partsText,
} from '@replsim/scenario';
import type { ChalkInstance } from 'chalk';
import { table } from '../table.ts';
import { chart } from './chart.ts';
import { bytesText, countText, rateText, spanText, timeText } from './figures.ts';

const WIDTH = 72;
const HEIGHT = 6;

/** A forecast knows nothing of the application's operations; this does. */
export const LATENCY_BY = 'replsim run --ttl-report';

/** A forecast for people: the answers, a chart of how late and one of how many, and the table. */
export function forecastText(result: ForecastResult, chalk: ChalkInstance): string {
  const lines = [
    chalk.bold(result.name),
    '',
    ...answers(result),
    ...capacityLines(result),
    ...result.outages.flatMap((effect) => outageLines(effect, result, chalk)),
    '',
    ...charts(result, chalk),
    '',
    ...table([HEAD, ...result.rows.map((row) => cells(row, result))], { left: [0], dim: chalk.dim }),
    '',
    chalk.dim(scaleText(result)),
    chalk.dim(`latency is not forecast: "${LATENCY_BY}" measures it, in a scenario with a workload`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What it comes to, over the whole time. */
function answers({ lateness, members, notInserted, peak, startMicros }: ForecastResult): string[] {
  const at = (micros: number) => timeText(startMicros + micros);
  const lines: string[] = [];
  if (lateness.worst) {
    const { medianMs, p99Ms, worst, worstMs } = lateness;
    const late = `half of them up to ${spanText(medianMs)} late, 99% up to ${spanText(p99Ms)}, the worst ${spanText(worstMs)}`;
    lines.push(`deleted documents: ${late}`, `  the worst is ${causesText(worst)}`);
    // The last member to lose a document, where it makes a difference.
    const last = members.reduce<LatenessSummary>(
      (most, member) => ((member.worstMs ?? 0) > (most.worstMs ?? 0) ? member : most),
      lateness,
    );
    if (last.worst && last.worstMs > worstMs + 1000)
      lines.push(`until gone from ${last.on} too: the worst ${spanText(last.worstMs)}: ${causesText(last.worst)}`);
  } else lines.push('nothing was deleted');
  const { documents, expired } = peak;
  const most = `at most ${countText(documents.documents)} documents (${bytesText(documents.bytes)}), at ${at(documents.atMicros)}`;
  lines.push(`the collection: ${most}`);
  lines.push(`expired and still there: at most ${countText(expired.expired)}, at ${at(expired.atMicros)}`);
  if (lateness.undone > 0) lines.push('some deletions were undone by a rollback and done again');
  if (notInserted > 0) lines.push(`not inserted because there was no primary: ${countText(notInserted)}`);
  return lines;
}

/** What the primary could delete, against what it has to. */
function capacityLines({ capacity }: ForecastResult): string[] {
  const { deleteMicros, meanLoadPerSecond, peakLoadPerSecond, perSecond, verdict } = capacity;
  const cost = `${rateText(deleteMicros)} µs each, as its costs say`;
  if (perSecond === undefined) return ['it keeps up: its costs say that deleting takes no time'];
  const [mean, peak] = [rateText(meanLoadPerSecond), rateText(peakLoadPerSecond)];
  const load = `${mean} expire a second${mean === peak ? '' : `, ${peak} at most`}`;
  const lines = [`the primary deletes at most ${rateText(perSecond)} a second (${cost}); ${load}`];
  const more = countText((meanLoadPerSecond - perSecond) * 3600);
  if (verdict === 'never catches up') lines.push(`  it never catches up: the backlog grows by ${more} each hour`);
  else if (verdict === 'falls behind at peaks') lines.push('  it falls behind at peaks, and catches up after them');
  else
    lines.push(
      `  it keeps up: that is ${rateText((100 * peakLoadPerSecond) / perSecond)}% of what it could do, at most`,
    );
  return lines;
}

/** What one outage changed. */
function outageLines(
  { normalMicros, outage, peakExpired, worst }: OutageEffect,
  { normal, startMicros }: ForecastResult,
  chalk: ChalkInstance,
): string[] {
  const at = (micros: number) => timeText(startMicros + micros);
  const title = `${at(outage.atMicros)} ${outage.what} for ${durationText(outage.forMicros)}`;
  const lines = ['', chalk.bold(title)];
  if (worst)
    lines.push(`  worst lateness ${spanText(worst.worstMs)}, at ${at(worst.atMicros)}: ${causesText(worst.parts)}`);
  const more = Math.max(peakExpired - (normal?.peakExpired ?? 0), 0);
  const over = normal ? `, ${countText(more)} more than before` : '';
  lines.push(`  ${countText(peakExpired)} documents expired and still there at most${over}`);
  if (normal) {
    const before = `${spanText(normal.worstMs)} was the worst before`;
    lines.push(normalMicros === undefined ? `  no document was later than otherwise: ${before}` : `  back to normal at ${at(normalMicros)}: ${before}`); // biome-ignore format: one line
  }
  return lines;
}

function causesText(parts: Parameters<typeof partsText>[0]): string {
  const rounded = Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, Math.round(ms / 100) * 100]));
  return partsText(rounded as typeof parts);
}

function charts({ durationMicros, latest, samples, startMicros }: ForecastResult, chalk: ChalkInstance): string[] {
  const below = Array.from({ length: 6 }, (_, i) => timeText(startMicros + (i * durationMicros) / 6));
  const shape = { width: WIDTH, height: HEIGHT, below };
  return [
    chalk.dim('worst lateness of what was deleted then'),
    ...chart(latest, { ...shape, label: spanText }),
    '',
    chalk.dim('documents expired and still there'),
    ...chart(
      samples.map(({ expired }) => expired),
      { ...shape, label: countText },
    ),
  ];
}

const HEAD = ['from', 'documents', 'size', 'expired', 'worst', 'lag', 'oplog', 'window'];

function cells(row: ForecastRow, { startMicros }: ForecastResult): string[] {
  const { atMicros, bytes, documents, expired, lagMs, oplogBytes, oplogWindowMs, worstMs } = row;
  return [
    timeText(startMicros + atMicros),
    countText(documents),
    bytesText(bytes),
    countText(expired),
    worstMs === undefined ? '' : spanText(worstMs),
    spanText(lagMs),
    bytesText(oplogBytes),
    durationText(Math.round(oplogWindowMs / 60_000) * 60_000_000),
  ];
}

function scaleText({ scale, seed }: ForecastResult): string {
  const { batchMs, documents, factor } = scale;
  if (factor === 1) return `simulated document by document: ${countText(documents)}; seed ${seed}`;
  const [all, each, some] = [documents, factor, documents / factor].map(countText);
  return [
    `simulated with ${some} documents, each standing for ${each} of ${all}, at as many times the cost;`,
    `so lateness is accurate to ${spanText(batchMs)}, the time of one batch; seed ${seed}`,
  ].join('\n');
}
