import { BsonType, CommandError, ElementCursor } from '@replsim/protocol';

/** How deep documents may lie in one another in a collection. Upstream: bson_depth.h, getMaxDepthForUserStorage. */
const MAX_STORED_DEPTH = 180;
/** A level takes a type, an empty name, a length and an end. */
const LEVEL_BYTES = 7;

/**
 * Throws Overflow 15 unless a well-formed document is shallow enough to be stored. What a client sends may be a little deeper, and
 * dotted paths make documents that nobody has sent. Upstream: insert.cpp, fixDocumentForInsert; storage_validation.cpp, scanDocument.
 */
export function checkStoredDepth(document: Uint8Array): void {
  if (document.length <= MAX_STORED_DEPTH * LEVEL_BYTES) return;
  // A list of its own instead of calls in calls: the depth has no bound yet.
  const open = [new ElementCursor(document)];
  while (open.length > 0) {
    const cursor = open.at(-1)!;
    if (!cursor.next()) open.pop();
    else if (cursor.type === BsonType.object || cursor.type === BsonType.array) {
      if (open.length === MAX_STORED_DEPTH) {
        throw new CommandError('Overflow', `a document exceeds ${MAX_STORED_DEPTH} levels of nesting`);
      }
      open.push(new ElementCursor(document, cursor.offset));
    }
  }
}
