import type { CollectionView, IndexCursor } from '@replsim/storage';
import type { Found } from './expiredScan.ts';

/** Fetches the documents of one or several ranges, one after the other, and counts what it examines. */
export class RangeReader {
  readonly #collection: CollectionView;
  readonly #cursors: IndexCursor[];
  #examined = 0;

  constructor(collection: CollectionView, ...cursors: IndexCursor[]) {
    this.#collection = collection;
    this.#cursors = cursors;
  }

  next(): Found | undefined {
    for (;;) {
      const cursor = this.#cursors[0];
      if (!cursor) return undefined;
      if (cursor.next()) {
        this.#examined += 1;
        const { recordId } = cursor;
        return { recordId, document: this.#collection.get(recordId)! };
      }
      this.#cursors.shift();
    }
  }

  takeExamined(): number {
    const examined = this.#examined;
    this.#examined = 0;
    return examined;
  }
}
