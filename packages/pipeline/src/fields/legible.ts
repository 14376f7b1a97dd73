import { BsonType, type BsonValue, decodeDocument, ElementCursor, encodeDocument, readString } from '@replsim/protocol';

/** What stands for bytes that are no UTF-8, once they have been read. */
const REPLACEMENT = '\ufffd';

/**
 * A client's document as others may be shown it: text that is not UTF-8, which BSON's lengths say nothing of and drivers
 * refuse to read, has replacement characters in it. Everything else is given back as it is.
 * @param bytes a well-formed document
 */
export function legible(bytes: Uint8Array): Uint8Array {
  return isLegible(bytes, 0) ? bytes : encodeDocument(decodeDocument(bytes));
}

function isLegible(bytes: Uint8Array, offset: number): boolean {
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) if (cursor.name.includes(REPLACEMENT) || !isLegibleValue(cursor)) return false;
  return true;
}

function isLegibleValue(value: BsonValue): boolean {
  switch (value.type) {
    case BsonType.string:
    case BsonType.symbol:
    case BsonType.javascript:
      return !readString(value).includes(REPLACEMENT);
    case BsonType.object:
    case BsonType.array:
      return isLegible(value.bytes, value.offset);
    // These are rare, and are written anew without being looked at.
    case BsonType.regex:
    case BsonType.dbPointer:
    case BsonType.javascriptWithScope:
      return false;
    default:
      return true;
  }
}
