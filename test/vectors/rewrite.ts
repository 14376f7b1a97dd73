import {
  BsonType,
  type BsonValue,
  BsonWriter,
  ElementCursor,
  readDouble,
  readInt32,
  readInt64,
  readString,
  readTimestamp,
  readUtf8,
} from '@replsim/protocol';

/** A document read value by value and written again: the very same bytes, unless one of the two is wrong. */
export function rewritten(bytes: Uint8Array, start = 0): Uint8Array {
  const writer = new BsonWriter();
  writeElements(writer, bytes, start);
  return writer.finish();
}

function writeElements(writer: BsonWriter, bytes: Uint8Array, start: number): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) writeValue(writer, cursor.name, cursor);
}

function writeValue(writer: BsonWriter, name: string, value: BsonValue): void {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.double:
      return writer.double(name, readDouble(bytes, offset));
    case BsonType.int:
      return writer.int32(name, readInt32(bytes, offset));
    case BsonType.long:
      return writer.int64(name, readInt64(bytes, offset));
    case BsonType.date:
      return writer.date(name, readInt64(bytes, offset));
    case BsonType.timestamp:
      return writer.timestamp(name, readTimestamp(value));
    case BsonType.bool:
      return writer.bool(name, bytes[offset] === 1);
    case BsonType.string:
      return writer.string(name, readString(value));
    case BsonType.symbol:
      return writer.symbol(name, readString(value));
    case BsonType.javascript:
      return writer.javascript(name, readString(value));
    case BsonType.javascriptWithScope: {
      const code = { ...value, type: BsonType.javascript, offset: offset + 4, size: size - 4 };
      const scope = offset + 8 + readInt32(bytes, offset + 4);
      return writer.javascriptWithScope(name, readString(code), rewritten(bytes, scope));
    }
    case BsonType.object:
      writer.beginDocument(name);
      writeElements(writer, bytes, offset);
      return writer.endDocument();
    case BsonType.array:
      writer.beginArray(name);
      writeElements(writer, bytes, offset);
      return writer.endArray();
    case BsonType.binData: {
      const subtype = bytes[offset + 4] ?? 0;
      return writer.binary(name, subtype, bytes.subarray(offset + (subtype === 2 ? 9 : 5), offset + size));
    }
    case BsonType.regex: {
      const [pattern = '', options = ''] = readUtf8(bytes, offset, offset + size - 1).split('\0');
      return writer.regex(name, pattern, options);
    }
    case BsonType.objectId:
      return writer.objectId(name, bytes.subarray(offset, offset + size));
    case BsonType.null:
      return writer.null(name);
    case BsonType.minKey:
      return writer.minKey(name);
    case BsonType.maxKey:
      return writer.maxKey(name);
    default:
      // Decimals, and what nobody writes any more, are carried on as they are.
      return writer.rawValue(name, value);
  }
}
