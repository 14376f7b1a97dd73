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
