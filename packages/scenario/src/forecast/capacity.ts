import { DEFAULT_COSTS, VERSIONS } from '@replsim/protocol';
import { documentsIn, type Forecast, rateAt } from './forecast.ts';

/** The peak is looked for minute by minute, as often as rates are known to change. */
const STEP_MICROS = 60_000_000;
const MOST_STEPS = 100_000;

/** Whether the primary can delete as fast as documents expire; outages aside. */
export type Verdict = 'keeps up' | 'falls behind at peaks' | 'never catches up';

/** What the primary's TTL monitor could delete while it does nothing else, against what expires. */
export interface Capacity {
  /** What deleting one document is assumed to take, µs: itself, its keys, its part of the transaction. */
  readonly deleteMicros: number;
  /** Deletions a second; absent if they cost nothing. */
  readonly perSecond?: number;
  /** Documents that expire a second, over the whole time and at most. */
  readonly meanLoadPerSecond: number;
  readonly peakLoadPerSecond: number;
  readonly verdict: Verdict;
}

export function capacityOf(forecast: Forecast): Capacity {
  const deleteMicros = deleteMicrosOf(forecast);
  const perSecond = deleteMicros === 0 ? Number.POSITIVE_INFINITY : 1_000_000 / deleteMicros;
  const { meanLoadPerSecond, peakLoadPerSecond } = loadOf(forecast);
  const fallsBehind = peakLoadPerSecond > perSecond ? 'falls behind at peaks' : 'keeps up';
  const verdict = meanLoadPerSecond > perSecond ? 'never catches up' : fallsBehind;
  return {
    deleteMicros,
    ...(Number.isFinite(perSecond) && { perSecond }),
    meanLoadPerSecond,
    peakLoadPerSecond,
    verdict,
  };
}

/** What the monitor pays for one document, with its part of what a transaction costs. */
function deleteMicrosOf({ costs, indexes, parameters, version = '8.0' }: Forecast): number {
  const { commitMicros, deleteMicros, indexKeyMicros, scanKeyMicros } = { ...DEFAULT_COSTS, ...costs };
  const { batchedDeletesTargetBatchDocs: docs = 10, batchedDeletesTargetBatchTimeMS: timeMs = 5 } =
    parameters as Record<string, number>;
  const batches = VERSIONS[version].ttlBatched && parameters.ttlMonitorBatchDeletes !== false;
  const each = deleteMicros + (2 + indexes) * indexKeyMicros;
  if (!batches) return each + scanKeyMicros + commitMicros;
  // 0 means that there is no limit. A transaction ends with the document that makes it last long enough, and what is left
  // of a batch goes before the next is made up.
  const byTime = timeMs === 0 || each === 0 ? Number.POSITIVE_INFINITY : Math.ceil((timeMs * 1000) / each);
  const transactions = docs === 0 ? 1 / byTime : Math.ceil(docs / byTime) / docs;
  return each + scanKeyMicros + commitMicros * transactions;
}

/** How many expire a second: as many as came so long before as they live. */
function loadOf(forecast: Forecast): Pick<Capacity, 'meanLoadPerSecond' | 'peakLoadPerSecond'> {
  const { documentsAtStart: given, durationMicros, expireAfterSeconds } = forecast;
  const livesMicros = expireAfterSeconds * 1_000_000;
  // A number of documents at the start is spread evenly over one life.
  const ofStart = given === 'steady' ? undefined : given / Math.max(expireAfterSeconds, 1);
  const startMicros = ofStart === undefined ? 0 : Math.min(livesMicros, durationMicros);
  const later = documentsIn(forecast, startMicros - livesMicros, durationMicros - livesMicros);
  const expired = later + ((ofStart ?? 0) * startMicros) / 1_000_000;
  const step = Math.max(STEP_MICROS, durationMicros / MOST_STEPS);
  let peak = ofStart ?? 0;
  for (let at = startMicros; at <= durationMicros; at += step)
    peak = Math.max(peak, rateAt(forecast, at - livesMicros));
  return { meanLoadPerSecond: (expired * 1_000_000) / durationMicros, peakLoadPerSecond: peak };
}
