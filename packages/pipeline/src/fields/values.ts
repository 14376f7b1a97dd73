import {
  BsonType,
  type BsonValue,
  BsonWriter,
  decodePromoted,
  readDecimalAsNumber,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
} from '@replsim/protocol';

/** The greatest int32. */
export const INT32_MAX = 2_147_483_647;
const TWO_TO_63 = 2 ** 63;
const INT64_MAX = 2n ** 63n - 1n;

const typeNames = new Map<number, string>(Object.entries(BsonType).map(([name, type]) => [type, name]));

/** A BSON type as MongoDB's messages spell it. Upstream: bsontypes.cpp, typeName. */
export function typeName(type: number): string {
  return typeNames.get(type) ?? 'missing';
}

export function isNumeric(type: number): boolean {
  return type === BsonType.int || type === BsonType.long || type === BsonType.double || type === BsonType.decimal;
}

/** A numeric value as a double; an int64 above 2^53 and a decimal are rounded. Other types give NaN. */
export function numberOf(value: BsonValue): number {
  const { bytes, offset } = value;
  switch (value.type) {
    case BsonType.int:
      return readInt32(bytes, offset);
    case BsonType.double:
      return readDouble(bytes, offset);
    case BsonType.long:
      return readInt64AsNumber(bytes, offset);
    case BsonType.decimal:
      return readDecimalAsNumber(bytes, offset);
    default:
      return Number.NaN;
  }
}

/**
 * As mongod reads a whole number from any numeric type: the fraction is cut off, NaN is 0, and what an int64 cannot hold is
 * the nearest that it can. Upstream: safeNumberLong.
 */
export function wholeNumberOf(value: BsonValue): number {
  const number = numberOf(value);
  return Number.isNaN(number) ? 0 : Math.min(Math.max(Math.trunc(number) + 0, -TWO_TO_63), TWO_TO_63);
}

/** As mongod reads a truth from anything: false, null, undefined and zero are false. Upstream: BSONElement::trueValue. */
export function truthOf(value: BsonValue): boolean {
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  if (value.type === BsonType.null || value.type === BsonType.undefined) return false;
  return !isNumeric(value.type) || numberOf(value) !== 0;
}

/** An int64 without loss, from any numeric type. */
export function int64Of(value: BsonValue): bigint {
  if (value.type === BsonType.long) return readInt64(value.bytes, value.offset);
  const number = wholeNumberOf(value);
  return number < TWO_TO_63 ? BigInt(number) : INT64_MAX;
}

/** The bytes of a document or array value, where they lie. */
export function bytesOf(value: BsonValue): Uint8Array {
  return value.bytes.subarray(value.offset, value.offset + value.size);
}

/** A value as a promoted JS value, for messages and parameters. */
export function jsValueOf(value: BsonValue): unknown {
  const writer = new BsonWriter(value.size + 32);
  writer.rawValue('v', value);
  return decodePromoted(writer.finish()).v;
}
