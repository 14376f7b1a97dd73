/** A `$reduce` whose value only grows: what is added goes behind the rest, and the rest is not written anew each time. */
import { BsonType, type BsonValue, ElementCursor, readString } from '@replsim/protocol';
import { elementsOf, firstName, fromJs } from '../values.ts';
import { ArrayBuilder } from './operands.ts';
import type { Operand } from './operator.ts';

/** The value of such a `$reduce`. */
export interface Growing {
  /** @param computed what the rest of the call's arguments come to; @returns false for what is for the operator to judge */
  add(computed: readonly Operand[]): boolean;
  /** What it has grown to. */
  value(): BsonValue;
}

/** A call of `$concat` or `$concatArrays` that begins with `$$value`, and does not look at it otherwise. */
export interface Growth {
  readonly begin: (initial: Operand) => Growing | undefined;
  /** What is added. */
  readonly added: readonly BsonValue[];
}

export function growthOf(call: BsonValue): Growth | undefined {
  const name = call.type === BsonType.object ? firstName(call) : undefined;
  const begin = name === '$concat' ? growingText : name === '$concatArrays' ? growingArray : undefined;
  const [operand, ...others] = begin ? elementsOf(call) : [];
  if (!begin || operand?.type !== BsonType.array || others.length > 0) return undefined;
  const [first, ...added] = elementsOf(operand);
  const isValue = first?.type === BsonType.string && readString(first) === '$$value';
  return isValue && !added.some(mentionsValue) ? { begin, added } : undefined;
}

function mentionsValue(value: BsonValue): boolean {
  if (value.type === BsonType.string) return /^\$\$value(\.|$)/.test(readString(value));
  if (value.type !== BsonType.object && value.type !== BsonType.array) return false;
  return elementsOf(value).some(mentionsValue);
}

function growingText(initial: Operand): Growing | undefined {
  if (initial?.type !== BsonType.string) return undefined;
  const texts = [readString(initial)];
  return {
    add(computed) {
      if (!areAll(computed, BsonType.string)) return false;
      for (const each of computed) texts.push(readString(each));
      return true;
    },
    value: () => fromJs(texts.join('')),
  };
}

function growingArray(initial: Operand): Growing | undefined {
  if (initial?.type !== BsonType.array) return undefined;
  const array = new ArrayBuilder();
  const push = ({ bytes, offset }: BsonValue) => {
    for (const cursor = new ElementCursor(bytes, offset); cursor.next(); ) array.push(cursor);
  };
  push(initial);
  return {
    add(computed) {
      if (!areAll(computed, BsonType.array)) return false;
      for (const each of computed) push(each);
      return true;
    },
    value: () => array.finish(),
  };
}

function areAll(values: readonly Operand[], type: number): values is readonly BsonValue[] {
  return values.every((value) => value?.type === type);
}
