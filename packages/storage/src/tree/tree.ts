import type { Collator } from '@replsim/query';
import { compareKeys } from '../keys/collatedKeys.ts';
import { OrderedTree } from './orderedTree.ts';

/** An ordered map by number (record ids). The searches stand twice so that each compares one type only. */
export class NumberTree<V> extends OrderedTree<number, V> {
  override snapshot(): NumberTree<V> {
    this.disown();
    return new NumberTree<V>(this);
  }

  protected override firstNotBelow(keys: readonly number[], key: number): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  protected override childFor(keys: readonly number[], key: number): number {
    let low = 0;
    let high = keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (keys[middle]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** An ordered map by string (index keys), in the order of char codes. */
export class StringTree<V> extends OrderedTree<string, V> {
  /** Negative, zero or positive, as `a` lies before, at or behind `b` in this tree. */
  compare(a: string, b: string): number {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  override snapshot(): StringTree<V> {
    this.disown();
    return new StringTree<V>(this);
  }

  protected override firstNotBelow(keys: readonly string[], key: string): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  protected override childFor(keys: readonly string[], key: string): number {
    let low = 0;
    let high = keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (keys[middle]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** An ordered map by index keys whose strings a collator orders; keys that it finds equal are one. */
export class CollatedTree<V> extends StringTree<V> {
  readonly #collator: Collator;

  constructor(collator: Collator, source?: CollatedTree<V>) {
    super(source);
    this.#collator = collator;
  }

  override snapshot(): CollatedTree<V> {
    this.disown();
    return new CollatedTree<V>(this.#collator, this);
  }

  override compare(a: string, b: string): number {
    return compareKeys(a, b, this.#collator);
  }

  override equal(a: string | undefined, b: string): boolean {
    return a !== undefined && this.compare(a, b) === 0;
  }

  protected override firstNotBelow(keys: readonly string[], key: string): number {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(keys[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  protected override childFor(keys: readonly string[], key: string): number {
    let low = 0;
    let high = keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.compare(keys[middle]!, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
