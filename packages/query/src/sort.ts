/**
 * Sort specifications compiled to the order of documents. An array stands for its smallest element where the key
 * ascends and for its largest where it descends. Upstream: sort_key_generator.cpp, btree_key_generator.cpp.
 */
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  findField,
  readString,
  required,
} from '@replsim/protocol';
import { doubleValue } from './arithmetic.ts';
import type { Collator } from './collation/collator.ts';
import { compareValues } from './compare.ts';
import { noTextScore, type TextScores } from './expression.ts';
import { checkFieldPath } from './fieldPath.ts';
import { extractSortValues } from './indexValues.ts';
import { MISSING, type PathSegment, parsePath, UNDEFINED } from './paths.ts';
import { fieldsOf, isNumeric, readTruncated } from './values.ts';

/** Gives documents in order in an array of its own; those whose keys are equal stay as they came. */
export type Sorter = (documents: readonly Uint8Array[]) => Uint8Array[];

/** What stands for a document in an order. */
export type SortKey = readonly BsonValue[];

/** A sort in its two halves, for those who let others have their turn meanwhile. */
export interface KeyedSort {
  keyOf(document: Uint8Array): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

/** One field of a sort; of several, the first that tells two documents apart decides. */
interface SortPart {
  readonly path: readonly PathSegment[];
  readonly direction: 1 | -1;
  /** It is by how well documents fit a search, and not by a path. */
  readonly scores?: TextScores;
}

/**
 * Compiles a sort such as `{ a: 1, 'b.c': -1 }`; an empty one changes nothing. `$natural` is the caller's.
 * Throws CommandError with upstream's location codes for a malformed one. The sorter throws BadValue 2 for a document that has
 * parallel arrays. Upstream: sort_pattern.cpp.
 * @param scores for `{ $meta: 'textScore' }`, which gives the best first; without any it is Location40218
 */
export function compileSort(sort: Uint8Array, collator?: Collator, scores?: TextScores): Sorter {
  const { keyOf, compare } = compileKeyedSort(sort, collator, scores);
  return (documents) =>
    documents
      .map((document) => ({ document, key: keyOf(document) }))
      .sort((a, b) => compare(a.key, b.key))
      .map(({ document }) => document);
}

/** Like `compileSort`; each document's key is taken once. */
export function compileKeyedSort(sort: Uint8Array, collator?: Collator, scores?: TextScores): KeyedSort {
  const parts = parseSort(sort, scores);
  return {
    keyOf: (document) => sortKey(parts, document, collator),
    compare: (a, b) => compareKeys(parts, a, b, collator),
  };
}

/** Like `compileSort`, as a comparison of two documents; it takes their keys anew each time. */
export function compileSortOrder(sort: Uint8Array, collator?: Collator): (a: Uint8Array, b: Uint8Array) => number {
  const parts = parseSort(sort);
  return (a, b) => compareKeys(parts, sortKey(parts, a, collator), sortKey(parts, b, collator), collator);
}

/** Errors: Location15974 for what is no direction, 15975 for another number, 7472500 for a path twice, those of `checkFieldPath`. */
function parseSort(sort: Uint8Array, scores?: TextScores): SortPart[] {
  const paths = new Set<string>();
  return fieldsOf(sort).map(([name, value]) => {
    if (value.type === BsonType.object) return scorePart(value, scores);
    const direction = directionOf(name, value);
    checkFieldPath(name);
    if (paths.has(name)) {
      throw new CommandError(7472500, `$sort key must not contain duplicate keys (duplicate: '${name}')`);
    }
    paths.add(name);
    return { path: parsePath(name), direction };
  });
}

/** What is behind the point does not count. */
function directionOf(name: string, value: BsonValue): 1 | -1 {
  if (!isNumeric(value.type)) {
    throw new CommandError(15974, `Illegal key in $sort specification: the direction of '${name}' is no number`);
  }
  const direction = readTruncated(value);
  if (direction === 1n) return 1;
  if (direction === -1n) return -1;
  const errmsg = `$sort key ordering must be 1 (for ascending) or -1 (for descending), unlike that of '${name}'`;
  throw new CommandError(15975, errmsg);
}

/**
 * Errors: Location17312 for what is no `$meta`, FailedToParse 9 for more beside it, Location31138 for another kind of it,
 * Location40218 where nothing is searched. Upstream: sort_pattern.cpp, parseMetaExpression.
 */
function scorePart(value: BsonValue, scores: TextScores | undefined): SortPart {
  const [meta, ...more] = fieldsOf(value.bytes, value.offset);
  if (meta?.[0] !== '$meta') {
    throw new CommandError(17312, '$meta is the only expression supported by $sort right now');
  }
  if (more.length > 0) {
    throw new CommandError('FailedToParse', 'Cannot have additional keys in a $meta sort specification');
  }
  if (meta[1].type !== BsonType.string || readString(meta[1]) !== 'textScore') {
    throw new CommandError(31138, `Illegal $meta sort: replsim orders by { $meta: 'textScore' } alone`);
  }
  if (!scores) throw noTextScore();
  return { path: [], direction: -1, scores };
}

/** What stands for the document in the order: a value for each part. */
function sortKey(parts: readonly SortPart[], document: Uint8Array, collator: Collator | undefined): BsonValue[] {
  const throughArrays: SortPart[] = [];
  const key = parts.map((part) => {
    if (part.scores) return scoreKey(part.scores, document);
    const { values, multikey } = extractSortValues(document, part.path);
    if (multikey) throughArrays.push(part);
    return values.reduce((least, value) =>
      part.direction * compareKeyValues(value, least, collator) < 0 ? value : least,
    );
  });
  // Parts that share an array take their values from the same element of it.
  return throughArrays.length > 1 ? sharedKey(parts, throughArrays, document, collator) : key;
}

function scoreKey(scores: TextScores, document: Uint8Array): BsonValue {
  const score = scores.of(document);
  return score === undefined ? MISSING : doubleValue(score);
}

function sharedKey(
  parts: readonly SortPart[],
  throughArrays: readonly SortPart[],
  document: Uint8Array,
  collator: Collator | undefined,
): BsonValue[] {
  const [first, ...others] = throughArrays.map(({ path }) => firstArray(path, document));
  const { array, depth } = required(first, 'part through an array');
  if (others.some((other) => other.array.offset !== array.offset)) {
    throw new CommandError('BadValue', 'cannot sort with keys that are parallel arrays');
  }
  const deeper = throughArrays.filter(({ path }) => path.length > depth);
  const shared = deeper.map(({ path, direction }) => ({ path: path.slice(depth), direction }));
  const alone = parts.filter((part) => !throughArrays.includes(part));
  const aloneKey = sortKey(alone, document, collator);
  const keyWith = (element: BsonValue, within: readonly BsonValue[]) =>
    parts.map((part) => aloneKey[alone.indexOf(part)] ?? within[deeper.indexOf(part)] ?? element);
  let least: BsonValue[] | undefined;
  const nothing = shared.map(() => MISSING);
  const cursor = new ElementCursor(array.bytes, array.offset);
  while (cursor.next()) {
    const inner = array.bytes.subarray(cursor.offset, cursor.offset + cursor.size);
    const key = keyWith(cursor.value(), cursor.type === BsonType.object ? sortKey(shared, inner, collator) : nothing);
    if (least === undefined || compareKeys(parts, key, least, collator) < 0) least = key;
  }
  return least ?? keyWith(UNDEFINED, nothing);
}

/** The first array on a path whose elements are taken one by one, and how many components lead to it. */
function firstArray(path: readonly PathSegment[], document: Uint8Array): { array: BsonValue; depth: number } {
  let value: BsonValue = { type: BsonType.object, bytes: document, offset: 0, size: document.length };
  for (let depth = 0; ; depth++) {
    const segment = path[depth];
    const found = segment && findField(value.bytes, segment.encoded, value.offset);
    if (value.type === BsonType.array && found === undefined) return { array: value, depth };
    value = required(found, 'array on the path of a multikey value');
  }
}

function compareKeys(parts: readonly SortPart[], a: SortKey, b: SortKey, collator: Collator | undefined): number {
  for (let i = 0; i < parts.length; i++) {
    const order = compareKeyValues(a[i]!, b[i]!, collator);
    if (order !== 0) return order * parts[i]!.direction;
  }
  return 0;
}

/** As `compareValues`, but undefined, which an empty array stands for, is below null. */
function compareKeyValues(a: BsonValue, b: BsonValue, collator: Collator | undefined): number {
  const order = compareValues(a, b, collator);
  if (order !== 0 || a.type === b.type) return order;
  return (b.type === BsonType.undefined ? 1 : 0) - (a.type === BsonType.undefined ? 1 : 0);
}
