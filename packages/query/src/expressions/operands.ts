/** What operators of expressions ask of their arguments, and make. */
import { BsonType, type BsonValue, indexName, readInt64 } from '@replsim/protocol';
import { readNumber } from '../compare.ts';
import { buildValue } from '../values.ts';
import type { Operand } from './operator.ts';

/** Missing, null or undefined, of which most operators make null. */
export function isNullish(value: Operand): value is undefined {
  return value === undefined || value.type === BsonType.null || value.type === BsonType.undefined;
}

/** None of them is missing, undefined or null. */
export function areThere(args: readonly Operand[]): args is readonly BsonValue[] {
  return !args.some((arg) => isNullish(arg));
}

export function toDouble({ type, bytes, offset }: BsonValue): number {
  return readNumber(type, bytes, offset);
}

/** Of a date. */
export function millis(date: BsonValue): bigint {
  return readInt64(date.bytes, date.offset);
}

export function arrayValue(values: readonly BsonValue[]): BsonValue {
  return buildValue((writer, name) => {
    writer.beginArray(name);
    values.forEach((value, i) => {
      writer.rawValue(indexName(i), value);
    });
    writer.endArray();
  });
}
