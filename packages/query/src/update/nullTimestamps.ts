/** Timestamps that a client leaves for the member to fill in. */
import { BsonType, type BsonValue, BsonWriter, ElementCursor } from '@replsim/protocol';

/**
 * A whole document that a client sends, with a time for each `Timestamp(0, 0)` at its top, but for one in `_id`.
 * Upstream: insert.cpp, fixDocumentForInsert; object_replace_executor.cpp, ObjectReplaceExecutor.
 * @param now the first time to give; each further one is the next after it
 */
export function withoutNullTimestamps(
  document: Uint8Array,
  now: { readonly t: number; readonly i: number },
): Uint8Array {
  const cursor = new ElementCursor(document);
  let writer: BsonWriter | undefined;
  let filled = 0;
  while (cursor.next()) {
    if (cursor.name !== '_id' && isNullTimestamp(cursor)) {
      writer ??= before(document, cursor.nameStart - 1);
      writer.timestamp(cursor.name, { t: now.t, i: now.i + filled++ });
    } else writer?.rawElements(document, cursor.nameStart - 1, cursor.offset + cursor.size);
  }
  return writer?.finish() ?? document;
}

/** A writer that holds the fields up to a place. */
function before(document: Uint8Array, end: number): BsonWriter {
  const writer = new BsonWriter(document.length);
  writer.rawElements(document, 4, end);
  return writer;
}

function isNullTimestamp({ type, bytes, offset }: BsonValue): boolean {
  if (type !== BsonType.timestamp) return false;
  for (let i = 0; i < 8; i++) if (bytes[offset + i] !== 0) return false;
  return true;
}
