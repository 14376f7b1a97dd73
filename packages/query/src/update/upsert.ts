/** The document that an upsert inserts when nothing matched. Upstream: update_driver.cpp, populateDocumentWithQueryFields. */
import { BsonType, type BsonValue, CommandError, ElementCursor, encodeName, findField } from '@replsim/protocol';
import { equalValues } from '../compare.ts';
import { isOperatorObject } from '../filter/predicates.ts';
import { documentValue, elementsOf, fieldsOf } from '../values.ts';
import { MutableNode, putAt } from './mutable.ts';
import { type Update, withIdFirst } from './update.ts';
import { namesOfPath } from './updatePath.ts';

/**
 * Builds what an upsert inserts: the fields that the filter says a matching document must equal (of a replacement only
 * `_id`), changed by the update.
 * @param newId the `_id` to give if neither filter nor update has one
 * @returns the document, `_id` first
 * Throws CommandError NotSingleValueField 54 if the filter fixes a path twice, or a path and one within it;
 * NotExactValueField 111 if it fixes only a part of the `_id` of a replacement; and as `apply` does.
 */
export function buildUpsertDocument(filterBytes: Uint8Array, update: Update, newId: BsonValue): Uint8Array {
  const root = new MutableNode(documentValue(new Uint8Array([5, 0, 0, 0, 0])));
  for (const [path, value] of filterEqualities(filterBytes, update.isReplacement)) {
    putAt(root, namesOfPath(path), value);
  }
  const start = root.value().bytes;
  const { document } = update.apply(start, { isUpsertInsert: true });
  const id = findField(start, idName);
  const made = findField(document, idName);
  if (id !== undefined) checkSame(id, made, update.isReplacement);
  return made === undefined ? withIdFirst(document, newId) : document;
}

const idName = encodeName('_id');

/** A replacement may leave out what the filter says. Upstream: upsert_stage.cpp, where `_id` is an immutable path. */
function checkSame(id: BsonValue, made: BsonValue | undefined, isReplacement: boolean): void {
  if (made === undefined ? isReplacement : equalValues(id, made)) return;
  throw new CommandError(
    'ImmutableField',
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );
}

/**
 * The paths that a filter fixes to one value, in the order of the paths: plain equality, `$eq`, `$in` of one value and `$all`,
 * through `$and` and an `$or` of one branch. Upstream: path_support.cpp, extractEqualityMatches and extractFullEqualityMatches.
 * @param onlyId whether only what concerns the `_id` counts
 */
function filterEqualities(filterBytes: Uint8Array, onlyId: boolean): [path: string, value: BsonValue][] {
  const found: [path: string, value: BsonValue][] = [];
  collect(filterBytes, 0, found);
  const wanted = found.filter(([path]) => !onlyId || path === '_id' || path.startsWith('_id.'));
  // A filter is put in order before it is looked at, so that a path comes before those within it.
  wanted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const seen = new Set<string>();
  for (const [path] of wanted) {
    if (onlyId && path !== '_id') throw notExact(path);
    const parent = prefixesOf(path).find((prefix) => seen.has(prefix));
    if (parent !== undefined) throw fixedTwice(path, parent);
    seen.add(path);
  }
  return wanted;
}

/** The path itself, then those that it lies within. */
function prefixesOf(path: string): string[] {
  const names = namesOfPath(path);
  return names.map((_, i) => names.slice(0, names.length - i).join('.'));
}

function fixedTwice(path: string, parent: string): CommandError {
  const what = path === parent ? `path '${path}' is matched twice` : `both paths '${path}' and '${parent}' are matched`;
  return new CommandError('NotSingleValueField', `cannot infer query fields to set, ${what}`);
}

function notExact(path: string): CommandError {
  const message = `field at '_id' must be exactly specified, field at sub-path '${path}'found`;
  return new CommandError('NotExactValueField', message);
}

function collect(bytes: Uint8Array, start: number, found: [path: string, value: BsonValue][]): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (name === '$and' || name === '$or') {
      const branches = elementsOf(value);
      if (name === '$and' || branches.length === 1) for (const branch of branches) collect(bytes, branch.offset, found);
    } else if (!name.startsWith('$')) {
      for (const equal of equalitiesOf(value)) found.push([name, equal]);
    }
  }
}

function equalitiesOf(value: BsonValue): BsonValue[] {
  if (value.type === BsonType.regex) return [];
  if (!isOperatorObject(value)) return [value];
  return fieldsOf(value.bytes, value.offset).flatMap(([operator, operand]) => {
    if (operator === '$eq') return [operand];
    if ((operator !== '$in' && operator !== '$all') || operand.type !== BsonType.array) return [];
    const elements = elementsOf(operand);
    // Of `$in`, a value that is there twice counts once; with other values none is meant.
    const [first] = elements;
    if (operator === '$in' && !elements.every((each) => equalValues(each, first!))) return [];
    const values = operator === '$in' ? elements.slice(0, 1) : elements;
    return values.filter((each) => each.type !== BsonType.regex && !isOperatorObject(each));
  });
}
