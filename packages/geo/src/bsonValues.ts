/** Reading the values of which clients make shapes. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  readDecimalAsNumber,
  readDouble,
  readInt32,
  readInt64AsNumber,
} from '@replsim/protocol';

export function badValue(errmsg: string): CommandError {
  return new CommandError('BadValue', errmsg);
}

/** A document or an array. */
export function isNested(value: BsonValue | undefined): value is BsonValue {
  return value !== undefined && (value.type === BsonType.object || value.type === BsonType.array);
}

/** What a document or an array holds, by name. */
export function membersOf({ bytes, offset }: BsonValue): [name: string, value: BsonValue][] {
  const members: [string, BsonValue][] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) members.push([cursor.name, cursor.value()]);
  return members;
}

export function elementsOf(value: BsonValue): BsonValue[] {
  return membersOf(value).map(([, element]) => element);
}

/** The field of a document; undefined if it has none of this name. */
export function memberOf(value: BsonValue, name: string): BsonValue | undefined {
  return membersOf(value).find(([other]) => other === name)?.[1];
}

/** A number of any of the four types as a double; undefined for what is none. */
export function numberOf(value: BsonValue | undefined): number | undefined {
  switch (value?.type) {
    case BsonType.double:
      return readDouble(value.bytes, value.offset);
    case BsonType.int:
      return readInt32(value.bytes, value.offset);
    case BsonType.long:
      return readInt64AsNumber(value.bytes, value.offset);
    case BsonType.decimal:
      return readDecimalAsNumber(value.bytes, value.offset);
    default:
      return undefined;
  }
}
