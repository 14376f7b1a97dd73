/** What an index sees of a document. Upstream: btree_key_generator.cpp. */
import { BsonType, type BsonValue, CommandError, ElementCursor, findField } from '@replsim/protocol';
import { fieldOffset, MISSING, type PathSegment, parsePath, UNDEFINED } from './paths.ts';

/** What one field of an index sees of a document. */
export interface IndexValues {
  /** One for each key, in the order of the document, duplicates kept. */
  readonly values: BsonValue[];
  /** True if an array lay on the path, even an empty one or one with a single element. */
  readonly multikey: boolean;
}

/**
 * What an index on `path` holds of a document: the elements of an array at its end, what the documents of an array on
 * the way hold, `MISSING` where there is nothing, `UNDEFINED` for an empty array at the end of the path.
 * Throws CommandError 16746 where a numeric component is ambiguous: an index into an array whose documents hold such a field.
 * Simplification: upstream's keys, like its sorts, have an array within an array as it is; ours give what a filter finds.
 */
export function extractIndexValues(bytes: Uint8Array, path: string | readonly PathSegment[]): IndexValues {
  return valuesAlong(bytes, path, true);
}

/** The same, as a sort sees a document: an array that is an element of an array counts as it is, unless it is empty. */
export function extractSortValues(bytes: Uint8Array, path: readonly PathSegment[]): IndexValues {
  return valuesAlong(bytes, path, false);
}

function valuesAlong(bytes: Uint8Array, path: string | readonly PathSegment[], opensElements: boolean): IndexValues {
  const keys: MutableIndexValues = { values: [], multikey: false, opensElements };
  indexDocument(typeof path === 'string' ? parsePath(path) : path, 0, bytes, 0, keys);
  return keys;
}

interface MutableIndexValues {
  values: BsonValue[];
  multikey: boolean;
  /** Whether an array counts by its elements where a number leads to it, as elsewhere. */
  readonly opensElements: boolean;
}

const EMPTY_ARRAY_SIZE = 5;

function indexDocument(
  path: readonly PathSegment[],
  depth: number,
  bytes: Uint8Array,
  start: number,
  keys: MutableIndexValues,
): void {
  indexValue(path, depth + 1, findField(bytes, path[depth]!.encoded, start), keys, true);
}

function indexValue(
  path: readonly PathSegment[],
  depth: number,
  value: BsonValue | undefined,
  keys: MutableIndexValues,
  opensLeaf: boolean,
): void {
  if (value === undefined) keys.values.push(MISSING);
  else if (depth === path.length) {
    if (value.type === BsonType.array && opensLeaf) indexLeafArray(value, keys);
    else keys.values.push(value);
  } else if (value.type === BsonType.object) indexDocument(path, depth, value.bytes, value.offset, keys);
  else if (value.type === BsonType.array) indexInnerArray(path, depth, value, keys);
  else keys.values.push(MISSING);
}

function indexLeafArray(array: BsonValue, keys: MutableIndexValues): void {
  keys.multikey = true;
  const cursor = new ElementCursor(array.bytes, array.offset);
  const before = keys.values.length;
  while (cursor.next()) keys.values.push(cursor.value());
  if (keys.values.length === before) keys.values.push(UNDEFINED);
}

function indexInnerArray(
  path: readonly PathSegment[],
  depth: number,
  array: BsonValue,
  keys: MutableIndexValues,
): void {
  const { index, encoded, name } = path[depth]!;
  const indexed = index === undefined ? undefined : findField(array.bytes, encoded, array.offset);
  const cursor = new ElementCursor(array.bytes, array.offset);
  if (indexed !== undefined) {
    while (cursor.next()) {
      if (cursor.type === BsonType.object && fieldOffset(array.bytes, encoded, cursor.offset) >= 0) {
        const hint = 'do not use numeric field names in embedded elements in an array';
        throw new CommandError(16746, `Ambiguous field name found in array (${hint}), field: '${name}'`);
      }
    }
    indexValue(path, depth + 1, indexed, keys, keys.opensElements || indexed.size === EMPTY_ARRAY_SIZE);
    return;
  }
  keys.multikey = true;
  const before = keys.values.length;
  let sawScalar = false;
  while (cursor.next()) {
    if (cursor.type === BsonType.object) indexDocument(path, depth, array.bytes, cursor.offset, keys);
    else sawScalar = true;
  }
  // Scalars inside the array, like an empty array, hold no such field: together they make one null key.
  if (sawScalar || keys.values.length === before) keys.values.push(MISSING);
}
