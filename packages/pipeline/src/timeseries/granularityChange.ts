import { CommandError } from '@replsim/protocol';
import { GRANULARITIES, type Granularity, roundingSecondsOf, type TimeseriesOptions } from './options.ts';

/** What collMod's `timeseries` asks for: a granularity, or both numbers, which are equal. */
export type GranularityChange =
  | { readonly granularity: Granularity }
  | { readonly bucketMaxSpanSeconds: number; readonly bucketRoundingSeconds: number };

/** The options with another granularity. Upstream: timeseries_options.cpp, applyTimeseriesOptionsModifications. */
export function changedGranularity(options: TimeseriesOptions, change: GranularityChange): TimeseriesOptions {
  const { timeField, metaField } = options;
  if (!('granularity' in change)) return { timeField, metaField, ...change };
  const { granularity } = change;
  return { timeField, metaField, granularity, bucketMaxSpanSeconds: GRANULARITIES[granularity].spanSeconds };
}

/**
 * Throws InvalidOptions 72 for a change to smaller buckets: what lies in the present ones would not fit them.
 * Upstream: timeseries_options.cpp, isValidTimeseriesGranularityTransition.
 */
export function checkGranularityChange(options: TimeseriesOptions, change: GranularityChange): void {
  const changed = changedGranularity(options, change);
  const shrinks =
    changed.bucketMaxSpanSeconds < options.bucketMaxSpanSeconds ||
    roundingSecondsOf(changed) < roundingSecondsOf(options);
  if (!shrinks) return;
  throw new CommandError(
    'InvalidOptions',
    "Invalid transition for timeseries.granularity: 'seconds' may become 'minutes' or 'hours', 'minutes' may become 'hours', and spans may only grow",
  );
}
