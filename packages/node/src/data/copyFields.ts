import { type BsonWriter, ElementCursor } from '@replsim/protocol';

/** Appends all fields of a document, BSON. */
export function copyFields(writer: BsonWriter, document: Uint8Array): void {
  const cursor = new ElementCursor(document);
  while (cursor.next()) writer.rawValue(cursor.name, cursor);
}
