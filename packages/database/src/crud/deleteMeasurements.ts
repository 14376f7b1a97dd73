import { type Operation, spend, type WriteServices } from '@replsim/operations';
import {
  bucketFilter,
  bucketsHint,
  isMetaFilter,
  rebuiltBucket,
  renamedMetaFilter,
  type TimeseriesCollection,
  unpackBucket,
} from '@replsim/pipeline';
import type { BsonValue, StatementLink } from '@replsim/protocol';
import { computeDiff } from '@replsim/query';
import { type CollectionView, type RecordId, StoredDocument } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { type CompiledFilter, compile, scanOf } from '../reading/query.ts';
import { deleteMany } from './deleteMany.ts';
import { updateMicros } from './updateStatement.ts';

/** One statement of a delete on a time series. */
export interface MeasurementDelete {
  readonly filter: CompiledFilter;
  readonly one: boolean;
  /** As it was sent, of the series. */
  readonly hint: BsonValue | undefined;
  readonly link?: StatementLink | undefined;
}

/**
 * Deletes measurements and gives their number. A filter on metadata alone takes whole buckets, in batches; by any other
 * the measurements that stay are written into their bucket anew, each bucket a transaction of its own.
 * Upstream: write_ops_exec.cpp, performDeletes; timeseries_modify.cpp, TimeseriesModifyStage.
 */
export function* deleteMeasurements(
  context: CommandContext,
  series: TimeseriesCollection,
  sent: MeasurementDelete,
): Operation<number> {
  const { data, member } = context;
  const { buckets, options } = series;
  const { filter, one } = sent;
  const hint = sent.hint && bucketsHint(sent.hint, options);
  if (!one && isMetaFilter(filter.bytes, options)) {
    const statement = { filter: compile(renamedMetaFilter(filter.bytes, options), new Map()), one, hint };
    return yield* deleteMany(context, buckets.ns, statement, (bucket) => unpackBucket(bucket, options).length);
  }
  const found = yield* bucketsFor(context, series, filter, hint);
  let n = 0;
  for (const recordId of found) {
    yield* spend(updateMicros(member, buckets));
    if (data.collection(buckets.ns) !== buckets) return n;
    const removed = deleteIn(context, series, recordId, sent);
    n += removed;
    member.debug.nDeleted += removed;
    if (one && n > 0) return n;
  }
  return n;
}

/** All are found first, so that none is met again where an update moved it to. */
function* bucketsFor(
  { data, member }: CommandContext,
  { buckets, options }: TimeseriesCollection,
  filter: CompiledFilter,
  hint: BsonValue | undefined,
): Operation<RecordId[]> {
  const scan = scanOf(data, buckets, compile(bucketFilter(filter.bytes, options), new Map()), { hint });
  const found: RecordId[] = [];
  while (yield* nextMatch(scan, member)) found.push(scan.recordId);
  return found;
}

/** How many measurements of one bucket are gone. */
function deleteIn(
  { writes }: CommandContext,
  { buckets, options }: TimeseriesCollection,
  recordId: RecordId,
  { filter, one, link }: MeasurementDelete,
): number {
  const bucket = buckets.get(recordId)?.bytes;
  if (!bucket) return 0;
  const measurements = unpackBucket(bucket, options);
  let removed = 0;
  const kept = measurements.filter((measurement) => {
    if ((one && removed > 0) || !filter.matches(measurement)) return true;
    removed += 1;
    return false;
  });
  if (removed === 0) return 0;
  if (kept.length === 0) removeBucket(writes, buckets, recordId, link);
  else {
    const after = rebuiltBucket(bucket, kept, options);
    writes.update(buckets, recordId, new StoredDocument(after), computeDiff(bucket, after), link);
  }
  return removed;
}

function removeBucket(
  writes: WriteServices,
  buckets: CollectionView,
  recordId: RecordId,
  statement: StatementLink | undefined,
): void {
  writes.delete(buckets, [recordId], { grouped: false, statement });
}
