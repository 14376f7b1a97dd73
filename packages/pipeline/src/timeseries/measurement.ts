import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  indexName,
  readInt64AsNumber,
  requiredField,
  toHex,
} from '@replsim/protocol';
import type { TimeseriesOptions } from './options.ts';

/** A document on its way into a bucket. */
export interface Measurement {
  readonly bytes: Uint8Array;
  readonly timeMs: number;
  /** With the fields of documents in the order of their names; undefined without metadata. */
  readonly meta: BsonValue | undefined;
  /** Equal for equal metadata: what is of one kind shares buckets. */
  readonly metaKey: string;
}

const V = encodeName('v');

/**
 * Reads from a document what decides about its bucket. Throws BadValue 2 without a Date in the time field.
 * Upstream: bucket_catalog.cpp, extractTimeAndMeta.
 */
export function readMeasurement(bytes: Uint8Array, { timeField, metaField }: TimeseriesOptions): Measurement {
  const time = findField(bytes, encodeName(timeField));
  if (time?.type !== BsonType.date) {
    throw new CommandError('BadValue', `'${timeField}' must be present and contain a valid BSON UTC datetime value`);
  }
  const found = metaField === undefined ? undefined : findField(bytes, encodeName(metaField));
  const meta = found && normalized(found);
  return {
    bytes,
    timeMs: readInt64AsNumber(time.bytes, time.offset),
    meta,
    metaKey: meta ? `${meta.type}:${toHex(meta.bytes.subarray(meta.offset, meta.offset + meta.size))}` : '',
  };
}

/** The order of a metadata document's fields is of no account. Upstream: bucket_catalog/metadata.cpp, normalize. */
function normalized(meta: BsonValue): BsonValue {
  const writer = new BsonWriter(meta.size + 32);
  writeNormalized('v', meta, writer);
  return requiredField(writer.finish(), V);
}

function writeNormalized(name: string, value: BsonValue, writer: BsonWriter): void {
  if (value.type !== BsonType.object && value.type !== BsonType.array) return writer.rawValue(name, value);
  const fields: [string, BsonValue][] = [];
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) fields.push([cursor.name, cursor.value()]);
  if (value.type === BsonType.array) {
    writer.beginArray(name);
    for (const [i, [, item]] of fields.entries()) writeNormalized(indexName(i), item, writer);
    return writer.endArray();
  }
  writer.beginDocument(name);
  for (const [field, item] of fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    writeNormalized(field, item, writer);
  }
  writer.endDocument();
}
