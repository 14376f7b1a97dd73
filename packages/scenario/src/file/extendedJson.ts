import {
  BsonType,
  type BsonValue,
  decimalText,
  ElementCursor,
  encodeDocument,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readString,
  readTimestamp,
  readUtf8,
  toHex,
} from '@replsim/protocol';
import { Binary } from 'bson';
import { fromExtendedJson } from './ejson.ts';

/** More than this nobody reads, and writing it as text would hold up whoever serves the client. */
const MAX_READABLE_BYTES = 65_536;

/**
 * A document as MongoDB Extended JSON on one line, canonical but for int32, for fractions and for dates of our era, which
 * are as plain as in the relaxed form.
 * @returns undefined unless `bytesOf` makes the very same bytes of it: for integer-like or repeated keys, BSON that is
 *   malformed or deprecated; and for what is too long to be read
 */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_READABLE_BYTES) return undefined;
  try {
    const text = documentText(bytes, 0);
    return isSame(bytesOf(text), bytes) ? text : undefined;
  } catch {
    // What cannot be read has no text; the caller keeps the bytes.
    return undefined;
  }
}

/**
 * The document that Extended JSON stands for, canonical or relaxed; an integer without a type is an int32 or int64.
 * @throws Error that says what is wrong with it
 */
export function bytesOf(text: string): Uint8Array {
  const value = decoded(JSON.parse(text));
  if (!(value instanceof Map)) throw new TypeError('it is not a document');
  return encodeDocument(value);
}

function decoded(json: unknown): unknown {
  try {
    return fromExtendedJson(json);
  } catch (error) {
    // It calls itself level by level.
    throw error instanceof RangeError ? new TypeError('it is nested too deep', { cause: error }) : error;
  }
}

/** Bytes as Base64. */
export function toBase64(bytes: Uint8Array): string {
  return new Binary(bytes).toString('base64');
}

/** The bytes of a text in Base64, or undefined if it is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return Uint8Array.from(Binary.createFromBase64(text).buffer);
}

function documentText(bytes: Uint8Array, start: number): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) parts.push(`${stringText(cursor.name)}:${valueText(cursor)}`);
  return `{${parts.join(',')}}`;
}

function arrayText(bytes: Uint8Array, start: number): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) parts.push(valueText(cursor));
  return `[${parts.join(',')}]`;
}

function valueText(value: BsonValue): string {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.double:
      return doubleText(readDouble(bytes, offset));
    case BsonType.string:
      return stringText(readString(value));
    case BsonType.object:
      return documentText(bytes, offset);
    case BsonType.array:
      return arrayText(bytes, offset);
    case BsonType.binData:
      return binaryText(bytes[offset + 4]!, bytes.subarray(offset + 5, offset + size));
    case BsonType.undefined:
      return '{"$undefined":true}';
    case BsonType.objectId:
      return `{"$oid":"${toHex(bytes.subarray(offset, offset + 12))}"}`;
    case BsonType.bool:
      return bytes[offset] === 1 ? 'true' : 'false';
    case BsonType.date:
      return dateText(readInt64(bytes, offset));
    case BsonType.null:
      return 'null';
    case BsonType.regex: {
      const [pattern = '', options = ''] = readUtf8(bytes, offset, offset + size - 1).split('\0');
      return `{"$regularExpression":{"pattern":${stringText(pattern)},"options":${stringText(options)}}}`;
    }
    case BsonType.javascript:
      return `{"$code":${stringText(readString(value))}}`;
    case BsonType.symbol:
      return `{"$symbol":${stringText(readString(value))}}`;
    case BsonType.int:
      return String(readInt32(bytes, offset));
    case BsonType.timestamp: {
      const { t, i } = readTimestamp(value);
      return `{"$timestamp":{"t":${t},"i":${i}}}`;
    }
    case BsonType.long:
      return `{"$numberLong":"${readInt64(bytes, offset)}"}`;
    case BsonType.decimal:
      return `{"$numberDecimal":"${decimalText(readDecimal(bytes, offset))}"}`;
    case BsonType.minKey:
      return '{"$minKey":1}';
    case BsonType.maxKey:
      return '{"$maxKey":1}';
    default:
      throw new TypeError(`BSON type ${type} has no text of its own`);
  }
}

/** JSON, and no character in it that YAML or an editor might take for the end of a line or leave out. */
function stringText(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function doubleText(value: number): string {
  if (Number.isFinite(value) && !Number.isInteger(value)) return String(value);
  return `{"$numberDouble":"${Object.is(value, -0) ? '-0.0' : Number.isFinite(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : value}"}`;
}

function dateText(ms: bigint): string {
  const date = new Date(Number(ms));
  const isPlain = ms >= 0n && date.getUTCFullYear() < 10_000;
  return isPlain ? `{"$date":"${date.toISOString()}"}` : `{"$date":{"$numberLong":"${ms}"}}`;
}

function binaryText(subtype: number, data: Uint8Array): string {
  const hex = toHex(data);
  if (subtype === 4 && data.length === 16)
    return `{"$uuid":"${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}"}`;
  return `{"$binary":{"base64":"${toBase64(data)}","subType":"${subtype.toString(16).padStart(2, '0')}"}}`;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
