/** Reading and building single values. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  cStringEnd,
  decodePromoted,
  ElementCursor,
  type ExactNumber,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readUtf8,
  writeJsValue,
} from '@replsim/protocol';

/** True for int, double, long and decimal. */
export function isNumeric(type: number): boolean {
  return type === BsonType.int || type === BsonType.double || type === BsonType.long || type === BsonType.decimal;
}

/** The two texts of a regular expression. */
export function readRegex({ bytes, offset }: BsonValue): { pattern: string; options: string } {
  const patternEnd = cStringEnd(bytes, offset);
  return {
    pattern: readUtf8(bytes, offset, patternEnd),
    options: readUtf8(bytes, patternEnd + 1, cStringEnd(bytes, patternEnd + 1)),
  };
}

/** A number as a bigint if it is whole and finite, else undefined. */
export function readInteger({ type, bytes, offset }: BsonValue): bigint | undefined {
  if (type === BsonType.int) return BigInt(readInt32(bytes, offset));
  if (type === BsonType.long) return readInt64(bytes, offset);
  if (type === BsonType.double) {
    const value = readDouble(bytes, offset);
    return Number.isInteger(value) ? BigInt(value) : undefined;
  }
  if (type !== BsonType.decimal) return undefined;
  return wholeOf(readDecimal(bytes, offset));
}

/** A number with its fraction cut off; undefined for NaN, the infinities and what is no number. */
export function readTruncated(value: BsonValue): bigint | undefined {
  const { type, bytes, offset } = value;
  if (type === BsonType.double) {
    const number = readDouble(bytes, offset);
    return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
  }
  if (type !== BsonType.decimal) return readInteger(value);
  const exact = readDecimal(bytes, offset);
  if (exact.special !== undefined) return undefined;
  const magnitude =
    exact.exponent >= 0
      ? exact.coefficient * 10n ** BigInt(exact.exponent)
      : exact.coefficient / 10n ** BigInt(-exact.exponent);
  return exact.negative ? -magnitude : magnitude;
}

/** Undefined if there is a fraction, or if it is no number that has an end. */
export function wholeOf({ special, negative, coefficient, exponent }: ExactNumber): bigint | undefined {
  if (special !== undefined) return undefined;
  let magnitude = coefficient;
  if (exponent >= 0) magnitude *= 10n ** BigInt(exponent);
  else {
    const scale = 10n ** BigInt(-exponent);
    if (magnitude % scale !== 0n) return undefined;
    magnitude /= scale;
  }
  return negative ? -magnitude : magnitude;
}

/** What a condition makes of a value: missing, null, undefined, false and zero are false. */
export function isTruthy(value: BsonValue | undefined): boolean {
  if (value === undefined) return false;
  const { type, bytes, offset } = value;
  switch (type) {
    case BsonType.null:
    case BsonType.undefined:
      return false;
    case BsonType.bool:
      return bytes[offset] !== 0;
    case BsonType.double:
      return readDouble(bytes, offset) !== 0;
    case BsonType.int:
      return readInt32(bytes, offset) !== 0;
    case BsonType.long:
      return readInt64(bytes, offset) !== 0n;
    case BsonType.decimal: {
      const { special, coefficient } = readDecimal(bytes, offset);
      return special !== undefined || coefficient !== 0n;
    }
    default:
      return true;
  }
}

/** The elements of an array or document, in order. */
export function elementsOf(value: BsonValue): BsonValue[] {
  const elements: BsonValue[] = [];
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) elements.push(cursor.value());
  return elements;
}

/** How many elements an array has, or fields a document. */
export function countElements({ bytes, offset }: BsonValue): number {
  const cursor = new ElementCursor(bytes, offset);
  let count = 0;
  while (cursor.next()) count++;
  return count;
}

/** The fields of a document, in order. */
export function fieldsOf(bytes: Uint8Array, start = 0): [name: string, value: BsonValue][] {
  const fields: [string, BsonValue][] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) fields.push([cursor.name, cursor.value()]);
  return fields;
}

/** The name of a document's first field, or undefined if it is empty. */
export function firstName({ bytes, offset }: BsonValue): string | undefined {
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() ? cursor.name : undefined;
}

/** Builds one value with a writer; the callback writes exactly one element, under any name. */
export function buildValue(write: (writer: BsonWriter, name: string) => void): BsonValue {
  const writer = new BsonWriter(64);
  write(writer, '');
  return builtValue(writer);
}

/** The one value that was written, under an empty name. */
export function builtValue(writer: BsonWriter): BsonValue {
  const bytes = writer.finish();
  return { type: bytes[4]!, bytes, offset: 6, size: bytes.length - 7 };
}

/** A JS value as a BSON value of its own. */
export function fromJs(value: unknown): BsonValue {
  return buildValue((writer, name) => writeJsValue(writer, name, value));
}

/** A value as JavaScript has it, promoted. */
export function jsOf(value: BsonValue): unknown {
  const writer = new BsonWriter(value.size + 32);
  writer.rawValue('v', value);
  return decodePromoted(writer.finish()).v;
}

/** The whole document as a value. */
export function documentValue(bytes: Uint8Array, start = 0): BsonValue {
  return { type: BsonType.object, bytes, offset: start, size: readInt32(bytes, start) };
}
