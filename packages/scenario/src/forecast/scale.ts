import { type Costs, DEFAULT_COSTS } from '@replsim/protocol';
import type { Forecast } from './forecast.ts';
import { documentsIn } from './forecast.ts';

/**
 * How a forecast of many documents is run with few: each stands for `factor` of them. What is done document by document,
 * transaction by transaction or entry by entry then costs so many times as much; limits that count documents count so
 * many fewer, and the oplog has so much less room.
 */
export interface Scale {
  /** 1: every document is simulated. */
  readonly factor: number;
  /** Documents that the forecast speaks of: those at the start and those inserted. */
  readonly documents: number;
}

/** At most so many documents are simulated unless somebody says otherwise: some ten seconds of work. */
export const DEFAULT_BUDGET = 100_000;

/** How many there are at the start. */
export function documentsAtStart(forecast: Forecast): number {
  const { documentsAtStart: given, expireAfterSeconds } = forecast;
  return given === 'steady' ? Math.round(documentsIn(forecast, -expireAfterSeconds * 1_000_000, 0)) : given;
}

/** The smallest factor that keeps within a budget. @param budget documents to simulate at most */
export function scaleOf(forecast: Forecast, budget: number): Scale {
  const documents = documentsAtStart(forecast) + Math.round(documentsIn(forecast, 0, forecast.durationMicros));
  return { documents, factor: Math.max(1, Math.ceil(documents / budget)) };
}

/** Costs of what is done once for each document, or once for each transaction on some. */
const SCALED = [
  'insertMicros',
  'updateMicros',
  'deleteMicros',
  'indexKeyMicros',
  'scanKeyMicros',
  'fetchEntryMicros',
  'applyEntryMicros',
  'indexBuildMicrosPerDocument',
  'initialSyncMicrosPerDocument',
  'commitMicros',
] as const;

/** The costs of a document that stands for many. */
export function scaledCosts(costs: Partial<Costs>, factor: number): Costs {
  const all = { ...DEFAULT_COSTS, ...costs };
  return { ...all, ...Object.fromEntries(SCALED.map((name) => [name, all[name] * factor])) };
}

/**
 * Parameters that count documents, or the time that one batch of them takes.
 * @param batches whether this release deletes in batches, and so knows of them
 */
export function scaledParameters(
  parameters: Readonly<Record<string, unknown>>,
  factor: number,
  batches: boolean,
): Record<string, unknown> {
  if (factor === 1 || !batches) return { ...parameters };
  const { batchedDeletesTargetBatchTimeMS: batchTime = 5, ttlIndexDeleteTargetDocs: docs = 50_000 } = parameters;
  return {
    ...parameters,
    batchedDeletesTargetBatchTimeMS: Number(batchTime) * factor,
    // 0 means that there is no limit.
    ttlIndexDeleteTargetDocs: docs === 0 ? 0 : Math.max(1, Math.round(Number(docs) / factor)),
  };
}
