import { BsonType, type BsonValue, BsonWriter, ElementCursor } from '@replsim/protocol';
import type { BucketFields } from './unpack.ts';

/** What a field of a measurement is in its bucket. */
export type FieldPlace = { readonly kind: 'meta'; readonly path: string } | { readonly kind: 'time' | 'measurement' };

/** Where a bucket keeps a measurement's field: metadata under `meta`, once for all. */
export function placeOf(path: string, { timeField, metaField }: BucketFields): FieldPlace {
  if (path === timeField) return { kind: 'time' };
  if (metaField !== undefined && path === metaField) return { kind: 'meta', path: 'meta' };
  if (metaField !== undefined && path.startsWith(`${metaField}.`)) {
    return { kind: 'meta', path: `meta${path.slice(metaField.length)}` };
  }
  return { kind: 'measurement' };
}

/**
 * A filter on buckets that no bucket with a matching measurement fails: the conditions on metadata as they are, those on
 * the time against the bucket's first and last. What says nothing of a whole bucket is left out, so the measurements still
 * have to be matched. Upstream: bucket_spec.cpp, BucketSpec::pushdownPredicate.
 */
export function bucketFilter(filter: Uint8Array, options: BucketFields): Uint8Array {
  const writer = new BsonWriter(filter.length + 64);
  const clauses = clausesOf(filter, 0, options);
  if (clauses.length > 0) writeArray(writer, '$and', clauses);
  return writer.finish();
}

/** Whether a filter is about metadata alone, so that it holds for all measurements of a bucket or for none. */
export function isMetaFilter(filter: Uint8Array, options: BucketFields, start = 0): boolean {
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    if (isLogical(cursor)) {
      const branches = new ElementCursor(filter, cursor.offset);
      while (branches.next()) if (!isMetaFilter(filter, options, branches.offset)) return false;
    } else if (!isOfMetadata(cursor.name, options)) return false;
  }
  return true;
}

/** A comment says nothing of anything. */
function isOfMetadata(name: string, options: BucketFields): boolean {
  return name === '$comment' || (!name.startsWith('$') && placeOf(name, options).kind === 'meta');
}

/** A filter on metadata alone as the buckets have it. @see isMetaFilter */
export function renamedMetaFilter(filter: Uint8Array, options: BucketFields, start = 0): Uint8Array {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    if (isLogical(cursor)) {
      const branches: Uint8Array[] = [];
      const each = new ElementCursor(filter, cursor.offset);
      while (each.next()) branches.push(renamedMetaFilter(filter, options, each.offset));
      writeArray(writer, cursor.name, branches);
    } else {
      const place = placeOf(cursor.name, options);
      writer.rawValue(place.kind === 'meta' ? place.path : cursor.name, cursor);
    }
  }
  return writer.finish();
}

function clausesOf(filter: Uint8Array, start: number, options: BucketFields): Uint8Array[] {
  const clauses: Uint8Array[] = [];
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '$and' && cursor.type === BsonType.array) {
      const branches = new ElementCursor(filter, cursor.offset);
      while (branches.next()) for (const each of clausesOf(filter, branches.offset, options)) clauses.push(each);
    } else if (name === '$or' && cursor.type === BsonType.array) {
      const either = eitherOf(filter, cursor.offset, options);
      if (either) clauses.push(either);
    } else if (!name.startsWith('$')) {
      const place = placeOf(name, options);
      if (place.kind === 'meta') clauses.push(clause(place.path, cursor));
      else if (place.kind === 'time')
        for (const each of timeClauses(cursor.value(), options.timeField)) clauses.push(each);
    }
  }
  return clauses;
}

/** Undefined if one branch says nothing of buckets. */
function eitherOf(filter: Uint8Array, start: number, options: BucketFields): Uint8Array | undefined {
  const branches: Uint8Array[] = [];
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const clauses = clausesOf(filter, cursor.offset, options);
    if (clauses.length === 0) return undefined;
    const writer = new BsonWriter();
    writeArray(writer, '$and', clauses);
    branches.push(writer.finish());
  }
  if (branches.length === 0) return undefined;
  const writer = new BsonWriter();
  writeArray(writer, '$or', branches);
  return writer.finish();
}

function timeClauses(condition: BsonValue, timeField: string): Uint8Array[] {
  if (condition.type === BsonType.date) return timeClause('$eq', condition, timeField);
  if (condition.type !== BsonType.object) return [];
  const clauses: Uint8Array[] = [];
  const operators = new ElementCursor(condition.bytes, condition.offset);
  while (operators.next()) {
    if (operators.type === BsonType.date) clauses.push(...timeClause(operators.name, operators, timeField));
  }
  return clauses;
}

function timeClause(operator: string, date: BsonValue, timeField: string): Uint8Array[] {
  const first = `control.min.${timeField}`;
  const last = `control.max.${timeField}`;
  switch (operator) {
    case '$gt':
    case '$gte':
      return [bound(last, operator, date)];
    case '$lt':
    case '$lte':
      return [bound(first, operator, date)];
    case '$eq':
      return [bound(first, '$lte', date), bound(last, '$gte', date)];
    default:
      return [];
  }
}

function bound(path: string, operator: string, date: BsonValue): Uint8Array {
  const writer = new BsonWriter();
  writer.beginDocument(path);
  writer.rawValue(operator, date);
  writer.endDocument();
  return writer.finish();
}

function clause(path: string, value: BsonValue): Uint8Array {
  const writer = new BsonWriter();
  writer.rawValue(path, value);
  return writer.finish();
}

function writeArray(writer: BsonWriter, name: string, documents: readonly Uint8Array[]): void {
  writer.beginArray(name);
  for (const [i, document] of documents.entries()) writer.rawDocument(String(i), document);
  writer.endArray();
}

function isLogical({ name, type }: ElementCursor): boolean {
  return (name === '$and' || name === '$or' || name === '$nor') && type === BsonType.array;
}
