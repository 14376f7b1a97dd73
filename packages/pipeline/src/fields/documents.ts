import { BsonWriter, ElementCursor } from '@replsim/protocol';

/** What a document may weigh. Unit: bytes. Upstream: BSONObjMaxUserSize. */
export const MAX_BSON_OBJECT_SIZE = 16_777_216;

/** The empty document. */
export const EMPTY_DOCUMENT = new BsonWriter().finish();

/** A document without the top-level fields that `keep` refuses; the rest as it lies. */
export function subsetOf(document: Uint8Array, keep: (name: string) => boolean): Uint8Array {
  const writer = new BsonWriter(document.length);
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const { name } = cursor;
    if (keep(name)) writer.rawValue(name, cursor);
  }
  return writer.finish();
}

/** Whether a document has no fields. */
export function isEmptyDocument(document: Uint8Array): boolean {
  return document.length === 5;
}
