/** What open transactions have written to a collection: nobody else writes there before they end. */

import type { IndexKeyGenerator } from '../keys/indexKeys.ts';
import { RECORD_ID_CHARS } from '../keys/keys.ts';
import type { StringTree } from '../tree/tree.ts';
import type { CollectionIndex } from './collectionIndex.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { RecordId } from './views.ts';
import { writeConflict } from './writeConflict.ts';

/** Whoever holds a record or a key; only told from others. */
export type Holder = object;

/** A key of a unique index, without a record id. */
export interface UniqueKey {
  readonly index: CollectionIndex;
  readonly key: string;
}

/** The unique indexes of a collection, as far as reservations have to know them. */
interface UniquelyIndexed {
  readonly idIndex: CollectionIndex | undefined;
  readonly secondary: readonly CollectionIndex[];
}

/**
 * Which records and unique keys of one collection open transactions have written. Other index entries end with their record's
 * id, so that two writers never meet there. Upstream: WiredTiger's update chains, which end in WT_ROLLBACK.
 */
export class Reservations {
  readonly #records = new Map<RecordId, Holder>();
  readonly #keys = new Map<IndexKeyGenerator, StringTree<Holder>>();
  #keyCount = 0;

  get isEmpty(): boolean {
    return this.#records.size === 0 && this.#keyCount === 0;
  }

  /** Who has written a record. */
  holderOf(recordId: RecordId): Holder | undefined {
    return this.#records.get(recordId);
  }

  /** Throws WriteConflict 112 if another than `mine` has written the record. */
  checkRecord(recordId: RecordId, mine?: Holder): void {
    const holder = this.#records.get(recordId);
    if (holder !== undefined && holder !== mine) throw writeConflict();
  }

  /** Throws WriteConflict 112 if another than `mine` has added or removed one of these keys. */
  checkKeys(keys: readonly UniqueKey[], mine?: Holder): void {
    for (const { index, key } of keys) {
      const holder = this.#keys.get(index.generator)?.get(key);
      if (holder !== undefined && holder !== mine) throw writeConflict();
    }
  }

  takeRecord(recordId: RecordId, holder: Holder): void {
    this.#records.set(recordId, holder);
  }

  takeKeys(keys: readonly UniqueKey[], holder: Holder): void {
    for (const { index, key } of keys) {
      const held = this.#keys.get(index.generator) ?? index.emptyTree<Holder>();
      this.#keys.set(index.generator, held);
      if (!held.has(key)) this.#keyCount += 1;
      held.set(key, holder);
    }
  }

  freeRecord(recordId: RecordId): void {
    this.#records.delete(recordId);
  }

  freeKeys(keys: readonly UniqueKey[]): void {
    for (const { index, key } of keys) {
      if (this.#keys.get(index.generator)?.delete(key) !== undefined) this.#keyCount -= 1;
    }
  }
}

/** The keys of a document that no other document of its collection may have. Throws what drawing keys throws. */
export function uniqueKeysOf(
  { idIndex, secondary }: UniquelyIndexed,
  document: StoredDocument,
  recordId: RecordId,
): UniqueKey[] {
  const keys: UniqueKey[] = idIndex ? [{ index: idIndex, key: document.idKey }] : [];
  for (const index of secondary) {
    if (!index.spec.unique && !index.spec.prepareUnique) continue;
    const entries = document.indexKeys(index.generator, recordId);
    for (const entry of typeof entries === 'string' ? [entries] : entries) {
      keys.push({ index, key: entry.slice(0, -RECORD_ID_CHARS) });
    }
  }
  return keys;
}
