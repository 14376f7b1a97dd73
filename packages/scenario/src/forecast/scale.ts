import { type Costs, DEFAULT_COSTS, VERSIONS } from '@replsim/protocol';
import { documentsIn, type Forecast } from './forecast.ts';

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
  /** How long one batch of the TTL monitor takes, ms: lateness is told to within so much, as a batch goes as one. */
  readonly batchMs: number;
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
  const factor = Math.max(1, Math.ceil(documents / budget));
  return { documents, factor, batchMs: scaledSet(forecast, factor).batchMs };
}

/** Costs of what is done once for each document or key. */
const BY_DOCUMENT = [
  'insertMicros',
  'updateMicros',
  'deleteMicros',
  'indexKeyMicros',
  'scanKeyMicros',
  'fetchEntryMicros',
  'applyEntryMicros',
  'indexBuildMicrosPerDocument',
  'initialSyncMicrosPerDocument',
] as const;
/** A batch of documents that stand for many should not take longer: lateness is told to within a batch. */
const BATCH_MICROS = 1_000_000;

/** How a set works on documents that stand for many. */
export interface ScaledSet {
  readonly costs: Costs;
  readonly parameters: Record<string, unknown>;
  /** How long one batch of the TTL monitor takes, ms. */
  readonly batchMs: number;
}

/** Costs by document grow by the factor, and limits by document shrink; a batch is cut smaller where it would take too long. */
export function scaledSet({ costs, indexes, parameters, version = '8.0' }: Forecast, factor: number): ScaledSet {
  const all = { ...DEFAULT_COSTS, ...costs };
  const batches = VERSIONS[version].ttlBatched && parameters.ttlMonitorBatchDeletes !== false;
  const {
    batchedDeletesTargetBatchDocs: batchDocs = 10,
    batchedDeletesTargetBatchTimeMS: batchTime = 5,
    ttlIndexDeleteTargetDocs: docs = 50_000,
  } = parameters as Record<string, number>;
  const whole = batches ? batchDocs : 1;
  const each = all.deleteMicros + (2 + indexes) * all.indexKeyMicros + all.scanKeyMicros;
  const most = Math.max(1, Math.floor(BATCH_MICROS / (factor * (each + all.commitMicros / Math.max(whole, 1)))));
  const cut = factor === 1 ? whole : Math.min(whole, most);
  const scaled = Object.fromEntries(BY_DOCUMENT.map((name) => [name, all[name] * factor]));
  // As many transactions as those many documents take.
  const commitMicros = Math.round((all.commitMicros * factor * cut) / Math.max(whole, 1)) || all.commitMicros;
  const limits = {
    batchedDeletesTargetBatchDocs: cut,
    batchedDeletesTargetBatchTimeMS: batchTime * factor,
    // 0 means that there is no limit.
    ttlIndexDeleteTargetDocs: docs === 0 ? 0 : Math.max(1, Math.round(docs / factor)),
  };
  return {
    costs: { ...all, ...scaled, commitMicros },
    parameters: { ...parameters, ...(factor > 1 && batches && limits) },
    batchMs: (cut * each * factor + commitMicros) / 1000,
  };
}
