/** Values in error messages, written the way mongod writes them. Upstream: bsonelement.cpp, BSONElement::toString. */
import { BsonType, type BsonValue, readDecimal, readDouble, readInt64, readString } from '@replsim/protocol';
import { fieldsOf, readInteger, readRegex } from './values.ts';

/** A field as `name: value`. */
export function formatField(name: string, value: BsonValue): string {
  return `${name}: ${formatValue(value)}`;
}

/** A value in mongod's own notation, such as `{ a: 1, b: "x" }`. */
export function formatValue(value: BsonValue): string {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.double: {
      const number = readDouble(bytes, offset);
      return Number.isInteger(number) && Math.abs(number) < 1e15 ? number.toFixed(1) : String(number);
    }
    case BsonType.int:
    case BsonType.long:
      return String(readInteger(value));
    case BsonType.decimal: {
      const { special, negative, coefficient, exponent } = readDecimal(bytes, offset);
      const magnitude = special ?? (exponent === 0 ? String(coefficient) : `${coefficient}E${exponent}`);
      return negative ? `-${magnitude}` : magnitude;
    }
    case BsonType.string:
    case BsonType.symbol:
    case BsonType.javascript:
      return `"${readString(value)}"`;
    case BsonType.bool:
      return bytes[offset] === 0 ? 'false' : 'true';
    case BsonType.object: {
      const fields = fieldsOf(bytes, offset).map(([name, item]) => formatField(name, item));
      return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
    }
    case BsonType.array: {
      const items = fieldsOf(bytes, offset).map(([, item]) => formatValue(item));
      return items.length === 0 ? '[]' : `[ ${items.join(', ')} ]`;
    }
    case BsonType.objectId:
      return `ObjectId('${hex(bytes, offset, 12)}')`;
    case BsonType.date:
      return `new Date(${readInt64(bytes, offset)})`;
    case BsonType.timestamp: {
      const whole = BigInt.asUintN(64, readInt64(bytes, offset));
      return `Timestamp(${whole >> 32n}, ${whole & 0xffffffffn})`;
    }
    case BsonType.binData:
      return `BinData(${bytes[offset + 4]}, ${hex(bytes, offset + 5, size - 5).toUpperCase()})`;
    case BsonType.regex: {
      const { pattern, options } = readRegex(value);
      return `/${pattern}/${options}`;
    }
    case BsonType.null:
      return 'null';
    case BsonType.undefined:
      return 'undefined';
    case BsonType.minKey:
      return 'MinKey';
    case BsonType.maxKey:
      return 'MaxKey';
    default:
      return `(type ${type})`;
  }
}

function hex(bytes: Uint8Array, offset: number, size: number): string {
  return Array.from(bytes.subarray(offset, offset + size), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
