import { type Operation, spend } from '@replsim/operations';
import {
  bucketsNs,
  checkCollation,
  checkUnsupported,
  clusteredSeconds,
  isBucketsName,
  notSupported,
  type Reply,
  type TimeseriesOptions,
  writeTimeseriesOptions,
} from '@replsim/pipeline';
import { BsonWriter, CommandError, encodeDocument } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { createdBefore } from './createdBefore.ts';
import { timeseriesArguments } from './timeseriesArguments.ts';
import { defineSeries } from './timeseriesView.ts';

/**
 * `{ create, timeseries: { timeField, metaField?, granularity? | bucketMaxSpanSeconds, bucketRoundingSeconds },
 * expireAfterSeconds? }`: a collection of buckets, clustered by `_id`, with an index on metadata and time, and a view of
 * the name that was asked for. Who copies collections one by one may make the buckets by their own name, and the view then or
 * never. Simplification: the buckets have no validator.
 * Errors: those of `timeseriesArguments`, NamespaceExists 48. Upstream: create_collection.cpp, _createTimeseries.
 */
export function* createTimeseries(context: CommandContext): Operation<Reply> {
  const { args, member, writes } = context;
  const { ns } = args;
  const options = timeseriesArguments(args);
  checkUnsupported(args);
  if (checkCollation(args.document('collation'))) throw notSupported('a time series with a collation');
  if (args.value('validator')) throw new CommandError('InvalidOptions', 'a time series has no validator');
  const stored = bucketsOptions(options, clusteredSeconds(args, member.now.wallMs));
  yield* spend(2 * member.costs.commitMicros);
  if (isBucketsName(args.collection)) {
    if (!createdBefore(context, ns, { type: 'collection', options: stored })) writes.createCollection(ns, stored);
    return {};
  }
  if (createdBefore(context, ns, { type: 'timeseries', buckets: stored })) return {};
  const buckets = bucketsNs(ns);
  if (createdBefore(context, buckets, { type: 'collection', options: stored })) {
    defineSeries(context, ns, options);
    return {};
  }
  writes.createCollection(buckets, stored);
  if (options.metaField !== undefined && member.traits.timeseriesIndexes)
    writes.createIndex(buckets, metaAndTimeIndex(options));
  defineSeries(context, ns, options);
  return {};
}

/** As they are kept with the buckets. */
function bucketsOptions(options: TimeseriesOptions, expireAfterSeconds: number | undefined): Uint8Array {
  const writer = new BsonWriter();
  writer.bool('clusteredIndex', true);
  if (expireAfterSeconds !== undefined) writer.int64('expireAfterSeconds', expireAfterSeconds);
  writeTimeseriesOptions(writer, options);
  return writer.finish();
}

/** Since 6.3 every time series with metadata has it. Upstream: create_collection.cpp, createDefaultTimeseriesIndex. */
function metaAndTimeIndex({ timeField, metaField }: TimeseriesOptions): Uint8Array {
  const key = { meta: 1, [`control.min.${timeField}`]: 1, [`control.max.${timeField}`]: 1 };
  return encodeDocument({ v: 2, key, name: `${metaField}_1_${timeField}_1` });
}
