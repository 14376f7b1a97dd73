import { type Distribution, type Keyed, keyedOf, type Sample } from '@replsim/explore';
import { absentFrom, type Measurement } from './measurement.ts';

/** A row a run: which arm and seed, whether it came to its end and held, and its figures. */
export function measuredCsv({ arms }: Measurement): string {
  const keys = keyedOf(arms.flatMap(({ runs }) => runs.map(({ figures }) => figures))).map(({ key }) => key);
  const rows = arms.flatMap(({ arm: { name }, runs }) =>
    runs.map(({ seed, failed, obstacle, figures }) => [
      ...[name, seed, obstacle === undefined, failed === undefined],
      ...keys.map((key) => figures[key] ?? ''),
    ]),
  );
  return [['variant', 'seed', 'whole', 'held', ...keys], ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** RFC 4180: what holds a comma, a quote or a break is quoted. */
function cell(value: string | number | boolean): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A measurement as a program reads it. */
export function measuredJson(measurement: Measurement) {
  const { title, seeds, arms, summaries, comparisons, tookMs, cutShort } = measurement;
  return {
    version: 1,
    title,
    seeds,
    tookMs: Math.round(tookMs),
    cutShort: cutShort ?? null,
    arms: summaries.map(({ rows, ...summary }, i) => ({
      ...summary,
      file: arms[i]?.arm.file,
      ...(arms[i]?.arm.variant !== undefined && { variant: arms[i]?.arm.variant }),
      figures: rows.map(({ figure, distribution }) => ({ ...figureJson(figure), ...distributionJson(distribution) })),
    })),
    absent: absentFrom(measurement),
    comparisons: comparisons.map(({ one, other, differences }) => ({
      ...{ one, other },
      figures: differences.map(({ figure, one: before, other: after, ...difference }) => ({
        ...{ key: figure.key, median: [before.median.value, after.median.value], total: [before.total, after.total] },
        ...difference,
        chance: rounded(difference.chance),
      })),
    })),
  };
}

function figureJson({ key, name, workload, unit, label, what }: Keyed) {
  return { key, name, ...(workload !== undefined && { workload }), unit, label, what };
}

function distributionJson({ runs, min, median, p95, p99, max, total, medianWithin }: Distribution) {
  const samples: Record<string, Sample> = { min, median, p95, p99, max };
  const within = medianWithin && { ...medianWithin, confidence: rounded(medianWithin.confidence) };
  return { runs, ...samples, total, medianWithin: within ?? null };
}

/** Another machine's exponential may differ in the last digit. */
const rounded = (probability: number) => Number(probability.toPrecision(6));
