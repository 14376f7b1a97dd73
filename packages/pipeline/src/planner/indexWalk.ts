import { type CollectionView, type IndexBounds, type IndexCursor, type IndexView, placeOf } from '@replsim/storage';
import { readableIndex } from './readableIndexes.ts';

/**
 * Walks ranges of an index in their order. Ranges that are taken apart end where they end; of others, the key that is found behind
 * one is looked at too, to see whether the next has begun. Upstream: index_scan.cpp and index_bounds.cpp, IndexBoundsChecker.
 */
export class IndexWalk {
  readonly #collection: CollectionView;
  readonly #index: IndexView;
  readonly #ranges: readonly IndexBounds[];
  /** If not, later ranges are reached by going on, so that a cursor on one of several has no end of its own. */
  readonly #apart: boolean;
  #at = 0;
  #cursor: IndexCursor | undefined;
  keysExamined = 0;
  /** How often the walk has not gone on to the next key, but looked for its place. */
  seeks = 0;

  /** @param apart whether each range is looked up by itself, as the only one is; they may then stand in any order */
  constructor(collection: CollectionView, index: IndexView, ranges: readonly IndexBounds[], apart: boolean) {
    this.#collection = collection;
    this.#index = index;
    this.#ranges = ranges;
    this.#apart = apart;
  }

  get recordId(): number {
    return this.#cursor!.recordId;
  }

  /** Moves to the next key in the ranges; false at their end. */
  next(): boolean {
    for (let range = this.#ranges[this.#at]; range; range = this.#ranges[this.#at]) {
      this.#cursor ??= this.#seek(range);
      if (!this.#cursor.next()) {
        if (!this.#apart) break;
        this.#at += 1;
        this.#cursor = undefined;
        continue;
      }
      this.keysExamined += 1;
      if (this.#apart || this.#isInRange(this.#cursor.key)) return true;
    }
    this.#at = this.#ranges.length;
    return false;
  }

  #seek(range: IndexBounds): IndexCursor {
    this.seeks += 1;
    const index = readableIndex(this.#collection, this.#index.spec.name) ?? this.#index;
    return index.range(this.#apart ? range : openEnded(range));
  }

  /** Goes on to the range that the key is in, or that is to be looked for next. */
  #isInRange(key: string): boolean {
    for (; this.#at < this.#ranges.length; this.#at++) {
      const place = placeOf(key, this.#ranges[this.#at]!, this.#index.spec.collator);
      if (place === 0) return true;
      if (place < 0) break;
    }
    this.#cursor = undefined;
    return false;
  }
}

/** A range without its far end. */
function openEnded({ lower, lowerInclusive, upper, upperInclusive, reverse }: IndexBounds): IndexBounds {
  if (reverse) {
    return upper === undefined ? { reverse } : { upper, upperInclusive: upperInclusive ?? true, reverse };
  }
  return lower === undefined ? {} : { lower, lowerInclusive: lowerInclusive ?? true };
}
