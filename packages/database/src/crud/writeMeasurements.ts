import type { Measurement, OpenBucket, TimeseriesCollection } from '@replsim/pipeline';
import type { StatementLink } from '@replsim/protocol';
import { computeDiff } from '@replsim/query';
import { type CollectionView, StoredDocument } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';

/** A measurement, and the statement of a retryable write that it is. */
export interface MeasurementWrite {
  readonly measurement: Measurement;
  readonly statement: StatementLink | undefined;
}

/**
 * Puts measurements into buckets at one instant. Each bucket that gets any is written once, as an insert or an update of
 * its document, so that secondaries apply what they would of any collection; of a retryable write each measurement is
 * written for itself, since an entry answers for one statement.
 * Upstream: timeseries_write_util.cpp, performAtomicWrites.
 */
export function writeMeasurements(
  context: CommandContext,
  { buckets, options }: TimeseriesCollection,
  writes: readonly MeasurementWrite[],
): void {
  const { bucketCatalog, ids } = context.member;
  const touched = new Set<OpenBucket>();
  try {
    for (const { measurement, statement } of writes) {
      const open = bucketCatalog.bucketFor(buckets, options, measurement, ids);
      open.bucket.add(measurement);
      if (statement) writeBucket(context, buckets, open, statement);
      else touched.add(open);
    }
    for (const open of touched) writeBucket(context, buckets, open, undefined);
  } catch (error) {
    bucketCatalog.forget(buckets);
    throw error;
  }
}

function writeBucket(
  { writes }: CommandContext,
  buckets: CollectionView,
  open: OpenBucket,
  statement: StatementLink | undefined,
): void {
  const before = open.written;
  const after = new StoredDocument(open.bucket.write());
  if (before) {
    const delta = computeDiff(before.bytes, after.bytes);
    writes.update(buckets, buckets.findById(before.idKey)!, after, delta, statement);
  } else writes.insert(buckets.ns, [after], statement && [statement]);
  open.written = after;
}
