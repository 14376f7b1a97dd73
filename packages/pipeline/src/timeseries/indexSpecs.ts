import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  readString,
  requiredField,
  type VersionTraits,
} from '@replsim/protocol';
import { describeDocument, type IndexSpec, parseIndexSpec } from '@replsim/storage';
import { numberOf } from '../fields/values.ts';
import { bucketFilter, isMetaFilter, placeOf, renamedMetaFilter } from './bucketFilter.ts';
import type { TimeseriesOptions } from './options.ts';
import type { BucketFields } from './unpack.ts';

/** Where an index on buckets keeps the spec that it was made of, if that cannot be told from it. */
const ORIGINAL_SPEC = 'originalSpec';
const MIN = 'control.min.';
const MAX = 'control.max.';

const KEY = encodeName('key');
const ORIGINAL = encodeName(ORIGINAL_SPEC);

/**
 * The index on buckets that serves an index on a time series: the time and measurements by the least and the greatest of a
 * bucket, metadata as `meta`; a TTL index by the least time alone.
 * Errors: CannotCreateIndex 67 for keys that buckets cannot have; InvalidOptions 72 for unique and text indexes, sparse
 * ones on measurements, and TTL on anything but the time with a partial filter on the metadata, or at all before 6.3.
 * Upstream: timeseries_commands_conversion_helper.cpp, translateIndexSpecFromLogicalToBuckets.
 */
export function bucketsIndexSpec(spec: IndexSpec, options: TimeseriesOptions, traits: VersionTraits): IndexSpec {
  if (spec.name === '_id_') throw noIdIndex();
  if (spec.kind === 'text') throw invalid('no index of a time series is a text index');
  const key = bucketsKey(spec, options);
  checkOptions(spec, options);
  const { partialFilter, expireAfterSeconds } = spec;
  const onMetadata = partialFilter !== undefined && isMetaFilter(partialFilter, options);
  if (expireAfterSeconds && !traits.timeseriesIndexes)
    throw invalid('TTL indexes are not supported on time-series collections');
  if (expireAfterSeconds) checkTtl(spec, options, onMetadata);
  const writer = new BsonWriter(2 * spec.bytes.length + 64);
  const fields = new ElementCursor(spec.bytes);
  while (fields.next()) {
    if (fields.name === 'key') writer.rawDocument('key', expireAfterSeconds ? ttlKey(spec, options) : key);
    else if (fields.name === 'partialFilterExpression') {
      const filter = onMetadata ? renamedMetaFilter(partialFilter, options) : bucketFilter(partialFilter!, options);
      writer.rawDocument(fields.name, filter);
    } else writer.rawValue(fields.name, fields);
  }
  const keepsOriginal = partialFilter !== undefined || spec.parts.some(({ path }) => isMeasurement(path, options));
  if (keepsOriginal) writer.rawDocument(ORIGINAL_SPEC, spec.bytes);
  return parseIndexSpec(writer.finish());
}

/** An index on buckets as one on the time series; undefined for one that somebody has made on the buckets themselves. */
export function seriesIndexSpec({ bytes }: IndexSpec, options: TimeseriesOptions): IndexSpec | undefined {
  const original = findField(bytes, ORIGINAL);
  if (original) return parseIndexSpec(withChanges(bytes, original));
  const key = seriesKey(requiredField(bytes, KEY), options);
  if (!key) return undefined;
  const writer = new BsonWriter(bytes.length);
  const fields = new ElementCursor(bytes);
  while (fields.next()) {
    if (fields.name === 'key') writer.rawDocument('key', key);
    else writer.rawValue(fields.name, fields);
  }
  return parseIndexSpec(writer.finish());
}

/** The key of buckets for a key of the series, such as a hint; undefined if no bucket could have it. */
export function bucketsKeyOf(key: BsonValue, options: BucketFields): Uint8Array | undefined {
  const writer = new BsonWriter();
  const fields = new ElementCursor(key.bytes, key.offset);
  while (fields.next()) {
    if (!writeKeyField(writer, fields, options)) return undefined;
  }
  return writer.finish();
}

