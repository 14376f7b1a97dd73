import { BsonType, CommandError, cStringEnd, readInt32 } from '@replsim/protocol';

/** Documents in documents, at most. Upstream: bson_depth.h, BSONDepth::kDefaultMaxAllowableDepth. */
const MAX_DEPTH = 200;
const OLD_BINARY = 2;

/**
 * Throws unless `bytes` is exactly one well-formed BSON document, so that all later code may read it without fear.
 * Errors: InvalidBSON 22, Overflow 15 for too deep nesting, Location51108 for an option that no regular expression has. Upstream: bson_validate.cpp, validateBSON.
 */
export function checkBson(bytes: Uint8Array): void {
  if (bytes.length < 5) fail('it is shorter than an empty document');
  if (checkDocument(bytes, 0, bytes.length, 1) !== bytes.length) fail('bytes follow its end');
}

/** Checks the document at `start`, which may not reach beyond `limit`; returns where it ends. */
function checkDocument(bytes: Uint8Array, start: number, limit: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new CommandError('Overflow', `documents are nested deeper than ${MAX_DEPTH} levels`);
  if (start + 5 > limit) fail('a document is cut off');
  const size = readInt32(bytes, start);
  if (size < 5 || size > limit - start) fail(`a document claims ${size} bytes`);
  const last = start + size - 1;
  if (bytes[last] !== 0) fail('a document does not end with a zero byte');
  let position = start + 4;
  while (position < last) {
    const type = bytes[position]!;
    const nameEnd = cStringEnd(bytes, position + 1);
    if (nameEnd >= last) fail('a field name does not end');
    const end = checkValue(type, bytes, nameEnd + 1, last, depth);
    if (end > last) fail('a value reaches beyond its document');
    position = end;
  }
  return last + 1;
}

/** Checks one value and returns where it ends, which may lie beyond `limit` for types of a fixed size. */
function checkValue(type: number, bytes: Uint8Array, at: number, limit: number, depth: number): number {
  switch (type) {
    case BsonType.double:
    case BsonType.date:
    case BsonType.timestamp:
    case BsonType.long:
      return at + 8;
    case BsonType.int:
      return at + 4;
    case BsonType.decimal:
      return at + 16;
    case BsonType.objectId:
      return at + 12;
    case BsonType.null:
    case BsonType.undefined:
    case BsonType.minKey:
    case BsonType.maxKey:
      return at;
    case BsonType.bool:
      if (at >= limit || bytes[at]! > 1) fail('a boolean is neither 0 nor 1');
      return at + 1;
    case BsonType.string:
    case BsonType.javascript:
    case BsonType.symbol:
      return checkString(bytes, at, limit);
    case BsonType.object:
    case BsonType.array:
      return checkDocument(bytes, at, limit, depth + 1);
    case BsonType.binData: {
      const size = at + 5 <= limit ? readInt32(bytes, at) : -1;
      if (size < 0 || size > limit - at - 5) fail('binary data is cut off');
      if (bytes[at + 4] === OLD_BINARY) checkOldBinary(bytes, at, size);
      return at + 5 + size;
    }
    case BsonType.regex: {
      const pattern = cStringEnd(bytes, at);
      const options = cStringEnd(bytes, pattern + 1);
      if (options >= limit) fail('a regular expression does not end');
      checkRegexOptions(bytes, pattern + 1, options);
      return options + 1;
    }
    case BsonType.dbPointer:
      return checkString(bytes, at, limit) + 12;
    case BsonType.javascriptWithScope: {
      if (at + 4 > limit) fail('code is cut off');
      const end = at + readInt32(bytes, at);
      if (end > limit) fail('code is cut off');
      if (checkDocument(bytes, checkString(bytes, at + 4, end), end, depth + 1) !== end) fail('code has a wrong size');
      return end;
    }
    default:
      return fail(`type 0x${type.toString(16)} does not exist`);
  }
}

/** The old subtype has its length once more. Simplification: mongod passes a wrong one on, and drivers fail to read it. */
function checkOldBinary(bytes: Uint8Array, at: number, size: number): void {
  if (size < 4 || readInt32(bytes, at + 5) !== size - 4) fail('binary data of subtype 2 has a wrong inner length');
}

/** Simplification: mongod stores other letters too, and minds them where it matches; no driver sends or reads them. */
function checkRegexOptions(bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const option = String.fromCharCode(bytes[at]!);
    if (!'ilmsux'.includes(option)) throw new CommandError(51108, `invalid flag in regex options: ${option}`);
  }
}

function checkString(bytes: Uint8Array, at: number, limit: number): number {
  const size = at + 4 <= limit ? readInt32(bytes, at) : -1;
  if (size < 1 || size > limit - at - 4) fail('a string is cut off');
  const end = at + 4 + size;
  if (bytes[end - 1] !== 0) fail('a string does not end with a zero byte');
  return end;
}

function fail(reason: string): never {
  throw new CommandError('InvalidBSON', `invalid BSON: ${reason}`);
}
