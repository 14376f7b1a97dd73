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
import { StoredDocument } from '@replsim/storage';
import { MAX_BSON_OBJECT_SIZE } from '../fields/documents.ts';
import { typeName } from '../fields/values.ts';
import { checkStoredDepth } from './nesting.ts';

const ID = encodeName('_id');

/**
 * A client's document as it is stored: with an `_id`, made here if it has none, in the first place. Null timestamps at the
 * top level become `now`.
 * @param tooLarge the error for one that is too large, given its size in bytes; of an insert unless said otherwise
 * Errors: BadValue 2 for one that is too large, Overflow 15, InvalidIdField 53. Upstream: insert.cpp, fixDocumentForInsert.
 */
export function newDocument(
  sent: Uint8Array,
  ids: IdSource,
  now: { readonly secs: number; readonly inc: number },
  tooLarge = insertTooLarge,
): StoredDocument {
  if (sent.length > MAX_BSON_OBJECT_SIZE) throw tooLarge(sent.length);
  checkStoredDepth(sent);
  const id = findField(sent, ID);
  if (id) checkId(id);
  const cursor = new ElementCursor(sent);
  let first = true;
  let asItIs = id !== undefined;
  while (cursor.next()) {
    const isId = cursor.nameEnd - cursor.nameStart === 3 && cursor.name === '_id';
    if (first && !isId) asItIs = false;
    if (!first && isNullTimestamp(cursor)) asItIs = false;
    first = false;
  }
  // A copy, so that one document does not keep the whole command in memory; not by `slice`, which a Buffer does not copy for.
  if (asItIs) return new StoredDocument(new Uint8Array(sent));
  const bytes = rewritten(sent, id, ids, now);
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

function rewritten(
  sent: Uint8Array,
  id: BsonValue | undefined,
  ids: IdSource,
  now: { readonly secs: number; readonly inc: number },
): Uint8Array {
  const writer = new BsonWriter(sent.length + 32);
  if (id) writer.rawValue('_id', id);
  else writer.objectId('_id', ids.objectId(now.secs));
  const cursor = new ElementCursor(sent);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === '_id') continue;
    if (isNullTimestamp(cursor)) writer.timestamp(name, { t: now.secs, i: now.inc });
    else writer.rawValue(name, cursor);
  }
  return writer.finish();
}

function isNullTimestamp({ type, bytes, offset }: BsonValue): boolean {
  if (type !== BsonType.timestamp) return false;
  for (let i = 0; i < 8; i++) if (bytes[offset + i] !== 0) return false;
  return true;
}

function insertTooLarge(size: number): CommandError {
  return new CommandError(
    'BadValue',
    `object to insert too large. size in bytes: ${size}, max size: ${MAX_BSON_OBJECT_SIZE}`,
  );
}
