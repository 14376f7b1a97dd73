/** Dotted paths over BSON bytes: how MQL reaches values through documents and arrays. Upstream: path.cpp, BSONElementIterator. */
import { BsonType, type BsonValue, cStringEnd, encodeName, findField, readInt32, valueSize } from '@replsim/protocol';
import { MISSING_TYPE } from './compare.ts';

/** A test of one value; `type` is 0 for a missing one, whose offset means nothing. */
export type ValueTest = (type: number, bytes: Uint8Array, offset: number) => boolean;

/** One component of a path, with its bytes ready for the search. */
export interface PathSegment {
  readonly name: string;
  readonly encoded: Uint8Array;
  /** The array index that it may stand for: digits without a leading zero. */
  readonly index: number | undefined;
}

const noBytes = new Uint8Array(0);
/** What stands for a value that is not there; it reads as null. Compare with `===` to tell it from a stored null. */
export const MISSING: BsonValue = Object.freeze({ type: BsonType.null, bytes: noBytes, offset: 0, size: 0 });
/** What an index holds for an empty array: below null in upstream's key order. */
export const UNDEFINED: BsonValue = Object.freeze({ type: BsonType.undefined, bytes: noBytes, offset: 0, size: 0 });

/** Splits a dotted path. An empty component is allowed, as it is in mongod's filters. */
export function parsePath(path: string): PathSegment[] {
  return path.split('.').map((name) => ({
    name,
    encoded: encodeName(name),
    index: /^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : undefined,
  }));
}

/**
 * The offset of the value of the first field called `name` in the document at `start`, or -1.
 * Its type byte lies at `offset - name.length - 2`.
 */
export function fieldOffset(bytes: Uint8Array, name: Uint8Array, start: number): number {
  let position = start + 4;
  const end = start + readInt32(bytes, start) - 1;
  const { length } = name;
  while (position < end) {
    const nameStart = position + 1;
    let i = 0;
    while (i < length && bytes[nameStart + i] === name[i]) i++;
    if (i === length && bytes[nameStart + i] === 0) return nameStart + i + 1;
    let at = nameStart + i;
    while (bytes[at] !== 0) at++;
    position = at + 1 + valueSize(bytes[position]!, bytes, at + 1);
  }
  return -1;
}

/**
 * Tests the values that `path` reaches, as a filter sees them, until one passes.
 * An array at the end of the path offers its elements and then itself (itself only, unless `intoLeafArrays`); an array
 * on the way offers what its documents hold, and its element at a numeric component. A field that is not there offers
 * `type` 0; a scalar inside an array on the way offers nothing.
 */
export function anyAtPath(
  path: readonly PathSegment[],
  bytes: Uint8Array,
  start: number,
  test: ValueTest,
  intoLeafArrays: boolean,
): boolean {
  return anyInDocument(path, 0, bytes, start, test, intoLeafArrays);
}

function anyInDocument(
  path: readonly PathSegment[],
  depth: number,
  bytes: Uint8Array,
  start: number,
  test: ValueTest,
  intoLeafArrays: boolean,
): boolean {
  const { encoded } = path[depth]!;
  const offset = fieldOffset(bytes, encoded, start);
  if (offset < 0) return test(MISSING_TYPE, bytes, 0);
  const type = bytes[offset - encoded.length - 2]!;
  if (depth + 1 === path.length) {
    if (type === BsonType.array && intoLeafArrays && anyElement(bytes, offset, test)) return true;
    return test(type, bytes, offset);
  }
  if (type === BsonType.object) return anyInDocument(path, depth + 1, bytes, offset, test, intoLeafArrays);
  if (type === BsonType.array) return anyInArray(path, depth + 1, bytes, offset, test, intoLeafArrays);
  return test(MISSING_TYPE, bytes, 0);
}

/** Tests the elements of the array at `start` until one passes. */
export function anyElement(bytes: Uint8Array, start: number, test: ValueTest): boolean {
  let position = start + 4;
  const end = start + readInt32(bytes, start) - 1;
  while (position < end) {
    const type = bytes[position]!;
    const offset = cStringEnd(bytes, position + 1) + 1;
    if (test(type, bytes, offset)) return true;
    position = offset + valueSize(type, bytes, offset);
  }
  return false;
}

