/** Finding a value among many: a list that a client sends may have 100,000 elements, and is asked of as many documents. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import type { Collator } from './collation/collator.ts';
import { compareRaw, compareValues } from './compare.ts';
import { type Slices, sortInParts } from './turns/parts.ts';

/** The same as the constructor makes, in parts. */
export function* sortedInParts(values: readonly BsonValue[], collator: Collator | undefined): Slices<SortedValues> {
  const order = yield* sortInParts([...values.keys()], placeOrder(values, collator));
  return new SortedValues(values, collator, order);
}

/** Of equal values the first comes first; where values have no order, all are equal. */
function placeOrder(values: readonly BsonValue[], collator: Collator | undefined): (a: number, b: number) => number {
  const ordered = isOrdered(values, collator);
  return (a, b) => (ordered ? compareValues(values[a]!, values[b]!, collator) : 0) || a - b;
}

/** A symbol equals strings by their bytes, which is no order beside a collation; such lists are looked through. */
function isOrdered(values: readonly BsonValue[], collator: Collator | undefined): boolean {
  return collator === undefined || !values.some(({ type }) => type === BsonType.symbol);
}

/** Values in MongoDB's order, in which one is found by halving. */
export class SortedValues {
  readonly #values: readonly BsonValue[];
  /** Places in `#values`, by their values' order; of equal ones the first place comes first. */
  readonly #order: readonly number[];
  readonly #collator: Collator | undefined;
  readonly #isOrdered: boolean;

  /** @param order the places in order, where they are known */
  constructor(values: readonly BsonValue[], collator?: Collator, order?: readonly number[]) {
    this.#values = values;
    this.#collator = collator;
    this.#isOrdered = isOrdered(values, collator);
    this.#order = order ?? [...values.keys()].sort(placeOrder(values, collator));
  }

  /** The place of the first value that equals this one, or -1. */
  indexOf(type: number, bytes: Uint8Array, offset: number): number {
    if (!this.#isOrdered || (this.#collator && type === BsonType.symbol)) {
      return this.#values.findIndex((_, place) => this.#compare(place, type, bytes, offset) === 0);
    }
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#order[middle]!, type, bytes, offset) < 0) low = middle + 1;
      else high = middle;
    }
    const place = this.#order[low];
    return place !== undefined && this.#compare(place, type, bytes, offset) === 0 ? place : -1;
  }

  #compare(place: number, type: number, bytes: Uint8Array, offset: number): number {
    const value = this.#values[place]!;
    return compareRaw(value.type, value.bytes, value.offset, type, bytes, offset, this.#collator);
  }
}
