import { CAUSES, type Cause, greatestCause, noParts, type Parts, PRIMARY_CAUSES } from '../lateness/causes.ts';
import type { Lateness } from '../lateness/lateness.ts';
import type { PartsMs } from '../lateness/summary.ts';
import { capacityOf } from './capacity.ts';
import type { Forecast, Outage } from './forecast.ts';
import type { ForecastResult, ForecastRow, LateDeletion, OutageEffect, Sample } from './forecastResult.ts';
import { COLLECTION, DATABASE, TTL_INDEX } from './population.ts';
import type { Scale } from './scale.ts';

const MINUTE = 60_000_000;
/** A table has two dozen lines at most, of a length that people count in. */
const ROW_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080];
const LONGEST_ROW_MINUTES = 40_320;
const ROWS = 24;
/** Later than ever before by this much is no chance of the phase any more. */
const MARGIN_MICROS = 500_000;

const DELETIONS = { ns: `${DATABASE}.${COLLECTION}`, index: TTL_INDEX };

/** A deletion on the primary, µs from the forecast's start. */
interface Deletion {
  readonly atMicros: number;
  readonly lateMicros: number;
  readonly part: (cause: (typeof PRIMARY_CAUSES)[number]) => number;
}

/** What a run has shown. */
interface Shown {
  readonly forecast: Forecast;
  readonly scale: Scale;
  readonly seed: number;
  readonly lateness: Lateness;
  readonly samples: readonly Sample[];
  readonly notInserted: number;
  /** How long the documents were loaded before the forecast's time began. */
  readonly loadMicros: number;
}

/** Puts it together. */
export function evaluate(shown: Shown): Omit<ForecastResult, 'brokenInvariants'> {
  const { forecast, lateness, loadMicros, notInserted, samples, scale, seed } = shown;
  const deletions: Deletion[] = [];
  lateness.forEach(DELETIONS, (atMicros, lateMicros, part) => {
    // What a fast clock made go while the documents were loaded does not count.
    if (atMicros >= loadMicros) deletions.push({ atMicros: atMicros - loadMicros, lateMicros, part });
  });
  const [first, second] = samples;
  const sampleMicros = first && second ? second.atMicros - first.atMicros : forecast.durationMicros;
  const latest = latestBy(deletions, sampleMicros, samples.length);
  const rowMicros = rowOf(forecast.durationMicros);
  const normal = normalOf(forecast, deletions, samples);
  return {
    name: forecast.name,
    seed,
    scale,
    startMicros: forecast.startMicros,
    durationMicros: forecast.durationMicros,
    capacity: capacityOf(forecast),
    lateness: lateness.summary(DELETIONS),
    members: lateness.members.map((member) => lateness.summary(DELETIONS, member)),
    peak: { expired: most(samples, 'expired'), documents: most(samples, 'documents') },
    ...(normal && { normal }),
    outages: forecast.outages.map((outage, i) =>
      effectOf(outage, forecast.outages[i + 1]?.atMicros ?? Number.POSITIVE_INFINITY, deletions, samples, normal),
    ),
    notInserted,
    rowMicros,
    rows: rowsOf(samples, latest, rowMicros),
    sampleMicros,
    samples,
    latest,
  };
}

function rowOf(durationMicros: number): number {
  return (ROW_MINUTES.find((minutes) => durationMicros / (minutes * MINUTE) <= ROWS) ?? LONGEST_ROW_MINUTES) * MINUTE;
}

function most(samples: readonly Sample[], field: 'expired' | 'documents'): Sample {
  return samples.reduce((best, sample) => (sample[field] > best[field] ? sample : best));
}

/** The worst of each sample's time, which ends where the next one's begins. */
function latestBy(deletions: readonly Deletion[], sampleMicros: number, count: number): (number | null)[] {
  const latest = Array<number | null>(count).fill(null);
  for (const { atMicros, lateMicros } of deletions) {
    const i = Math.min(Math.floor(atMicros / sampleMicros), count - 1);
    latest[i] = Math.max(latest[i] ?? Number.NEGATIVE_INFINITY, lateMicros / 1000);
  }
  return latest;
}

