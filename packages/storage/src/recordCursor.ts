import type { StoredDocument } from './storedDocument.ts';
import type { NumberTree } from './tree.ts';
import type { TreeCursor } from './treeCursor.ts';

/** Walks a record store in natural order: `while (cursor.next()) use(cursor.recordId, cursor.document)`. */
export class RecordCursor {
  readonly #cursor: TreeCursor<number, StoredDocument>;
  readonly #from: number | undefined;
  readonly #reverse: boolean;
  #started = false;

  constructor(records: NumberTree<StoredDocument>, from: number | undefined, reverse: boolean) {
    this.#cursor = records.cursor();
    this.#from = from;
    this.#reverse = reverse;
  }

  get recordId(): number {
    return this.#cursor.key;
  }

  get document(): StoredDocument {
    return this.#cursor.value;
  }

  /** Moves to the next record; false at the end. Records inserted ahead of it meanwhile are met. */
  next(): boolean {
    const cursor = this.#cursor;
    if (this.#started) return this.#reverse ? cursor.previous() : cursor.next();
    const from = this.#from;
    const found = this.#reverse
      ? from === undefined
        ? cursor.last()
        : cursor.seekBack(from)
      : from === undefined
        ? cursor.first()
        : cursor.seek(from);
    this.#started = found;
    return found;
  }
}
