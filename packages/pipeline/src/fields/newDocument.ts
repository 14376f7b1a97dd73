import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  type IdSource,
} from '@replsim/protocol';
import { withoutNullTimestamps } from '@replsim/query';
import { StoredDocument } from '@replsim/storage';
import { MAX_BSON_OBJECT_SIZE } from './documents.ts';
import { checkStoredDepth } from './nesting.ts';
import { typeName } from './values.ts';

const ID = encodeName('_id');
/** Where the value of an `_id` lies that is the first field. */
const FIRST_ID = 9;

interface NewDocumentOptions {
  /** Null timestamps at the top become the time. */
  readonly fillsTimestamps: boolean;
  /** The error for a document that is too large, given its size in bytes; of an insert unless said otherwise. */
  readonly tooLarge?: (size: number) => CommandError;
}

/**
 * A client's document as it is stored: with an `_id`, made here if it has none, in the first place.
 * @param now when an `_id` is made; null timestamps at the top level become it, if that is asked for
 * Errors: BadValue 2 for one that is too large, Overflow 15, InvalidIdField 53. Upstream: insert.cpp, fixDocumentForInsert.
 */
export function newDocument(
  sent: Uint8Array,
  ids: IdSource,
  now: { readonly secs: number; readonly inc: number },
  { fillsTimestamps, tooLarge = insertTooLarge }: NewDocumentOptions,
): StoredDocument {
  if (sent.length > MAX_BSON_OBJECT_SIZE) throw tooLarge(sent.length);
  checkStoredDepth(sent);
  const filled = fillsTimestamps ? withoutNullTimestamps(sent, { t: now.secs, i: now.inc }) : sent;
  const id = findField(filled, ID);
  if (id) checkId(id);
  // A copy, so that one document does not keep the whole command in memory; not by `slice`, which a Buffer does not copy for.
  if (id?.bytes === filled && id.offset === FIRST_ID) return new StoredDocument(new Uint8Array(filled));
  const bytes = rewritten(filled, id, ids, now.secs);
  if (bytes.length > MAX_BSON_OBJECT_SIZE) throw tooLarge(bytes.length);
  return new StoredDocument(bytes);
}

/** Throws unless a value may be an `_id`: InvalidIdField 53. Upstream: BSONObj::storageValidEmbedded's rules for `_id`. */
function checkId(id: BsonValue): void {
  if (id.type === BsonType.array || id.type === BsonType.regex || id.type === BsonType.undefined) {
    throw new CommandError('InvalidIdField', `The '_id' value cannot be of type ${typeName(id.type)}`);
  }
  if (id.type !== BsonType.object) return;
  const fields = new ElementCursor(id.bytes, id.offset);
  while (fields.next()) {
    if (fields.name.startsWith('$')) {
      throw new CommandError(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: ${fields.name} is not valid for storage.`,
      );
    }
  }
}

function rewritten(sent: Uint8Array, id: BsonValue | undefined, ids: IdSource, secs: number): Uint8Array {
  const writer = new BsonWriter(sent.length + 32);
  if (id) writer.rawValue('_id', id);
  else writer.objectId('_id', ids.objectId(secs));
  const cursor = new ElementCursor(sent);
  while (cursor.next()) {
    if (cursor.name !== '_id') writer.rawValue(cursor.name, cursor);
  }
  return writer.finish();
}

function insertTooLarge(size: number): CommandError {
  return new CommandError(
    'BadValue',
    `object to insert too large. size in bytes: ${size}, max size: ${MAX_BSON_OBJECT_SIZE}`,
  );
}
