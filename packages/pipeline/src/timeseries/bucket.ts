import { type BsonValue, BsonWriter, ElementCursor, encodeName, requiredField } from '@replsim/protocol';
import { extremeOf, sameSchema } from './extremes.ts';
import type { Measurement } from './measurement.ts';
import type { TimeseriesOptions } from './options.ts';

/** Measurements of one bucket, at most. Upstream: timeseriesBucketMaxCount. */
export const BUCKET_MAX_COUNT = 1000;
/** Bytes of one bucket, at most. Upstream: timeseriesBucketMaxSize. */
export const BUCKET_MAX_SIZE = 128_000;
/** With fewer large measurements than this a bucket goes on growing … Upstream: timeseriesBucketMinCount. */
const BUCKET_MIN_COUNT = 10;
/** … up to so many bytes. Upstream: bucket_catalog, kLargeMeasurementsMaxBucketSize. */
const LARGE_BUCKET_MAX_SIZE = 12 * 1024 * 1024;

/** Why a measurement does not go into the bucket that is open. Upstream: bucket_catalog, RolloverReason. */
export type Rollover = 'timeBackward' | 'timeForward' | 'count' | 'size' | 'schemaChange';

const CONTROL = encodeName('control');
const DATA = encodeName('data');
const MIN = encodeName('min');
const MAX = encodeName('max');

/** What a column holds: the cells that were there, as they lie, and those that are new. */
interface Column {
  readonly stored: BsonValue | undefined;
  readonly added: [row: string, value: BsonValue][];
}

/**
 * A bucket that takes measurements: an uncompressed one, of which the document has a column for each field.
 * Simplification: no bucket is ever compressed, so all are of version 1. Upstream: bucket_catalog/bucket.h.
 */
export class Bucket {
  /** 12 bytes; the first four are the second at which it begins. */
  readonly id: Uint8Array;
  /** Unit: ms since 1970. */
  readonly startMs: number;
  readonly options: TimeseriesOptions;
  readonly meta: BsonValue | undefined;
  count = 0;
  /** Of the document, roughly while measurements are being added. Unit: bytes. */
  size = 0;
  #min = new Map<string, BsonValue>();
  #max = new Map<string, BsonValue>();
  #columns = new Map<string, Column>();

  constructor(id: Uint8Array, startMs: number, options: TimeseriesOptions, meta: BsonValue | undefined) {
    this.id = id;
    this.startMs = startMs;
    this.options = options;
    this.meta = meta;
    const start = dateValue(startMs);
    this.#min.set(options.timeField, start);
  }

  /** Undefined if the measurement may go in. Its metadata are the bucket's. Upstream: determineRolloverReason. */
  rollover({ bytes, timeMs }: Measurement): Rollover | undefined {
    if (timeMs < this.startMs) return 'timeBackward';
    if (timeMs >= this.startMs + this.options.bucketMaxSpanSeconds * 1000) return 'timeForward';
    if (this.count >= BUCKET_MAX_COUNT) return 'count';
    const size = this.size + bytes.length;
    const limit = this.count < BUCKET_MIN_COUNT ? LARGE_BUCKET_MAX_SIZE : BUCKET_MAX_SIZE;
    if (this.count > 0 && size > limit) return 'size';
    return this.#fits(bytes) ? undefined : 'schemaChange';
  }

  add({ bytes }: Measurement): void {
    const row = String(this.count);
    const cursor = new ElementCursor(bytes);
    while (cursor.next()) {
      const { name } = cursor;
      if (name === this.options.metaField) continue;
      const value = cursor.value();
      const column = this.#columns.get(name);
      if (column) column.added.push([row, value]);
      else this.#columns.set(name, { stored: undefined, added: [[row, value]] });
      const min = this.#min.get(name);
      const max = this.#max.get(name);
      this.#min.set(name, min ? extremeOf(min, value, -1) : value);
      this.#max.set(name, max ? extremeOf(max, value, 1) : value);
    }
    this.count += 1;
    this.size += bytes.length;
  }

  /** The document with all that was added; from here on it stands for that. */
  write(): Uint8Array {
    const writer = new BsonWriter(this.size + 256);
    writer.objectId('_id', this.id);
    writer.beginDocument('control');
    writer.int32('version', 1);
    writeFields(writer, 'min', this.#min);
    writeFields(writer, 'max', this.#max);
    writer.endDocument();
    if (this.meta) writer.rawValue('meta', this.meta);
    writer.beginDocument('data');
    for (const [name, { stored, added }] of this.#columns) {
      writer.beginDocument(name);
      if (stored) writer.rawElements(stored.bytes, stored.offset + 4, stored.offset + stored.size - 1);
      for (const [row, value] of added) writer.rawValue(row, value);
      writer.endDocument();
    }
    writer.endDocument();
    const document = writer.finish();
    this.#settle(document);
    return document;
  }

  /** Takes the document's own bytes in place of those of the commands that the measurements came in. */
  #settle(document: Uint8Array): void {
    this.size = document.length;
    const control = requiredField(document, CONTROL);
    this.#min = fieldsAt(requiredField(document, MIN, control.offset));
    this.#max = fieldsAt(requiredField(document, MAX, control.offset));
    this.#columns = new Map();
    for (const [name, stored] of fieldsAt(requiredField(document, DATA))) {
      this.#columns.set(name, { stored, added: [] });
    }
  }

  #fits(bytes: Uint8Array): boolean {
    const { timeField, metaField } = this.options;
    const cursor = new ElementCursor(bytes);
    while (cursor.next()) {
      const { name } = cursor;
      if (name === timeField || name === metaField) continue;
      const min = this.#min.get(name);
      if (min && !(sameSchema(min, cursor) && sameSchema(this.#max.get(name)!, cursor))) return false;
    }
    return true;
  }
}

function writeFields(writer: BsonWriter, name: string, fields: ReadonlyMap<string, BsonValue>): void {
  writer.beginDocument(name);
  for (const [field, value] of fields) writer.rawValue(field, value);
  writer.endDocument();
}

function fieldsAt({ bytes, offset }: BsonValue): Map<string, BsonValue> {
  const fields = new Map<string, BsonValue>();
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) fields.set(cursor.name, cursor.value());
  return fields;
}

const V = encodeName('v');

function dateValue(ms: number): BsonValue {
  const writer = new BsonWriter(24);
  writer.date('v', ms);
  return requiredField(writer.finish(), V);
}
