import {
  BsonType,
  type BsonValue,
  ElementCursor,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readString,
} from '@replsim/protocol';

const typeNames = new Map<number, string>(Object.entries(BsonType).map(([name, type]) => [type, name]));

/** MongoDB's name of a BSON type, as error messages use it. Upstream: bsontypes.cpp, typeName. */
export function bsonTypeName(type: number): string {
  return typeNames.get(type) ?? `0x${type.toString(16)}`;
}

/** A document in the shell-like notation of error messages; rare types show their name only. Upstream: BSONObj::toString. */
export function specText(bytes: Uint8Array, start = 0): string {
  const fields: string[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) fields.push(`${cursor.name}: ${valueText(cursor)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function valueText(value: BsonValue): string {
  const { type, bytes, offset } = value;
  switch (type) {
    case BsonType.double:
      return doubleText(readDouble(bytes, offset));
    case BsonType.int:
      return String(readInt32(bytes, offset));
    case BsonType.long:
      return String(readInt64(bytes, offset));
    case BsonType.string:
      return JSON.stringify(readString(value));
    case BsonType.bool:
      return bytes[offset] === 1 ? 'true' : 'false';
    case BsonType.date:
      return `new Date(${readInt64AsNumber(bytes, offset)})`;
    case BsonType.object:
      return specText(bytes, offset);
    case BsonType.array:
      return arrayText(bytes, offset);
    default:
      return bsonTypeName(type);
  }
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function arrayText(bytes: Uint8Array, offset: number): string {
  const elements: string[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) elements.push(valueText(cursor));
  return elements.length === 0 ? '[]' : `[ ${elements.join(', ')} ]`;
}
