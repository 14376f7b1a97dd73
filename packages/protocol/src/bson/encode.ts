/** Whole documents between JS values and BSON bytes. */
import { type Document, deserialize } from 'bson';
import { BytePool } from './bytePool.ts';
import { BsonType, ElementCursor, readDouble, readInt32 } from './element.ts';
import { RawBson, writeFields, writeJsValue } from './jsValue.ts';
import { BsonWriter } from './writer.ts';

/** Every call but a nested one (from a value's `toBSON`) shares this writer's buffer. */
let idleWriter: BsonWriter | undefined = new BsonWriter(4096);

/**
 * Encodes a plain object or a Map as bson's `serialize` does (`writeJsValue` has the table); a RawBson is given back as it is.
 * A Map keeps integer-like keys in order, an object cannot.
 */
export function encodeDocument(value: object): Uint8Array {
  return value instanceof RawBson ? value.bytes : encodeWith((writer) => writeFields(writer, value));
}

/** Replies are sent and forgotten. */
const replies = new BytePool();

/**
 * Encodes a reply: the fields of one plain object, then those of another. Its `ok` is a double, as a mongod's is (upstream:
 * command_helpers, appendCommandStatusNoThrow), while whoever makes a reply says 1 or 0. For bytes that are not kept.
 */
export function encodeReply(reply: object, metadata: object = {}): Uint8Array {
  return encodeWith((writer) => {
    for (const [name, value] of Object.entries(reply)) {
      if (name === 'ok' && typeof value === 'number') writer.double(name, value);
      else writeJsValue(writer, name, value);
    }
    writeFields(writer, metadata);
  }, replies);
}

function encodeWith(write: (writer: BsonWriter) => void, pool?: BytePool): Uint8Array {
  const writer = idleWriter ?? new BsonWriter();
  idleWriter = undefined;
  try {
    writer.reset();
    write(writer);
    return writer.finish(pool);
  } finally {
    idleWriter = writer;
  }
}

/**
 * Decodes without promotion: numbers come as Int32, Double and Long, binary as Binary, so that encoding again gives the same
 * bytes. What a JS object cannot hold is lost all the same: the order of integer-like keys, duplicate keys, undefined.
 * Binary values are views on `bytes`. Throws BSONError on malformed input.
 */
export function decodeDocument(bytes: Uint8Array): Document {
  return deserialize(bytes, { promoteValues: false, bsonRegExp: true, validation: { utf8: false } });
}

/**
 * Decodes for reading: int32, double and any int64 that fits are JS numbers, other int64 are Long, dates are Date; a regular
 * expression is a BSONRegExp, since MongoDB's need not be one of JavaScript's. Numeric types are lost. Throws BSONError on
 * malformed input.
 */
export function decodePromoted(bytes: Uint8Array): Document {
  return deserialize(bytes, { bsonRegExp: true, validation: { utf8: false } });
}

/**
 * Decodes these top-level fields alone, as `decodePromoted` would; the rest is only walked over. For replies of which one word
 * matters and which are asked for after each event. Throws BSONError on malformed input.
 */
export function decodeFields(bytes: Uint8Array, names: ReadonlySet<string>): Document {
  const fields: Document = {};
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) {
    const { name } = cursor;
    if (names.has(name)) fields[name] = promoted(cursor, name);
  }
  return fields;
}

function promoted(cursor: ElementCursor, name: string): unknown {
  const { type, bytes, nameStart, offset, size } = cursor;
  switch (type) {
    case BsonType.bool:
      return bytes[offset] !== 0;
    case BsonType.int:
      return readInt32(bytes, offset);
    case BsonType.double:
      return readDouble(bytes, offset);
    default:
      return decodePromoted(documentOf(bytes.subarray(nameStart - 1, offset + size)))[name];
  }
}

/** A document of one element, whose type, name and value these are. */
function documentOf(element: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(element.length + 5);
  new DataView(bytes.buffer).setInt32(0, bytes.length, true);
  bytes.set(element, 4);
  return bytes;
}
