/** What operators of expressions ask of their arguments, and make. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  doubleOfExact,
  ElementCursor,
  indexName,
  readDecimal,
  readInt64,
  readString,
} from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compareRaw, MISSING_TYPE, readNumber } from '../compare.ts';
import { ELEMENTS_AT_ONCE, ELEMENTS_STEPS, type Slices } from '../turns/parts.ts';
import { typeName } from '../typeNames.ts';
import { builtValue, fromJs, isNumeric, readInteger } from '../values.ts';
import type { Operand } from './operator.ts';

export const NULL = fromJs(null);

/** Missing, null or undefined, of which most operators make null. */
export function isNullish(value: Operand): value is undefined {
  return value === undefined || value.type === BsonType.null || value.type === BsonType.undefined;
}

/** None of them is missing, undefined or null. */
export function areThere(args: readonly Operand[]): args is readonly BsonValue[] {
  return !args.some((arg) => isNullish(arg));
}

/** Any number; one that a double has not is the nearest that it has. */
export function toDouble({ type, bytes, offset }: BsonValue): number {
  return type === BsonType.decimal ? doubleOfExact(readDecimal(bytes, offset)) : readNumber(type, bytes, offset);
}

/** Of a date. */
export function millis(date: BsonValue): bigint {
  return readInt64(date.bytes, date.offset);
}

export function arrayValue(values: readonly BsonValue[]): BsonValue {
  const array = new ArrayBuilder();
  for (const value of values) array.push(value);
  return array.finish();
}

/** An array in the making. */
export class ArrayBuilder {
  readonly #writer = new BsonWriter(64);
  length = 0;

  constructor() {
    this.#writer.beginArray('');
  }

  push(value: BsonValue): void {
    this.#writer.rawValue(indexName(this.length++), value);
  }

  finish(): BsonValue {
    this.#writer.endArray();
    return builtValue(this.#writer);
  }
}

/** The same in parts, for as many as a client likes. */
export function* arrayInParts(values: readonly BsonValue[]): Slices<BsonValue> {
  const array = new ArrayBuilder();
  for (const value of values) {
    array.push(value);
    if (array.length % ELEMENTS_AT_ONCE === 0) yield ELEMENTS_STEPS;
  }
  return array.finish();
}

/**
 * What an operator refuses: clients know each by words of its own, which the value's type ends.
 * @param words such as `$in requires an array as a second argument, found: `
 */
export function refused(code: number, words: string, value: Operand): CommandError {
  return new CommandError(code, words + typeName(value?.type ?? MISSING_TYPE));
}

/** The elements of what must be an array. @param words as for `refused` */
export function* listOf(value: Operand, code: number, words: string): Slices<readonly BsonValue[]> {
  if (value?.type !== BsonType.array) throw refused(code, words, value);
  return yield* elementsInParts(value);
}

/** All elements of an array, or values of a document. */
export function* elementsInParts(value: BsonValue): Slices<readonly BsonValue[]> {
  const elements: BsonValue[] = [];
  for (const cursor = new ElementCursor(value.bytes, value.offset); cursor.next(); ) {
    elements.push(cursor.value());
    if (elements.length % ELEMENTS_AT_ONCE === 0) yield ELEMENTS_STEPS;
  }
  return elements;
}

/** The text of what must be a string. @param words as for `refused` */
export function textOf(value: Operand, code: number, words: string): string {
  if (value?.type === BsonType.string) return readString(value);
  throw refused(code, words, value);
}

/** What must be a number. */
export function numberIn(value: Operand, code: number, what: string): BsonValue {
  if (value && isNumeric(value.type)) return value;
  throw refused(code, `${what} must be a number, but is of type `, value);
}

/** A number of any type that is a whole one of 32 bits. Upstream: value.cpp, Value::integral. */
export function int32In(value: Operand, code: number, what: string): number {
  const whole = value && readInteger(value);
  if (whole !== undefined && BigInt.asIntN(32, whole) === whole) return Number(whole);
  throw new CommandError(code, `${what} must be a whole number of 32 bits`);
}

/** In the order of expressions, where a missing value is below null, unlike in a filter. */
export function compareOperands(a: Operand, b: Operand, collator: Collator | undefined): number {
  if (a === undefined || b === undefined) {
    const rank = (value: Operand) => (value === undefined ? 0 : value.type === BsonType.undefined ? 1 : 2);
    const other = a ?? b;
    if (other === undefined || isNullish(other)) return rank(a) - rank(b);
    return a === undefined
      ? compareRaw(MISSING_TYPE, other.bytes, 0, other.type, other.bytes, other.offset)
      : compareRaw(other.type, other.bytes, other.offset, MISSING_TYPE, other.bytes, 0);
  }
  return compareRaw(a.type, a.bytes, a.offset, b.type, b.bytes, b.offset, collator);
}
