/** The document that an upsert inserts when nothing matched. Upstream: update_driver.cpp, populateDocumentWithQueryFields. */
import { BsonType, type BsonValue, CommandError, ElementCursor, encodeName, findField } from '@replsim/protocol';
import { equalValues } from '../compare.ts';
import { isOperatorObject } from '../filter/predicates.ts';
import { documentValue, elementsOf, fieldsOf } from '../values.ts';
import { MutableNode, putAt } from './mutable.ts';
import { type Update, withIdFirst } from './update.ts';
import { parseUpdatePath } from './updatePath.ts';

/**
 * Builds what an upsert inserts: the fields that the filter says a matching document must equal (of a replacement only
 * `_id`), changed by the update.
 * @param newId the `_id` to give if neither filter nor update has one
 * @returns the document, `_id` first
 * Throws CommandError NotSingleValueField if the filter equals one path twice, and as `apply` does.
 */
export function buildUpsertDocument(filterBytes: Uint8Array, update: Update, newId: BsonValue): Uint8Array {
  const root = new MutableNode(documentValue(new Uint8Array([5, 0, 0, 0, 0])));
  for (const [path, value] of filterEqualities(filterBytes)) {
    if (update.isReplacement && path !== '_id') continue;
    const { segments, isPositional } = parseUpdatePath(path);
    if (!isPositional)
      putAt(
        root,
        segments.map((segment) => (segment.kind === 'name' ? segment.name : '')),
        value,
      );
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
 * The paths that a filter fixes to one value: plain equality, `$eq`, `$in` and `$all` of one value, through `$and` and an
 * `$or` of one branch. Throws CommandError NotSingleValueField if a path is fixed twice.
 */
function filterEqualities(filterBytes: Uint8Array): Map<string, BsonValue> {
  const found = new Map<string, BsonValue>();
  collect(filterBytes, 0, found);
  return found;
}

function collect(bytes: Uint8Array, start: number, found: Map<string, BsonValue>): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (name === '$and' || name === '$or') {
      const branches = elementsOf(value);
      if (name === '$and' || branches.length === 1) for (const branch of branches) collect(bytes, branch.offset, found);
    } else if (!name.startsWith('$')) {
      const equal = equalityOf(value);
      if (equal === undefined) continue;
      if (found.has(name)) {
        const message = `cannot infer query fields to set, path '${name}' is matched twice`;
        throw new CommandError('NotSingleValueField', message);
      }
      found.set(name, equal);
    }
  }
}

function equalityOf(value: BsonValue): BsonValue | undefined {
  if (value.type === BsonType.regex) return undefined;
  if (!isOperatorObject(value)) return value;
  for (const [operator, operand] of fieldsOf(value.bytes, value.offset)) {
    if (operator === '$eq') return operand;
    if ((operator === '$in' || operator === '$all') && operand.type === BsonType.array) {
      const [only, ...more] = elementsOf(operand);
      if (only !== undefined && more.length === 0 && only.type !== BsonType.regex && !isOperatorObject(only))
        return only;
    }
  }
  return undefined;
}
