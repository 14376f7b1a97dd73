import {
  BsonType,
  type BsonValue,
  BsonWriter,
  ElementCursor,
  encodeName,
  indexName,
  requiredField,
} from '@replsim/protocol';
import { canonicalType, compareValues } from '@replsim/query';

const V = encodeName('v');

/**
 * The lower (`sign` -1) or the upper (1) of two values. Documents are compared field by field and arrays element by
 * element, so that what comes of it need not be one of the two. Upstream: bucket_catalog/minmax.cpp.
 */
export function extremeOf(a: BsonValue, b: BsonValue, sign: -1 | 1): BsonValue {
  const isNested = a.type === b.type && (a.type === BsonType.object || a.type === BsonType.array);
  if (!isNested) return compareValues(b, a) * sign > 0 ? b : a;
  const writer = new BsonWriter(a.size + b.size);
  if (a.type === BsonType.object) writer.beginDocument('v');
  else writer.beginArray('v');
  for (const [name, value] of mergedFields(a, b, sign)) writer.rawValue(name, value);
  if (a.type === BsonType.object) writer.endDocument();
  else writer.endArray();
  return requiredField(writer.finish(), V);
}

function mergedFields(a: BsonValue, b: BsonValue, sign: -1 | 1): Map<string, BsonValue> {
  const merged = fieldsOf(a);
  for (const [name, value] of fieldsOf(b)) {
    const known = merged.get(name);
    merged.set(name, known ? extremeOf(known, value, sign) : value);
  }
  return merged;
}

/**
 * Whether a value may join others whose extreme this is: a field keeps its type within a bucket, and so does what lies
 * in it. Upstream: bucket_catalog/flat_bson.cpp, Schema::update.
 */
export function sameSchema(known: BsonValue, value: BsonValue): boolean {
  if (canonicalType(known.type) !== canonicalType(value.type)) return false;
  if (known.type !== BsonType.object && known.type !== BsonType.array) return true;
  const fields = fieldsOf(known);
  for (const [name, item] of fieldsOf(value)) {
    const other = fields.get(name);
    if (other && !sameSchema(other, item)) return false;
  }
  return true;
}

function fieldsOf({ bytes, offset, type }: BsonValue): Map<string, BsonValue> {
  const fields = new Map<string, BsonValue>();
  const cursor = new ElementCursor(bytes, offset);
  for (let i = 0; cursor.next(); i++) fields.set(type === BsonType.array ? indexName(i) : cursor.name, cursor.value());
  return fields;
}
