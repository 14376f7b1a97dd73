import { BSON, type Document } from 'mongodb';

// What the driver hands over, as values that can be compared: documents, arrays, and the rest as one.

/** Whether a value is a document: no BSON type, date, pattern or bytes. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('_bsontype' in value || value instanceof Date || value instanceof RegExp || value instanceof Uint8Array);
}

/**
 * A copy whose documents and arrays are its own: the driver goes on to change commands that it has told of. Maps, which it uses
 * where the order of fields counts, become documents.
 */
export function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (value instanceof Map) return copied(Object.fromEntries(value));
  if (!isDocument(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copied(each)]));
}

/** A number of any BSON type but Decimal128; undefined for what is none. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || value instanceof BSON.Long) return Number(value);
  return value instanceof BSON.Int32 || value instanceof BSON.Double ? value.valueOf() : undefined;
}

/** The names that `$$type` knows a value by. The driver gives every small integer as a number, whatever its BSON type was. */
export function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['int', 'long', 'double'] : ['double'];
  if (Array.isArray(value)) return ['array'];
  if (value instanceof Date) return ['date'];
  if (value instanceof RegExp) return ['regex'];
  if (value instanceof Uint8Array) return ['binData'];
  const known = BSON_TYPES[(value as { _bsontype?: string })?._bsontype ?? typeof value];
  if (known !== undefined) return [known];
  return isDocument(value) ? ['object'] : [];
}

const BSON_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  bigint: 'long',
  Int32: 'int',
  Long: 'long',
  Double: 'double',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  Timestamp: 'timestamp',
  Binary: 'binData',
  BSONRegExp: 'regex',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
};

/** Equal as BSON: numbers by what they are worth, all else by type and value. */
export function isSameScalar(a: unknown, b: unknown): boolean {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x === y || (Number.isNaN(x) && Number.isNaN(y));
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  return canonical(a) === canonical(b);
}

const canonical = (value: unknown) => BSON.EJSON.stringify({ value }, { relaxed: false });
