/** Finding a value among many: a list that a client sends may have 100,000 elements, and is asked of as many documents. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import type { Collator } from './collation/collator.ts';
import { compareRaw, compareValues } from './compare.ts';

/** Values in MongoDB's order, in which one is found by halving. */
export class SortedValues {
  readonly #values: readonly BsonValue[];
  /** Places in `#values`, by their values' order; of equal ones the first place comes first. */
  readonly #order: readonly number[];
  readonly #collator: Collator | undefined;
  /** A symbol equals strings by their bytes, which is no order beside a collation; such lists are looked through. */
  readonly #isOrdered: boolean;

  constructor(values: readonly BsonValue[], collator?: Collator) {
    this.#values = values;
    this.#collator = collator;
    this.#isOrdered = collator === undefined || !values.some(({ type }) => type === BsonType.symbol);
    this.#order = values
      .map((_, place) => place)
      .sort((a, b) => (this.#isOrdered ? compareValues(values[a]!, values[b]!, collator) : 0) || a - b);
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