function anyInArray(
  path: readonly PathSegment[],
  depth: number,
  bytes: Uint8Array,
  start: number,
  test: ValueTest,
  intoLeafArrays: boolean,
): boolean {
  const { index } = path[depth]!;
  const isLast = depth + 1 === path.length;
  let position = start + 4;
  const end = start + readInt32(bytes, start) - 1;
  for (let i = 0; position < end; i++) {
    const type = bytes[position]!;
    const offset = cStringEnd(bytes, position + 1) + 1;
    const isDocument = type === BsonType.object;
    if (isDocument && anyInDocument(path, depth, bytes, offset, test, intoLeafArrays)) return true;
    if (i === index) {
      // Upstream looks at the element itself here, and not into it should it be an array.
      if (isLast) {
        if (test(type, bytes, offset)) return true;
      } else if (isDocument) {
        if (anyInDocument(path, depth + 1, bytes, offset, test, intoLeafArrays)) return true;
      } else if (type === BsonType.array) {
        if (anyInArray(path, depth + 1, bytes, offset, test, intoLeafArrays)) return true;
      }
    }
    position = offset + valueSize(type, bytes, offset);
  }
  return false;
}

/**
 * Every value that a filter on `path` would look at, in its order; a missing one is `MISSING`.
 * @param intoLeafArrays whether an array at the end of the path offers its elements before itself, as for most operators
 */
export function valuesAtPath(
  bytes: Uint8Array,
  path: string | readonly PathSegment[],
  intoLeafArrays = true,
): BsonValue[] {
  const values: BsonValue[] = [];
  const segments = typeof path === 'string' ? parsePath(path) : path;
  const collect: ValueTest = (type, at, offset) => {
    values.push(type === MISSING_TYPE ? MISSING : { type, bytes: at, offset, size: valueSize(type, at, offset) });
    return false;
  };
  anyAtPath(segments, bytes, 0, collect, intoLeafArrays);
  return values;
}

/**
 * What `path` reaches as joins read it: the elements of an array at its end, or what is there; what the documents of an array on the way hold,
 * or at a numeric component the element alone. What is missing, and an empty array, offer nothing. Upstream: document_path_support.cpp,
 * visitAllValuesAtPath.
 */
export function presentAtPath(bytes: Uint8Array, path: string | readonly PathSegment[]): BsonValue[] {
  const found: BsonValue[] = [];
  presentInDocument(typeof path === 'string' ? parsePath(path) : path, 0, bytes, 0, found);
  return found;
}

function presentInDocument(
  path: readonly PathSegment[],
  depth: number,
  bytes: Uint8Array,
  start: number,
  found: BsonValue[],
): void {
  let value = findField(bytes, path[depth]!.encoded, start);
  let next = depth + 1;
  for (; next < path.length && value?.type === BsonType.array && path[next]!.index !== undefined; next++)
    value = findField(value.bytes, path[next]!.encoded, value.offset);
  if (value === undefined) return;
  if (next === path.length && value.type !== BsonType.array) found.push(value);
  else if (next < path.length && value.type === BsonType.object)
    presentInDocument(path, next, value.bytes, value.offset, found);
  else if (value.type === BsonType.array)
    anyElement(value.bytes, value.offset, (type, at, offset) => {
      if (next === path.length) found.push({ type, bytes: at, offset, size: valueSize(type, at, offset) });
      else if (type === BsonType.object) presentInDocument(path, next, at, offset, found);
      return false;
    });
}

/** The value at `path` going through documents only (an array's element by its index counts); undefined if there is none. */
export function valueAtPath(
  bytes: Uint8Array,
  path: string | readonly PathSegment[],
  start = 0,
): BsonValue | undefined {
  let at = start;
  let found: BsonValue | undefined;
  for (const { encoded } of typeof path === 'string' ? parsePath(path) : path) {
    if (found !== undefined && found.type !== BsonType.object && found.type !== BsonType.array) return undefined;
    found = findField(bytes, encoded, at);
    if (found === undefined) return undefined;
    at = found.offset;
  }
  return found;
}
