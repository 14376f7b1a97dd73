import {
  BsonType,
  type BsonValue,
  decimalText,
  ElementCursor,
  formatUuid,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readString,
  readTimestamp,
  readUtf8,
  toHex,
} from '@replsim/protocol';

/** Longer texts are cut by default; a whole reply would hide what matters. */
const DEFAULT_WIDTH = 400;

/**
 * A BSON document on one line, as mongosh writes it but without quotes around plain keys: `{_id: 1, at: ISODate("…")}`.
 * Types stay visible: `1` is an int32, `1.0` a double, `Long(1)` an int64.
 * @param width cut to this many characters
 */
export function showDocument(bytes: Uint8Array, width = DEFAULT_WIDTH): string {
  return shorten(container(bytes, 0, false, width * 2), width);
}

/** A BSON value on one line, as `showDocument`. */
export function showValue(value: BsonValue, width = DEFAULT_WIDTH): string {
  return shorten(show(value, width * 2), width);
}

/** A plain value as YAML gave it, on one line: `{ w: majority, j: true }`. */
export function showPlain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(showPlain).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, each]) => `${key}: ${showPlain(each)}`);
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
}

/** The beginning of a text and its end, with `…` between them if it is longer than `width`. */
export function shorten(text: string, width = DEFAULT_WIDTH): string {
  if (text.length <= width) return text;
  const tail = Math.min(20, Math.floor(width / 4));
  return `${text.slice(0, width - tail - 1)}…${text.slice(text.length - tail)}`;
}

function show(value: BsonValue, budget: number): string {
  const { type, bytes, offset, size } = value;
  switch (type) {
    case BsonType.double:
      return showDouble(readDouble(bytes, offset));
    case BsonType.string:
    case BsonType.symbol:
      return JSON.stringify(readString(value));
    case BsonType.object:
      return container(bytes, offset, false, budget);
    case BsonType.array:
      return container(bytes, offset, true, budget);
    case BsonType.binData:
      return showBinary(bytes[offset + 4]!, bytes.subarray(offset + 5, offset + size));
    case BsonType.undefined:
      return 'undefined';
    case BsonType.objectId:
      return `ObjectId("${toHex(bytes.subarray(offset, offset + 12))}")`;
    case BsonType.bool:
      return bytes[offset] === 1 ? 'true' : 'false';
    case BsonType.date:
      return showDate(readInt64AsNumber(bytes, offset));
    case BsonType.null:
      return 'null';
    case BsonType.int:
      return String(readInt32(bytes, offset));
    case BsonType.timestamp: {
      const { t, i } = readTimestamp(value);
      return `Timestamp(${t}, ${i})`;
    }
    case BsonType.long:
      return `Long(${readInt64(bytes, offset)})`;
    case BsonType.decimal:
      return `Decimal128("${decimalText(readDecimal(bytes, offset))}")`;
    case BsonType.minKey:
      return 'MinKey()';
    case BsonType.maxKey:
      return 'MaxKey()';
    case BsonType.regex: {
      const [pattern, options] = readUtf8(bytes, offset, offset + size - 1).split('\0');
      return `/${pattern}/${options ?? ''}`;
    }
    default:
      return `<BSON type ${type}>`;
  }
}

/** @param budget no more is written than will be shown: a reply may hold thousands of documents */
function container(bytes: Uint8Array, start: number, isArray: boolean, budget: number): string {
  const cursor = new ElementCursor(bytes, start);
  const parts: string[] = [];
  let left = budget;
  while (cursor.next()) {
    const text = show(cursor, left);
    const part = isArray ? text : `${showKey(cursor.name)}: ${text}`;
    left -= part.length;
    parts.push(part);
    if (left < 0) {
      parts.push('…');
      break;
    }
  }
  return isArray ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

function showKey(key: string): string {
  return /^[A-Za-z_$][\w.$]*$/.test(key) ? key : JSON.stringify(key);
}

function showDouble(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}

function showDate(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `Date(${ms})` : `ISODate("${date.toISOString()}")`;
}

function showBinary(subtype: number, data: Uint8Array): string {
  return subtype === 4 && data.length === 16 ? `UUID("${formatUuid(data)}")` : `BinData(${subtype}, ${toHex(data)})`;
}