function bucketsKey({ keyPattern, parts }: IndexSpec, options: TimeseriesOptions): Uint8Array {
  const key = bucketsKeyOf({ type: BsonType.object, bytes: keyPattern, offset: 0, size: keyPattern.length }, options);
  if (key) return key;
  const wrong = parts.map(({ path }) => `'${path}'`).join(', ');
  throw new CommandError(
    'CannotCreateIndex',
    `a time series cannot have this index: ${describeDocument(keyPattern)}; time and measurements go up or down in it, by their names: ${wrong}`,
  );
}

/** False for a kind of index that a field cannot have. */
function writeKeyField(writer: BsonWriter, field: ElementCursor, options: BucketFields): boolean {
  const { name } = field;
  const place = placeOf(name, options);
  if (place.kind === 'meta') {
    writer.rawValue(place.path, field);
    return true;
  }
  if (name === '$**' || name.endsWith('.$**')) return false;
  if (field.type === BsonType.string) {
    if (place.kind === 'time' || readString(field) !== '2dsphere') return false;
    writer.string(`data.${name}`, '2dsphere_bucket');
    return true;
  }
  const [first, second] = numberOf(field) < 0 ? [MAX, MIN] : [MIN, MAX];
  writer.rawValue(`${first}${name}`, field);
  writer.rawValue(`${second}${name}`, field);
  return true;
}

function checkOptions(spec: IndexSpec, options: TimeseriesOptions): void {
  if (spec.unique) throw invalid('Unique indexes are not supported on time-series collections');
  if (spec.sparse && spec.parts.some(({ path }) => isMeasurement(path, options))) {
    throw invalid('no index on measurements is sparse');
  }
}

function checkTtl({ parts }: IndexSpec, { timeField }: TimeseriesOptions, onMetadata: boolean): void {
  if (!onMetadata) {
    throw invalid('a TTL index of a time series needs a partialFilterExpression on the metaField');
  }
  if (parts[0]?.path !== timeField) {
    throw invalid('a TTL index of a time series is on its timeField');
  }
}

function ttlKey({ keyPattern }: IndexSpec, { timeField }: TimeseriesOptions): Uint8Array {
  const writer = new BsonWriter();
  const field = new ElementCursor(keyPattern);
  field.next();
  writer.rawValue(`${MIN}${timeField}`, field);
  return writer.finish();
}

/** The original spec, with what collMod may have changed since. */
function withChanges(bytes: Uint8Array, original: BsonValue): Uint8Array {
  const writer = new BsonWriter(bytes.length);
  const changing = ['hidden', 'expireAfterSeconds'];
  const fields = new ElementCursor(original.bytes, original.offset);
  while (fields.next()) if (!changing.includes(fields.name)) writer.rawValue(fields.name, fields);
  for (const name of changing) {
    const value = findField(bytes, encodeName(name));
    if (value) writer.rawValue(name, value);
  }
  return writer.finish();
}

/** Pairs of least and greatest become one field again; the time may stand alone. */
function seriesKey({ bytes, offset }: BsonValue, options: TimeseriesOptions): Uint8Array | undefined {
  const writer = new BsonWriter();
  const fields = new ElementCursor(bytes, offset);
  let pending: string | undefined;
  while (fields.next()) {
    const { name } = fields;
    if (options.metaField !== undefined && (name === 'meta' || name.startsWith('meta.'))) {
      writer.rawValue(`${options.metaField}${name.slice('meta'.length)}`, fields);
      continue;
    }
    if (!name.startsWith(MIN) && !name.startsWith(MAX)) return undefined;
    const field = name.slice(MIN.length);
    if (pending === field) pending = undefined;
    else {
      writer.rawValue(field, fields);
      pending = field;
    }
  }
  return writer.finish();
}

function isMeasurement(path: string, options: TimeseriesOptions): boolean {
  return placeOf(path, options).kind === 'measurement';
}

function noIdIndex(): CommandError {
  return new CommandError('CannotCreateIndex', 'buckets are clustered by _id, and the _id of measurements is a field');
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
