/**
 * Values as one string of bytes that compares as the values do, which is what resume tokens are made of. Other than the keys
 * that storage's indexes have here, these bytes are upstream's to the last bit. Upstream: key_string.cpp, version 1, ascending.
 */
import {
  BsonType,
  type BsonValue,
  DECIMAL_EXPONENT_BIAS,
  ElementCursor,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  type Timestamp,
} from '@replsim/protocol';
import { decimalKey } from './keyDecimals.ts';
import { bytesOf, doubleKey, integerKey } from './keyNumbers.ts';
import { TypeBits } from './typeBits.ts';

const END = 0x04;
const KeyType = {
  undefined: 0x0f,
  minKey: 0x0a,
  null: 0x14,
  number: 0x1e,
  string: 0x3c,
  object: 0x46,
  array: 0x50,
  binData: 0x5a,
  objectId: 0x64,
  bool: 0x6e,
  date: 0x78,
  timestamp: 0x82,
  regex: 0x8c,
  dbPointer: 0x96,
  javascript: 0xa0,
  javascriptWithScope: 0xaa,
  maxKey: 0xf0,
} as const;

/** By which byte a field's type is told before its name. Upstream: bsonTypeToGenericKeyStringType. */
const genericTypes: ReadonlyMap<number, number> = new Map([
  [BsonType.minKey, KeyType.minKey],
  [BsonType.undefined, KeyType.undefined],
  [BsonType.null, KeyType.null],
  [BsonType.double, KeyType.number],
  [BsonType.int, KeyType.number],
  [BsonType.long, KeyType.number],
  [BsonType.decimal, KeyType.number],
  [BsonType.string, KeyType.string],
  [BsonType.symbol, KeyType.string],
  [BsonType.object, KeyType.object],
  [BsonType.array, KeyType.array],
  [BsonType.binData, KeyType.binData],
  [BsonType.objectId, KeyType.objectId],
  [BsonType.bool, KeyType.bool],
  [BsonType.date, KeyType.date],
  [BsonType.timestamp, KeyType.timestamp],
  [BsonType.regex, KeyType.regex],
  [BsonType.dbPointer, KeyType.dbPointer],
  [BsonType.javascript, KeyType.javascript],
  [BsonType.javascriptWithScope, KeyType.javascriptWithScope],
  [BsonType.maxKey, KeyType.maxKey],
]);

/** Numbers' types. Upstream: TypeBits::kInt and its neighbours. */
const INT = 0b00;
const LONG = 0b01;
const DOUBLE = 0b10;
const DECIMAL = 0b11;
const NEGATIVE_ZERO = 0b11000;
const FIRST_DECIMAL_ZERO = 0b11010;
/** How many exponents a decimal may have, and how much of one is kept beside a key that is not zero. */
const DECIMAL_EXPONENTS = 0x3000;
const KEPT_EXPONENT_BITS = 6;

/** What a key says, in hexadecimal digits, and what it leaves out. */
export interface KeyString {
  /** Upper-case. */
  readonly hex: string;
  readonly typeBits: Uint8Array | undefined;
}

/** Writes one key, value by value. */
export class KeyStringWriter {
  readonly #bytes: number[] = [];
  readonly #bits = new TypeBits();

  timestamp({ t, i }: Timestamp): void {
    this.#bytes.push(KeyType.timestamp, t >>> 24, (t >>> 16) & 0xff, (t >>> 8) & 0xff, t & 0xff);
    this.#bytes.push(i >>> 24, (i >>> 16) & 0xff, (i >>> 8) & 0xff, i & 0xff);
  }

  int32(value: number): void {
    this.#bits.append(INT, 2);
    this.#put(integerKey(BigInt(value)));
  }

  bool(value: boolean): void {
    this.#bytes.push(KeyType.bool + (value ? 1 : 0));
  }

  null(): void {
    this.#bytes.push(KeyType.null);
  }

  /** @param uuid 16 bytes */
  uuid(uuid: Uint8Array): void {
    this.#binary(4, uuid);
  }

  /** @param document BSON */
  document(document: Uint8Array): void {
    this.#bytes.push(KeyType.object);
    this.#fields(document, 0);
  }

  finish(): KeyString {
    this.#bytes.push(END);
    return { hex: hexOf(this.#bytes), typeBits: this.#bits.finish() };
  }

  #put(bytes: ArrayLike<number>): void {
    for (let i = 0; i < bytes.length; i++) this.#bytes.push(bytes[i]!);
  }

  #fields(bytes: Uint8Array, offset: number): void {
    const cursor = new ElementCursor(bytes, offset);
    while (cursor.next()) {
      this.#bytes.push(genericTypes.get(cursor.type)!);
      this.#cString(bytes.subarray(cursor.nameStart, cursor.nameEnd));
      this.#value(cursor);
    }
    this.#bytes.push(0);
  }

