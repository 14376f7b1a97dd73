/** The values of several paths side by side, as a compound index takes them. Upstream: btree_key_generator.cpp, _getKeysWithArray. */
import { BsonType, type BsonValue, CommandError, ElementCursor, findField } from '@replsim/protocol';
import { MISSING, type PathSegment, UNDEFINED } from '@replsim/query';

/** How far one path has been followed. */
interface Place {
  readonly path: readonly PathSegment[];
  /** Where we are; its next component is `path[depth]`. */
  readonly value: BsonValue;
  readonly depth: number;
}

/**
 * One row for each key. Paths that go through the same array take its elements together; only one array may be met that
 * way, or CommandError 171 (CannotIndexParallelArrays) is thrown.
 * Simplification: a numeric component that an array has an element for always means this element.
 */
export function compoundRows(
  bytes: Uint8Array,
  paths: readonly (readonly PathSegment[])[],
): { rows: BsonValue[][]; multikey: boolean } {
  const root = { type: BsonType.object, bytes, offset: 0, size: bytes.length };
  const rows: BsonValue[][] = [];
  const multikey = expand(
    paths.map((path) => advance({ path, value: root, depth: 0 })),
    rows,
  );
  return { rows, multikey };
}

/** Goes on to the end of the path, or to the first array whose elements have to be taken one by one. */
function advance(from: Place): Place {
  const { path } = from;
  let { value, depth } = from;
  for (let segment = path[depth]; segment !== undefined; segment = path[depth]) {
    const { encoded, index } = segment;
    if (value.type !== BsonType.object && value.type !== BsonType.array) return done(path, MISSING);
    const found = findField(value.bytes, encoded, value.offset);
    if (value.type === BsonType.array && (index === undefined || found === undefined)) return { path, value, depth };
    value = found ?? MISSING;
    depth++;
    if (found === undefined) return done(path, MISSING);
  }
  return { path, value, depth };
}

/** A place behind the end of its path is final: an array there is not opened. */
function done(path: readonly PathSegment[], value: BsonValue): Place {
  return { path, value, depth: path.length + 1 };
}

function atArray({ path, value, depth }: Place): boolean {
  return value.type === BsonType.array && depth <= path.length;
}

/** Appends the rows below these places; true if an array was met. */
function expand(places: readonly Place[], rows: BsonValue[][]): boolean {
  const open = places.filter(atArray);
  const [first] = open;
  if (!first) {
    rows.push(places.map(({ value }) => value));
    return false;
  }
  const array = first.value;
  const other = open.find(({ value }) => value.offset !== array.offset);
  if (other) {
    const [a, b] = [other, first].map(({ path, depth }) => path[Math.min(depth, path.length) - 1]?.name);
    throw new CommandError(171, `cannot index parallel arrays [${a}] [${b}]`);
  }
  const cursor = new ElementCursor(array.bytes, array.offset);
  let any = false;
  while (cursor.next()) {
    any = true;
    const element = cursor.value();
    expand(
      places.map((place) => (atArray(place) ? into(place, element) : place)),
      rows,
    );
  }
  if (!any) {
    const empty = (place: Place) => done(place.path, place.depth === place.path.length ? UNDEFINED : MISSING);
    expand(
      places.map((place) => (atArray(place) ? empty(place) : place)),
      rows,
    );
  }
  return true;
}

/** The element as what its path finds there: itself at the end of the path, else what a document holds. */
function into({ path, depth }: Place, element: BsonValue): Place {
  if (depth === path.length) return done(path, element);
  return element.type === BsonType.object ? advance({ path, value: element, depth }) : done(path, MISSING);
}
