import type { Cause } from '../lateness/causes.ts';
import type { LatenessSummary, PartsMs } from '../lateness/summary.ts';
import type { BrokenInvariant } from '../play.ts';
import type { Capacity } from './capacity.ts';
import type { Outage } from './forecast.ts';
import type { Scale } from './scale.ts';

/** The set at one moment. Documents and bytes are those that the simulated ones stand for. */
export interface Sample {
  /** From the forecast's start. */
  readonly atMicros: number;
  /** Most that there were since the sample before: a pass takes away within seconds what had gathered for a minute. */
  readonly documents: number;
  /** Most that were expired, by the true time, since then. */
  readonly expired: number;
  /** Of those documents. */
  readonly bytes: number;
  readonly oplogBytes: number;
  /** From the oldest entry to the newest. */
  readonly oplogWindowMs: number;
  /** For how long the oldest entry that some member has not applied has been there. */
  readonly lagMs: number;
}

/** A line of the table: of several samples the worst, and of what changes slowly the last. */
export interface ForecastRow extends Sample {
  /** Of the documents that were deleted in this time; absent if none was. */
  readonly worstMs?: number;
}

/** The latest deletion, or the one that was late most. */
export interface LateDeletion {
  readonly atMicros: number;
  readonly worstMs: number;
  readonly because: Cause;
  readonly parts: PartsMs;
}

/** What an outage did, up to the next. */
export interface OutageEffect {
  readonly outage: Outage;
  readonly worst?: LateDeletion;
  /** Most documents that were expired and still there, until things were normal again. */
  readonly peakExpired: number;
  /** The last deletion that was later than any before the first outage; absent where none was. */
  readonly normalMicros?: number;
}

export interface ForecastResult {
  readonly name: string;
  readonly seed: number;
  readonly scale: Scale;
  /** The time of day at which it begins, µs from midnight. */
  readonly startMicros: number;
  readonly durationMicros: number;
  readonly capacity: Capacity;
  /** Of all documents deleted on the primary; counts are of simulated ones. */
  readonly lateness: LatenessSummary;
  /** The same until gone from each member. */
  readonly members: readonly LatenessSummary[];
  readonly peak: { readonly expired: Sample; readonly documents: Sample };
  /** Before the first outage; absent where it leaves no time. */
  readonly normal?: { readonly worstMs: number; readonly peakExpired: number };
  readonly outages: readonly OutageEffect[];
  /** Documents that no member took: nobody accepted writes, or whoever did went away. */
  readonly notInserted: number;
  readonly rowMicros: number;
  readonly rows: readonly ForecastRow[];
  readonly sampleMicros: number;
  readonly samples: readonly Sample[];
  /** The worst lateness among the deletions of each sample's time, ms; null where there were none. */
  readonly latest: readonly (number | null)[];
  /** What the observers found. */
  readonly brokenInvariants: readonly BrokenInvariant[];
}