  #value(value: BsonValue): void {
    const { type, bytes, offset, size } = value;
    switch (type) {
      case BsonType.double:
      case BsonType.int:
      case BsonType.long:
      case BsonType.decimal:
        return this.#number(value);
      case BsonType.string:
      case BsonType.symbol:
        this.#bits.append(type === BsonType.symbol ? 1 : 0, 1);
        return this.#text(KeyType.string, bytes.subarray(offset + 4, offset + size - 1));
      case BsonType.object:
        this.#bytes.push(KeyType.object);
        return this.#fields(bytes, offset);
      case BsonType.array:
        return this.#array(bytes, offset);
      case BsonType.binData:
        return this.#binary(bytes[offset + 4]!, bytes.subarray(offset + 5, offset + size));
      case BsonType.objectId:
        this.#bytes.push(KeyType.objectId);
        return this.#put(bytes.subarray(offset, offset + 12));
      case BsonType.bool:
        return this.bool(bytes[offset] === 1);
      case BsonType.date:
        this.#bytes.push(KeyType.date);
        // With its sign turned round a date before 1970 comes before one after it.
        return this.#put(bytesOf(BigInt.asUintN(64, readInt64(bytes, offset)) ^ (1n << 63n), 8));
      case BsonType.timestamp:
        return this.timestamp({ t: readInt32(bytes, offset + 4) >>> 0, i: readInt32(bytes, offset) >>> 0 });
      case BsonType.regex:
        this.#bytes.push(KeyType.regex);
        return this.#put(bytes.subarray(offset, offset + size));
      case BsonType.dbPointer:
        return this.#dbPointer(value);
      case BsonType.javascript:
        return this.#text(KeyType.javascript, bytes.subarray(offset + 4, offset + size - 1));
      case BsonType.javascriptWithScope:
        return this.#scopedCode(value);
      default:
        this.#bytes.push(genericTypes.get(type)!);
    }
  }

  #number({ type, bytes, offset }: BsonValue): void {
    if (type === BsonType.int) return this.int32(readInt32(bytes, offset));
    if (type === BsonType.long) {
      this.#bits.append(LONG, 2);
      return this.#put(integerKey(readInt64(bytes, offset)));
    }
    if (type === BsonType.decimal) return this.#decimal(bytes, offset);
    const double = readDouble(bytes, offset);
    if (Object.is(double, -0)) this.#bits.append(NEGATIVE_ZERO, 5);
    else this.#bits.append(DOUBLE, 2);
    this.#put(doubleKey(double));
  }

  /** Upstream: BuilderBase::_appendNumberDecimal. */
  #decimal(bytes: Uint8Array, offset: number): void {
    const { special, negative: isNegative, coefficient, exponent } = readDecimal(bytes, offset);
    if (special !== undefined) {
      this.#bits.append(DECIMAL, 2);
      return this.#put(doubleKey(special === 'NaN' ? Number.NaN : isNegative ? -Infinity : Infinity));
    }
    const biased = exponent + DECIMAL_EXPONENT_BIAS;
    if (coefficient === 0n) {
      const which = biased + (isNegative ? DECIMAL_EXPONENTS : 0);
      this.#bits.append(FIRST_DECIMAL_ZERO + (which >> 12), 5);
      this.#bits.append(which & 0xfff, 12);
      return this.#put(doubleKey(0));
    }
    this.#bits.append(DECIMAL, 2);
    this.#bits.append(biased & ((1 << KEPT_EXPONENT_BITS) - 1), KEPT_EXPONENT_BITS);
    this.#put(decimalKey({ coefficient, exponent }, isNegative));
  }

  #array(bytes: Uint8Array, offset: number): void {
    this.#bytes.push(KeyType.array);
    const cursor = new ElementCursor(bytes, offset);
    while (cursor.next()) this.#value(cursor);
    this.#bytes.push(0);
  }

  #binary(subtype: number, data: Uint8Array): void {
    this.#bytes.push(KeyType.binData);
    if (data.length < 0xff) this.#bytes.push(data.length);
    else this.#put([0xff, ...bytesOf(BigInt(data.length), 4)]);
    this.#bytes.push(subtype);
    this.#put(data);
  }

  /** The length of the name, its bytes, an ObjectId. */
  #dbPointer({ bytes, offset, size }: BsonValue): void {
    const name = bytes.subarray(offset + 4, offset + size - 13);
    this.#bytes.push(KeyType.dbPointer);
    this.#put(bytesOf(BigInt(name.length), 4));
    this.#put(name);
    this.#put(bytes.subarray(offset + size - 12, offset + size));
  }

  #scopedCode({ bytes, offset }: BsonValue): void {
    const codeLength = readInt32(bytes, offset + 4);
    this.#text(KeyType.javascriptWithScope, bytes.subarray(offset + 8, offset + 7 + codeLength));
    this.#fields(bytes, offset + 8 + codeLength);
  }

  /** A NUL inside is followed by FF, so that the one at the end is told from it. */
  #text(keyType: number, text: Uint8Array): void {
    this.#bytes.push(keyType);
    for (const byte of text) {
      this.#bytes.push(byte);
      if (byte === 0) this.#bytes.push(0xff);
    }
    this.#bytes.push(0);
  }

  #cString(text: Uint8Array): void {
    this.#put(text);
    this.#bytes.push(0);
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));

function hexOf(bytes: readonly number[]): string {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte]!;
  return hex;
}
