/** Whole documents between JS values and BSON bytes. */
import { type Document, deserialize } from 'bson';
import { BytePool } from './bytePool.ts';
import { encodeWith, RawBson, writeFields } from './jsValue.ts';
import { BsonWriter } from './writer.ts';

/** Every call but a nested one (from a value's `toBSON`) shares this writer's buffer. */
let idleWriter: BsonWriter | undefined = new BsonWriter(4096);

/**
 * Encodes a plain object or a Map as bson's `serialize` does (`writeJsValue` has the table); a RawBson is given back as it is.
 * A Map keeps integer-like keys in order, an object cannot.
 */
export function encodeDocument(value: object): Uint8Array {
  if (value instanceof RawBson) return value.bytes;
  const writer = idleWriter ?? new BsonWriter();
  idleWriter = undefined;
  try {
    writer.reset();
    return encodeWith(writer, value);
  } finally {
    idleWriter = writer;
  }
}

/** Replies are sent and forgotten. */
const replies = new BytePool();

/** Encodes a reply: the fields of one plain object, then those of another. For bytes that are not kept. */
export function encodeReply(reply: object, metadata: object): Uint8Array {
  const writer = idleWriter ?? new BsonWriter();
  idleWriter = undefined;
  try {
    writer.reset();
    writeFields(writer, reply);
    writeFields(writer, metadata);
    return writer.finish(replies);
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