function rowsOf(samples: readonly Sample[], latest: readonly (number | null)[], rowMicros: number): ForecastRow[] {
  const rows: ForecastRow[] = [];
  for (const [i, sample] of samples.entries()) {
    const atMicros = Math.floor(sample.atMicros / rowMicros) * rowMicros;
    const last = rows.at(-1);
    const begun = last?.atMicros === atMicros ? rows.pop() : undefined;
    const row = begun ?? { ...sample, atMicros };
    const worstMs = Math.max(row.worstMs ?? Number.NEGATIVE_INFINITY, latest[i] ?? Number.NEGATIVE_INFINITY);
    rows.push({ ...merged(row, sample), ...(Number.isFinite(worstMs) && { worstMs }) });
  }
  // The very end makes no line of its own.
  return rows.length > 1 && samples.at(-1)?.atMicros === rows.at(-1)?.atMicros ? rows.slice(0, -1) : rows;
}

function merged(
  row: ForecastRow,
  { bytes, documents, expired, lagMs, oplogBytes, oplogWindowMs }: Sample,
): ForecastRow {
  return {
    ...row,
    documents: Math.max(row.documents, documents),
    expired: Math.max(row.expired, expired),
    bytes: Math.max(row.bytes, bytes),
    oplogBytes,
    oplogWindowMs: Math.min(row.oplogWindowMs, oplogWindowMs),
    lagMs: Math.max(row.lagMs, lagMs),
  };
}

function normalOf(
  { outages }: Forecast,
  deletions: readonly Deletion[],
  samples: readonly Sample[],
): ForecastResult['normal'] {
  const until = outages[0]?.atMicros ?? Number.POSITIVE_INFINITY;
  const before = deletions.filter(({ atMicros }) => atMicros < until);
  if (before.length === 0) return undefined;
  const worst = before.reduce((most, { lateMicros }) => Math.max(most, lateMicros), Number.NEGATIVE_INFINITY);
  const expired = samples.filter(({ atMicros }) => atMicros < until).map((sample) => sample.expired);
  return { worstMs: worst / 1000, peakExpired: Math.max(0, ...expired) };
}

function effectOf(
  outage: Outage,
  nextMicros: number,
  deletions: readonly Deletion[],
  samples: readonly Sample[],
  normal: ForecastResult['normal'],
): OutageEffect {
  const { atMicros: from, forMicros } = outage;
  const during = deletions.filter(({ atMicros }) => atMicros >= from && atMicros < nextMicros);
  const tolerated = (normal?.worstMs ?? Number.POSITIVE_INFINITY) * 1000 + MARGIN_MICROS;
  const late = during.filter(({ lateMicros }) => lateMicros > tolerated);
  const normalMicros = late.at(-1)?.atMicros;
  const until = Math.min(Math.max(normalMicros ?? 0, from + forMicros), nextMicros);
  // Until things are normal the worst is the outage's; afterwards it is the day's.
  const worst = during
    .filter(({ atMicros }) => atMicros <= until)
    .reduce<Deletion | undefined>(
      (best, each) => (best && best.lateMicros >= each.lateMicros ? best : each),
      undefined,
    );
  const expired = samples.filter(({ atMicros }) => atMicros >= from && atMicros <= until).map((each) => each.expired);
  return {
    outage,
    ...(worst && { worst: describe(worst) }),
    peakExpired: Math.max(0, ...expired),
    ...(normalMicros !== undefined && { normalMicros }),
  };
}

function describe({ atMicros, lateMicros, part }: Deletion): LateDeletion {
  const parts: Parts = noParts();
  for (const cause of PRIMARY_CAUSES) parts[cause] = part(cause);
  const inMs = Object.fromEntries(CAUSES.map((cause: Cause) => [`${cause}Ms`, parts[cause] / 1000])) as PartsMs;
  return { atMicros, worstMs: lateMicros / 1000, because: greatestCause(parts), parts: inMs };
}
