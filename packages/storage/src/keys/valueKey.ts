/** The chars of one BSON value inside an index key: its rank, then what orders it among its kind. */
import { BsonType, CommandError, cStringEnd, readInt32, readUtf8, valueSize } from '@replsim/protocol';
import { canonicalType } from '@replsim/query';
import { pushText } from './collatedKeys.ts';
import { pushNumber } from './numberKey.ts';

/** What stands for a string in keys of a collation: itself in an index, whatever it equals where values are gathered. */
export type TextOf = (text: string) => string;

/** For keys of an index. */
export const ITSELF: TextOf = (text) => text;

/**
 * Appends the rank of a value's type, then what orders it among its kind. With `textOf` strings are for a collator to
 * compare; in an index, `ITSELF`, a symbol is then CommandError 201 (CannotBuildIndexKeys). Upstream: collation_index_key.cpp.
 */
export function pushValue(chars: number[], type: number, bytes: Uint8Array, offset: number, textOf?: TextOf): void {
  chars.push(canonicalType(type));
  pushBody(chars, type, bytes, offset, textOf);
}

function pushBody(chars: number[], type: number, bytes: Uint8Array, offset: number, textOf: TextOf | undefined): void {
  switch (type) {
    case BsonType.double:
    case BsonType.int:
    case BsonType.long:
    case BsonType.decimal:
      pushNumber(chars, type, bytes, offset);
      break;
    case BsonType.string:
      if (textOf) pushText(chars, textOf(readUtf8(bytes, offset + 4, offset + 3 + readInt32(bytes, offset))));
      else pushString(chars, bytes, offset);
      break;
    case BsonType.symbol:
      if (textOf === ITSELF) throw new CommandError('CannotBuildIndexKeys', 'a collation cannot index symbols');
      pushString(chars, bytes, offset);
      break;
    case BsonType.javascript:
      pushString(chars, bytes, offset);
      break;
    case BsonType.object:
      pushDocument(chars, bytes, offset, true, textOf);
      break;
    case BsonType.array:
      pushDocument(chars, bytes, offset, false, textOf);
      break;
    case BsonType.binData:
      pushBinary(chars, bytes, offset);
      break;
    case BsonType.objectId:
      pushBytes(chars, bytes, offset, offset + 12);
      break;
    case BsonType.bool:
      chars.push(bytes[offset]!);
      break;
    case BsonType.date:
      pushInt32(chars, readInt32(bytes, offset + 4) ^ 0x80000000);
      pushInt32(chars, readInt32(bytes, offset));
      break;
    case BsonType.timestamp:
      pushInt32(chars, readInt32(bytes, offset + 4));
      pushInt32(chars, readInt32(bytes, offset));
      break;
    case BsonType.regex:
      pushRegex(chars, bytes, offset);
      break;
    case BsonType.dbPointer: {
      // By length first, as binary data are.
      const size = readInt32(bytes, offset);
      pushInt32(chars, size);
      pushBytes(chars, bytes, offset + 4, offset + 4 + size + 12);
      break;
    }
    case BsonType.javascriptWithScope:
      pushString(chars, bytes, offset + 4);
      pushDocument(chars, bytes, offset + 8 + readInt32(bytes, offset + 4), true, undefined);
      break;
    default:
      // Null, undefined, MinKey and MaxKey are all said by their rank.
      break;
  }
}

/** Strings are UTF-8 bytes ended by 0; a 0 inside is followed by 255, which begins no other part. */
function pushString(chars: number[], bytes: Uint8Array, offset: number): void {
  const end = offset + 4 + readInt32(bytes, offset) - 1;
  for (let i = offset + 4; i < end; i++) {
    const byte = bytes[i]!;
    chars.push(byte);
    if (byte === 0) chars.push(255);
  }
  chars.push(0);
}

/** Elements in turn: rank, name (not in arrays), value; then a 0, which is below every rank: the shorter comes first. */
function pushDocument(
  chars: number[],
  bytes: Uint8Array,
  start: number,
  names: boolean,
  textOf: TextOf | undefined,
): void {
  let at = start + 4;
  const end = start + readInt32(bytes, start) - 1;
  while (at < end) {
    const type = bytes[at]!;
    const nameEnd = cStringEnd(bytes, at + 1);
    chars.push(canonicalType(type));
    if (names) pushBytes(chars, bytes, at + 1, nameEnd + 1);
    pushBody(chars, type, bytes, nameEnd + 1, textOf);
    at = nameEnd + 1 + valueSize(type, bytes, nameEnd + 1);
  }
  chars.push(0);
}

/** Length, subtype, data: the order in which they count. */
function pushBinary(chars: number[], bytes: Uint8Array, offset: number): void {
  const size = readInt32(bytes, offset);
  pushInt32(chars, size);
  pushBytes(chars, bytes, offset + 4, offset + 5 + size);
}

function pushRegex(chars: number[], bytes: Uint8Array, offset: number): void {
  const patternEnd = cStringEnd(bytes, offset);
  const optionsEnd = cStringEnd(bytes, patternEnd + 1);
  pushBytes(chars, bytes, offset, optionsEnd + 1);
}

function pushBytes(chars: number[], bytes: Uint8Array, start: number, end: number): void {
  for (let i = start; i < end; i++) chars.push(bytes[i]!);
}

/** Appends 32 bits, the highest first. */
export function pushInt32(chars: number[], value: number): void {
  chars.push((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}
