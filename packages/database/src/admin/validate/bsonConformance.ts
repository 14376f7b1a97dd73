import { bytesOf, checkBson } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';

/** What a document is, as BSON: not even well formed, well formed but not as the specification wants it, or all right. */
export type Conformance = 'invalid' | 'nonCompliant' | 'compliant';

/** Bytes of a binary value that precede its content: an int32 and the subtype. */
const BINARY_HEADER = 5;
/** Subtypes whose content has a fixed length: both kinds of UUID, and MD5. */
const SIXTEEN_BYTES: ReadonlySet<number> = new Set([3, 4, 5]);

/**
 * Judges a stored document.
 * @param strictly look also at what the specification asks beyond the structure: array indexes that count up, options of a
 * regular expression in order, lengths of UUIDs, field names that are there once
 * Upstream: bson_validate.cpp, BSONValidateModeEnum.
 */
export function conformanceOf(document: Uint8Array, strictly: boolean): Conformance {
  try {
    checkBson(document);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return 'invalid';
  }
  return !strictly || isCompliant(document, false) ? 'compliant' : 'nonCompliant';
}

function isCompliant(document: Uint8Array, isArray: boolean): boolean {
  const names = new Set<string>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const { name } = cursor;
    if (isArray ? name !== String(names.size) : names.has(name)) return false;
    names.add(name);
    if (!isCompliantValue(cursor.value())) return false;
  }
  return true;
}

function isCompliantValue(value: BsonValue): boolean {
  switch (value.type) {
    case BsonType.object:
      return isCompliant(bytesOf(value), false);
    case BsonType.array:
      return isCompliant(bytesOf(value), true);
    case BsonType.binData:
      return !SIXTEEN_BYTES.has(value.bytes[value.offset + 4]!) || value.size - BINARY_HEADER === 16;
    case BsonType.regex:
      return hasOrderedOptions(value);
    default:
      return true;
  }
}

/** Two strings that end with zero bytes: the pattern, and the options, of which each letter is above the one before. */
function hasOrderedOptions({ bytes, offset, size }: BsonValue): boolean {
  const options = bytes.subarray(bytes.indexOf(0, offset) + 1, offset + size - 1);
  return options.every((letter, i) => i === 0 || letter > options[i - 1]!);
}
