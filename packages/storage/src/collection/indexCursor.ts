import type { Collator } from '@replsim/query';
import { compareKeys } from '../keys/collatedKeys.ts';
import { AFTER_PREFIX } from '../keys/keys.ts';
import type { StringTree } from '../tree/tree.ts';
import type { TreeCursor } from '../tree/treeCursor.ts';

/**
 * A range of an index, in the order of its keys (so for a descending field the larger value is the `lower`).
 * A bound is a key from `encodeKey`, `encodeCompoundKey` or `typePrefix`, of some or all parts of the index; it stands
 * for every key that begins with it. Bounds are inclusive unless said otherwise.
 */
export interface IndexBounds {
  readonly lower?: string;
  readonly lowerInclusive?: boolean;
  readonly upper?: string;
  readonly upperInclusive?: boolean;
  /** From the upper end to the lower. */
  readonly reverse?: boolean;
}

/** Whether a key of an index with this collation is before the range, in it or behind it, in the order of a walk through it: -1, 0, 1. */
export function placeOf(key: string, bounds: IndexBounds, collator: Collator | undefined): -1 | 0 | 1 {
  const { lower = '', lowerInclusive = true, upper, upperInclusive = true, reverse = false } = bounds;
  const from = lowerInclusive ? lower : lower + AFTER_PREFIX;
  if (compareKeys(key, from, collator) < 0) return reverse ? 1 : -1;
  const end = upper !== undefined && upperInclusive ? upper + AFTER_PREFIX : upper;
  if (end !== undefined && compareKeys(key, end, collator) >= 0) return reverse ? -1 : 1;
  return 0;
}

/** Walks a range of an index: `while (cursor.next()) use(cursor.recordId)`. One document may come up for several keys. */
export class IndexCursor {
  readonly #entries: StringTree<number>;
  readonly #cursor: TreeCursor<string, number>;
  /** Entries from here on … */
  readonly #lower: string;
  /** … and below this; undefined for no limit. */
  readonly #end: string | undefined;
  readonly #reverse: boolean;
  #started = false;

  constructor(entries: StringTree<number>, bounds: IndexBounds) {
    const { lower = '', lowerInclusive = true, upper, upperInclusive = true, reverse = false } = bounds;
    this.#entries = entries;
    this.#cursor = entries.cursor();
    this.#lower = lowerInclusive ? lower : lower + AFTER_PREFIX;
    this.#end = upper !== undefined && upperInclusive ? upper + AFTER_PREFIX : upper;
    this.#reverse = reverse;
  }

  /** The entry's key, its record id included. */
  get key(): string {
    return this.#cursor.key;
  }

  get recordId(): number {
    return this.#cursor.value;
  }

  /** Moves to the next entry; false at the end of the range. Entries put ahead of it meanwhile are met. */
  next(): boolean {
    const cursor = this.#cursor;
    if (this.#reverse) {
      const found = this.#started ? cursor.previous() : this.#seekEnd();
      this.#started ||= found;
      return found && this.#entries.compare(cursor.key, this.#lower) >= 0;
    }
    const found = this.#started ? cursor.next() : cursor.seek(this.#lower);
    this.#started ||= found;
    return found && (this.#end === undefined || this.#entries.compare(cursor.key, this.#end) < 0);
  }

  #seekEnd(): boolean {
    return this.#end === undefined ? this.#cursor.last() : this.#cursor.seekBack(this.#end, false);
  }
}
