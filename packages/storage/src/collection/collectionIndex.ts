import { IndexKeyGenerator, type IndexKeys } from '../keys/indexKeys.ts';
import type { IndexSpec } from '../keys/indexSpec.ts';
import { RECORD_ID_CHARS } from '../keys/keys.ts';
import { CollatedTree, StringTree } from '../tree/tree.ts';
import { type IndexBounds, IndexCursor } from './indexCursor.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { IndexView, RecordId } from './views.ts';

/**
 * One index and its entries. An entry of a secondary index is its key and then the record id, so that it is unique;
 * an entry of `_id_`, or of what a collection is clustered by, is the key alone, the same for all members.
 */
export class CollectionIndex implements IndexView {
  readonly generator: IndexKeyGenerator;
  readonly isId: boolean;
  readonly entries: StringTree<number>;
  #spec: IndexSpec;
  #multikey: boolean;

  readonly accesses: { ops: number };

  constructor(spec: IndexSpec, entries = emptyTree<number>(spec), multikey = false, versionOf?: CollectionIndex) {
    this.generator = versionOf?.generator ?? new IndexKeyGenerator(spec);
    this.accesses = versionOf?.accesses ?? { ops: 0 };
    // Where strings equal others the `_id`s themselves are kept beside: see `Collection`.
    this.isId = (spec.name === '_id_' && !spec.collator) || spec.clustered;
    this.entries = entries;
    this.#spec = spec;
    this.#multikey = multikey;
  }

  get spec(): IndexSpec {
    return this.#spec;
  }

  /** Takes a spec that draws the same keys, as collMod leaves it. */
  set spec(spec: IndexSpec) {
    this.#spec = spec;
  }

  get multikey(): boolean {
    return this.#multikey;
  }

  setMultikey(): void {
    this.#multikey = true;
  }

  get keyCount(): number {
    return this.entries.size;
  }

  range(bounds: IndexBounds = {}): IndexCursor {
    return new IndexCursor(this.entries, bounds);
  }

  /** Adds a document's entries. */
  add(document: StoredDocument, recordId: number): void {
    const keys = document.indexKeys(this.generator, recordId);
    if (typeof keys === 'string') this.entries.set(keys, recordId);
    else {
      if (keys.length > 0) this.#multikey = true;
      for (const key of keys) this.entries.set(key, recordId);
    }
  }

  /** Puts one document's entries in the place of another's. */
  replace(before: StoredDocument, after: StoredDocument, recordId: number): void {
    if (before.indexKeys(this.generator, recordId) === after.indexKeys(this.generator, recordId)) return;
    this.remove(before, recordId);
    this.add(after, recordId);
  }

  /** Removes a document's entries. */
  remove(document: StoredDocument, recordId: number): void {
    const keys = document.indexKeys(this.generator, recordId);
    if (typeof keys === 'string') this.entries.delete(keys);
    else for (const key of keys) this.entries.delete(key);
  }

  /** The first entry among `keys` whose key another document has; the index need not be unique. */
  findDuplicate(keys: IndexKeys, recordId: number): string | undefined {
    if (typeof keys === 'string') return this.#isTaken(keys, recordId) ? keys : undefined;
    return keys.find((key) => this.#isTaken(key, recordId));
  }

  /** The records that have a key, which comes without a record id. */
  recordsOf(key: string): RecordId[] {
    if (this.isId) {
      const recordId = this.entries.get(key);
      return recordId === undefined ? [] : [recordId];
    }
    const found: RecordId[] = [];
    const cursor = this.range({ lower: key, upper: key });
    while (cursor.next()) found.push(cursor.recordId);
    return found;
  }

  /** A map by keys of this index, in which those are one that it finds equal. */
  emptyTree<V>(): StringTree<V> {
    return emptyTree<V>(this.#spec);
  }

  snapshot(): CollectionIndex {
    return new CollectionIndex(this.#spec, this.entries.snapshot(), this.#multikey, this);
  }

  /** Becomes what a snapshot of this index is. */
  restore(snapshot: CollectionIndex): void {
    this.entries.restore(snapshot.entries);
    this.#spec = snapshot.#spec;
    this.#multikey = snapshot.#multikey;
  }

  #isTaken(entry: string, recordId: number): boolean {
    const key = entry.slice(0, -RECORD_ID_CHARS);
    const cursor = this.range({ lower: key, upper: key });
    while (cursor.next()) if (cursor.recordId !== recordId) return true;
    return false;
  }
}

function emptyTree<V>({ collator }: IndexSpec): StringTree<V> {
  return collator ? new CollatedTree<V>(collator) : new StringTree<V>();
}
