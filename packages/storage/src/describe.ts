/** BSON values as mongod prints them in error messages. Upstream: bsonelement.cpp, BSONElement::toString. */
import {
  BsonType,
  type BsonValue,
  cStringEnd,
  ElementCursor,
  formatUuid,
  readDouble,
  readInt32,
  readInt64,
  readString,
  readTimestamp,
  readUtf8,
  toHex,
} from '@replsim/protocol';
import { Decimal128 } from 'bson';

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
      return `"${readString(value)}"`;
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
      return new Decimal128(bytes.slice(offset, offset + 16)).toString();
    case BsonType.timestamp: {
      const { t, i } = readTimestamp(value);
      return `Timestamp(${t}, ${i})`;
    }
    case BsonType.minKey:
      return 'MinKey';
    case BsonType.maxKey:
      return 'MaxKey';
    default:
      // Code and DBPointer: nobody keys documents by them.
      return `<type ${type}>`;
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
  return `BinData(${subtype}, ${toHex(data).toUpperCase()})`;
}
