import { BsonType, ElementCursor } from '@replsim/protocol';

/** Whether a filter compares strings, or documents that may hold some; the names of types are none. */
export function comparesStrings(filter: Uint8Array, start = 0): boolean {
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const { name, type, offset } = cursor;
    if (name === '$type') continue;
    if (type === BsonType.string || type === BsonType.symbol) return true;
    const nested = type === BsonType.object || type === BsonType.array;
    if (nested && comparesStrings(filter, offset)) return true;
  }
  return false;
}
