import { BsonType, type BsonValue, BsonWriter, ElementCursor, encodeName, findField } from '@replsim/protocol';

/** Which of a bucket's fields are what: as the view's `$_internalUnpackBucket` names them. */
export interface BucketFields {
  readonly timeField: string;
  readonly metaField?: string | undefined;
}

const DATA = encodeName('data');
const META = encodeName('meta');

/**
 * The measurements of an uncompressed bucket, in the order in which they came: time, then metadata, then the other fields in
 * the order in which the bucket first met them. Anything that is no bucket holds none.
 * Upstream: bucket_unpacker.cpp, BucketUnpackerV1::getNext.
 */
export function unpackBucket(bucket: Uint8Array, { timeField, metaField }: BucketFields): Uint8Array[] {
  const data = findField(bucket, DATA);
  const times = data && findField(data.bytes, encodeName(timeField), data.offset);
  if (data?.type !== BsonType.object || times?.type !== BsonType.object) return [];
  const meta = metaField === undefined ? undefined : findField(bucket, META);
  const columns = columnsOf(data, timeField);
  const measurements: Uint8Array[] = [];
  const writer = new BsonWriter();
  const rows = new ElementCursor(times.bytes, times.offset);
  while (rows.next()) {
    const row = rows.name;
    writer.reset();
    writer.rawValue(timeField, rows);
    if (meta) writer.rawValue(metaField!, meta);
    for (const column of columns) column.writeRow(row, writer);
    measurements.push(writer.finish());
  }
  return measurements;
}

function columnsOf(data: BsonValue, timeField: string): Column[] {
  const columns: Column[] = [];
  const fields = new ElementCursor(data.bytes, data.offset);
  while (fields.next()) {
    if (fields.name !== timeField && fields.type === BsonType.object) columns.push(new Column(fields.name, fields));
  }
  return columns;
}

/** One field's values by row, walked along with the rows; rows without the field are left out of it. */
class Column {
  readonly #field: string;
  readonly #cells: ElementCursor;
  /** The row of the cell that the cursor is at; undefined behind the last. */
  #row: string | undefined;

  constructor(field: string, { bytes, offset }: BsonValue) {
    this.#field = field;
    this.#cells = new ElementCursor(bytes, offset);
    this.#next();
  }

  writeRow(row: string, writer: BsonWriter): void {
    if (this.#row !== row) return;
    writer.rawValue(this.#field, this.#cells);
    this.#next();
  }

  #next(): void {
    this.#row = this.#cells.next() ? this.#cells.name : undefined;
  }
}
