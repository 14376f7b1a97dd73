import { BsonType, type BsonWriter, encodeName, requiredField, splitNamespace } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import { Fields } from '../fields/fields.ts';

export type Granularity = 'seconds' | 'minutes' | 'hours';

/** What `create` was given, with its defaults. Upstream: timeseries.idl, TimeseriesOptions. */
export interface TimeseriesOptions {
  readonly timeField: string;
  readonly metaField?: string | undefined;
  /** Absent where the two numbers were given instead. */
  readonly granularity?: Granularity | undefined;
  /** How far the first and the last measurement of a bucket may be apart; TTL waits that much longer. */
  readonly bucketMaxSpanSeconds: number;
  /** To which multiple a bucket's beginning is rounded down; absent with a granularity, which implies it. */
  readonly bucketRoundingSeconds?: number | undefined;
}

/** Upstream: timeseries_options.cpp, getMaxSpanSecondsFromGranularity, getBucketRoundingSecondsFromGranularity. */
export const GRANULARITIES: Readonly<Record<Granularity, { readonly spanSeconds: number; roundingSeconds: number }>> = {
  seconds: { spanSeconds: 3600, roundingSeconds: 60 },
  minutes: { spanSeconds: 86_400, roundingSeconds: 3600 },
  hours: { spanSeconds: 2_592_000, roundingSeconds: 86_400 },
};

/** A time-series collection: its buckets, and how they are to be read. */
export interface TimeseriesCollection {
  readonly buckets: CollectionView;
  readonly options: TimeseriesOptions;
}

const BUCKETS = 'system.buckets.';
const ID = encodeName('_id');

/** `db.system.buckets.c` for `db.c`. */
export function bucketsNs(ns: string): string {
  const [db, collection] = splitNamespace(ns);
  return `${db}.${BUCKETS}${collection}`;
}

/** Whether this is the name of a collection of buckets. */
export function isBucketsName(collection: string): boolean {
  return collection.startsWith(BUCKETS);
}

/** The time-series collection that goes by this name; undefined for any other collection, its buckets themselves too. */
export function timeseriesCollection(view: ReadView, ns: string): TimeseriesCollection | undefined {
  const buckets = view.collection(bucketsNs(ns));
  const options = buckets && timeseriesOptions(buckets);
  return options && { buckets, options };
}

/** The options of a collection of buckets; undefined for any other. */
export function timeseriesOptions({ options }: Pick<CollectionView, 'options'>): TimeseriesOptions | undefined {
  if (options.length === 5) return undefined;
  const stored = new Fields(options, 'options').document('timeseries');
  if (!stored) return undefined;
  const fields = new Fields(stored, 'timeseries');
  return {
    timeField: fields.requiredString('timeField'),
    metaField: fields.string('metaField'),
    granularity: fields.string('granularity') as Granularity | undefined,
    bucketMaxSpanSeconds: fields.number('bucketMaxSpanSeconds')!,
    bucketRoundingSeconds: fields.number('bucketRoundingSeconds'),
  };
}

/** As `listCollections` shows them. */
export function writeTimeseriesOptions(writer: BsonWriter, options: TimeseriesOptions): void {
  writer.beginDocument('timeseries');
  writer.string('timeField', options.timeField);
  if (options.metaField !== undefined) writer.string('metaField', options.metaField);
  if (options.granularity !== undefined) writer.string('granularity', options.granularity);
  writer.int32('bucketMaxSpanSeconds', options.bucketMaxSpanSeconds);
  if (options.bucketRoundingSeconds !== undefined) {
    writer.int32('bucketRoundingSeconds', options.bucketRoundingSeconds);
  }
  writer.endDocument();
}

/** Unit: seconds. */
export function roundingSecondsOf({ granularity, bucketRoundingSeconds }: TimeseriesOptions): number {
  return bucketRoundingSeconds ?? GRANULARITIES[granularity ?? 'seconds'].roundingSeconds;
}

/**
 * Where a bucket begins whose first measurement is of this time. Before 1970 too it is rounded to the earlier side.
 * Unit: ms. Upstream: timeseries_options.cpp, roundTimestampToGranularity.
 */
export function bucketStartMs(timeMs: number, options: TimeseriesOptions): number {
  const roundingMs = roundingSecondsOf(options) * 1000;
  return Math.floor(timeMs / roundingMs) * roundingMs;
}

const SIGN_BIT = 2 ** 31;

/** The first four bytes of an ObjectId, unsigned: when a bucket began, if that was between 1970 and 2038. */
export function objectIdSecs({ bytes, offset }: { readonly bytes: Uint8Array; readonly offset: number }): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset);
}

/**
 * Whether any bucket began outside of 1970 to 2038, which its `_id` shows: it sorts behind all others. Simplification: a
 * mongod remembers it until it is restarted, even if the bucket is gone; and a bucket that began in time and ends too late
 * does not count. Upstream: collection_impl.cpp, getRequiresTimeseriesExtendedRangeSupport.
 */
export function hasExtendedRange(buckets: CollectionView): boolean {
  const newest = buckets.records({ reverse: true });
  if (!newest.next()) return false;
  const id = requiredField(newest.document.bytes, ID);
  return id.type === BsonType.objectId && objectIdSecs(id) >= SIGN_BIT;
}
