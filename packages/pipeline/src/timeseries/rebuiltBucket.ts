import { encodeName, findField, readInt64AsNumber, requiredField } from '@replsim/protocol';
import { Bucket } from './bucket.ts';
import { readMeasurement } from './measurement.ts';
import { objectIdSecs, type TimeseriesOptions } from './options.ts';

const ID = encodeName('_id');
const META = encodeName('meta');
const CONTROL = encodeName('control');
const MIN = encodeName('min');

/** A bucket with some of its measurements only: `_id`, metadata and beginning stay. Upstream: makeBucketDocument. */
export function rebuiltBucket(
  before: Uint8Array,
  measurements: readonly Uint8Array[],
  options: TimeseriesOptions,
): Uint8Array {
  const id = requiredField(before, ID);
  const startMs = startOf(before, options) ?? objectIdSecs(id) * 1000;
  const bucket = new Bucket(id.bytes.slice(id.offset, id.offset + 12), startMs, options, findField(before, META));
  for (const measurement of measurements) bucket.add(readMeasurement(measurement, options));
  return bucket.write();
}

function startOf(bucket: Uint8Array, { timeField }: TimeseriesOptions): number | undefined {
  const control = findField(bucket, CONTROL);
  const min = control && findField(control.bytes, MIN, control.offset);
  const start = min && findField(min.bytes, encodeName(timeField), min.offset);
  return start && readInt64AsNumber(start.bytes, start.offset);
}
