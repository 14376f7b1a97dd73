import { required } from '@replsim/protocol';
import type { NumberTree, StringTree } from '../tree/tree.ts';
import type { TreeCursor } from '../tree/treeCursor.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { RecordCursor, RecordPlace } from './views.ts';

/** In the order of record ids, which is that of insertion. */
export class InsertionOrder implements RecordCursor {
  readonly #walk: Walk<number, StoredDocument>;

  constructor(records: NumberTree<StoredDocument>, after: number | undefined, reverse: boolean) {
    this.#walk = new Walk(records.cursor(), after, reverse);
  }

  get recordId(): number {
    return this.#walk.cursor.key;
  }

  get document(): StoredDocument {
    return this.#walk.cursor.value;
  }

  get place(): RecordPlace {
    return this.#walk.cursor.key;
  }

  next(): boolean {
    return this.#walk.next();
  }
}

/** In the order of `_id`, as the records of a clustered collection lie. */
export class ClusterOrder implements RecordCursor {
  readonly #walk: Walk<string, number>;
  readonly #records: NumberTree<StoredDocument>;

  constructor(
    ids: StringTree<number>,
    records: NumberTree<StoredDocument>,
    after: string | undefined,
    reverse: boolean,
  ) {
    this.#walk = new Walk(ids.cursor(), after, reverse);
    this.#records = records;
  }

  get recordId(): number {
    return this.#walk.cursor.value;
  }

  get document(): StoredDocument {
    return required(this.#records.get(this.#walk.cursor.value), 'document of an _id');
  }

  get place(): RecordPlace {
    return this.#walk.cursor.key;
  }

  next(): boolean {
    return this.#walk.next();
  }
}

/** One way through a tree. */
class Walk<K extends number | string, V> {
  readonly cursor: TreeCursor<K, V>;
  readonly #after: K | undefined;
  readonly #reverse: boolean;
  #started = false;

  constructor(cursor: TreeCursor<K, V>, after: K | undefined, reverse: boolean) {
    this.cursor = cursor;
    this.#after = after;
    this.#reverse = reverse;
  }

  next(): boolean {
    const { cursor } = this;
    if (this.#started) return this.#reverse ? cursor.previous() : cursor.next();
    this.#started = this.#reverse ? this.#last() : this.#first();
    return this.#started;
  }

  #first(): boolean {
    return this.#after === undefined ? this.cursor.first() : this.cursor.seek(this.#after, false);
  }

  #last(): boolean {
    return this.#after === undefined ? this.cursor.last() : this.cursor.seekBack(this.#after, false);
  }
}
