import {
  bucketsNs,
  splitNs,
  type TimeseriesOptions,
  timeseriesCollection,
  viewRecord,
  viewsNs,
} from '@replsim/pipeline';
import { encodeDocument } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';

/** Makes the view by which a time series is read. Upstream: create_collection.cpp, _createTimeseries. */
export function defineSeries({ writes }: CommandContext, ns: string, options: TimeseriesOptions): void {
  writes.insert(viewsNs(splitNs(ns)[0]), [definition(ns, options)]);
}

/** Puts the view right after the options of the time series have changed. Upstream: coll_mod.cpp, _setViewDefinition. */
export function redefineSeries({ data, writes }: CommandContext, ns: string): void {
  const record = viewRecord(data, ns);
  const series = timeseriesCollection(data, ns);
  if (record && series) writes.update(record.views, record.recordId, definition(ns, series.options), undefined);
}

/** Upstream: timeseries_options.cpp, generateViewPipeline. */
function definition(ns: string, { timeField, metaField, bucketMaxSpanSeconds }: TimeseriesOptions): StoredDocument {
  const unpack = { timeField, ...(metaField !== undefined && { metaField }), bucketMaxSpanSeconds };
  const viewOn = splitNs(bucketsNs(ns))[1];
  return new StoredDocument(encodeDocument({ _id: ns, viewOn, pipeline: [{ $_internalUnpackBucket: unpack }] }));
}
