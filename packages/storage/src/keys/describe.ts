/**
 * BSON values as mongod prints them in error messages: what is long is cut, in the middle of a character if need be, of which
 * U+FFFD is left. Upstream: bsonelement.cpp, BSONElement::toString, with `full` false.
 */
import {
  BsonType,
  type BsonValue,
  cStringEnd,
  decimalText,
  ElementCursor,
  formatUuid,
  InvariantError,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readTimestamp,
  readUtf8,
  toHex,
} from '@replsim/protocol';

/** From how many bytes on a value is cut, and to how many; those of texts count the zero at their end. */
const LIMITS = { text: { above: 160, to: 150 }, code: { above: 80, to: 70 }, data: { above: 80, to: 70 } };

/** A document as `{ a: 1, b: "x" }`. */
export function describeDocument(bytes: Uint8Array, offset = 0): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) parts.push(`${cursor.name}: ${describeValue(cursor)}`);
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}';
}

/** One value. */
export function describeValue(value: BsonValue): string {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.double: {
      const number = readDouble(bytes, offset);
      if (!Number.isFinite(number)) return `${Number.isNaN(number) ? 'nan' : number < 0 ? '-inf' : 'inf'}.0`;
      return Number.isInteger(number) ? number.toFixed(1) : String(number);
    }
    case BsonType.string:
    case BsonType.symbol:
      return `"${textUpTo(bytes, offset, LIMITS.text)}"`;
    case BsonType.javascript:
      return textUpTo(bytes, offset, LIMITS.code);
    case BsonType.javascriptWithScope: {
      const scopeAt = offset + 8 + readInt32(bytes, offset + 4);
      return `CodeWScope( ${textUpTo(bytes, offset + 4)}, ${describeDocument(bytes, scopeAt)})`;
    }
    case BsonType.dbPointer: {
      const idAt = offset + 4 + readInt32(bytes, offset);
      return `DBRef('${textUpTo(bytes, offset)}',${toHex(bytes.subarray(idAt, idAt + 12))})`;
    }
    case BsonType.object:
      return describeDocument(bytes, offset);
    case BsonType.array:
      return describeArray(bytes, offset);
    case BsonType.binData:
      return describeBinary(bytes, offset);
    case BsonType.undefined:
      return 'undefined';
    case BsonType.objectId:
      return `ObjectId('${toHex(bytes.subarray(offset, offset + 12))}')`;
    case BsonType.bool:
      return String(bytes[offset] === 1);
    case BsonType.date:
      return `new Date(${readInt64(bytes, offset)})`;
    case BsonType.null:
      return 'null';
    case BsonType.regex: {
      const end = cStringEnd(bytes, offset);
      return `/${readUtf8(bytes, offset, end)}/${readUtf8(bytes, end + 1, offset + size - 1)}`;
    }
    case BsonType.int:
      return String(readInt32(bytes, offset));
    case BsonType.long:
      return String(readInt64(bytes, offset));
    case BsonType.decimal:
      return decimalText(readDecimal(bytes, offset));
    case BsonType.timestamp: {
      const { t, i } = readTimestamp(value);
      return `Timestamp(${t}, ${i})`;
    }
    case BsonType.minKey:
      return 'MinKey';
    case BsonType.maxKey:
      return 'MaxKey';
    default:
      throw new InvariantError(`no BSON type is ${type}`);
  }
}

function describeArray(bytes: Uint8Array, offset: number): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) parts.push(describeValue(cursor));
  return parts.length > 0 ? `[ ${parts.join(', ')} ]` : '[]';
}

function describeBinary(bytes: Uint8Array, offset: number): string {
  const size = readInt32(bytes, offset);
  const subtype = bytes[offset + 4]!;
  const data = bytes.subarray(offset + 5, offset + 5 + size);
  if (subtype === 4 && size === 16) return `UUID("${formatUuid(data)}")`;
  const { above, to } = LIMITS.data;
  const shown = size > above ? `${toHex(data.subarray(0, to))}...` : toHex(data);
  return `BinData(${subtype}, ${shown.toUpperCase()})`;
}

/** The text whose size, the zero at its end included, stands at `offset`. */
function textUpTo(bytes: Uint8Array, offset: number, { above, to } = { above: Infinity, to: Infinity }): string {
  const size = readInt32(bytes, offset);
  const start = offset + 4;
  return size > above ? `${readUtf8(bytes, start, start + to)}...` : readUtf8(bytes, start, start + size - 1);
}
