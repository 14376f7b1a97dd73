import { BsonType, type BsonValue, readDouble, readInt32, readInt64AsNumber } from '@replsim/protocol';

/** A BSON number as a JS one (longs rounded, decimals as NaN); undefined if it is no number. */
export function readAsNumber({ type, bytes, offset }: BsonValue): number | undefined {
  switch (type) {
    case BsonType.int:
      return readInt32(bytes, offset);
    case BsonType.long:
      return readInt64AsNumber(bytes, offset);
    case BsonType.double:
      return readDouble(bytes, offset);
    case BsonType.decimal:
      return Number.NaN;
    default:
      return undefined;
  }
}

/** What mongod takes for true in an option: `true`, and any number but zero. */
export function isTrue(value: BsonValue | undefined): boolean {
  if (value === undefined) return false;
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  return (readAsNumber(value) ?? 0) !== 0;
}
