import type { DataHash } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import { type ContentHash, hashText, mix } from '../collection/contentHash.ts';
import type { CatalogEntry } from './catalogEntry.ts';

/** A collection as far as it counts: the sums over its documents. */
export type HashedCollection = Pick<Collection, 'ns' | 'hashA' | 'hashB'>;

/** What a collection adds to the hash over all data: its name and documents, without its UUID or indexes. */
function hashOfCollection(collection: HashedCollection): ContentHash {
  const name = hashText(collection.ns);
  return { a: mix(collection.hashA ^ name.a), b: mix(collection.hashB ^ name.b) };
}

/** The hash over several collections from scratch. */
export function hashOfCollections(collections: Iterable<HashedCollection>): DataHash {
  let a = 0;
  let b = 0;
  for (const collection of collections) {
    const hash = hashOfCollection(collection);
    a = (a + hash.a) | 0;
    b = (b + hash.b) | 0;
  }
  return [a >>> 0, b >>> 0];
}

/** The hash over all live replicated collections; asking costs what has changed since the last time. */
export class LiveDataHash {
  #a = 0;
  #b = 0;
  readonly #unhashed = new Set<CatalogEntry>();

  /** The collection has changed. */
  touch(entry: CatalogEntry): void {
    if (entry.unhashed) return;
    entry.unhashed = true;
    this.#unhashed.add(entry);
  }

  /** The collection is gone. */
  remove(entry: CatalogEntry): void {
    this.#replace(entry, { a: 0, b: 0 });
    this.#unhashed.delete(entry);
  }

  get(): DataHash {
    for (const entry of this.#unhashed) this.#replace(entry, hashOfCollection(entry.collection));
    this.#unhashed.clear();
    return [this.#a >>> 0, this.#b >>> 0];
  }

  /** The hash over all the others. */
  getWithout(entry: CatalogEntry): DataHash {
    this.get();
    return [(this.#a - entry.hashA) >>> 0, (this.#b - entry.hashB) >>> 0];
  }

  #replace(entry: CatalogEntry, { a, b }: ContentHash): void {
    this.#a = (this.#a + a - entry.hashA) | 0;
    this.#b = (this.#b + b - entry.hashB) | 0;
    entry.hashA = a;
    entry.hashB = b;
    entry.unhashed = false;
  }
}
