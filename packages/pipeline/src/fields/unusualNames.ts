import { BsonType, ElementCursor } from '@replsim/protocol';

const DOT = 0x2e;
const DOLLAR = 0x24;

/** Whether a name somewhere in a document has a dot in it, or begins with a dollar. Upstream: storage_validation.cpp, scanDocument. */
export function hasUnusualNames(document: Uint8Array): boolean {
  // Names lie in the bytes as they are, so that most documents need no walk.
  return (document.includes(DOT) || document.includes(DOLLAR)) && isUnusual(document, 0);
}

function isUnusual(bytes: Uint8Array, offset: number, isArray = false): boolean {
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) {
    // An array may be long, and what its elements are called is no name.
    if (!isArray && (bytes[cursor.nameStart] === DOLLAR || nameHasDot(cursor))) return true;
    const nested = cursor.type === BsonType.object || cursor.type === BsonType.array;
    if (nested && isUnusual(bytes, cursor.offset, cursor.type === BsonType.array)) return true;
  }
  return false;
}

function nameHasDot({ bytes, nameStart, nameEnd }: ElementCursor): boolean {
  for (let at = nameStart; at < nameEnd; at++) if (bytes[at] === DOT) return true;
  return false;
}
