/** A document as all members share it, with what indexes and hashes made of it. */
import { encodeName, findField, invariant, type SharedDocument } from '@replsim/protocol';
import type { IndexKeyGenerator, IndexKeys } from '../keys/indexKeys.ts';
import { encodeKey } from '../keys/keys.ts';
import { hashBytes } from './contentHash.ts';

const ID = encodeName('_id');

/** The keys of one index, under the record id with which they were first wanted. */
interface KeysOfIndex {
  readonly source: string;
  readonly recordId: number;
  readonly keys: IndexKeys;
  readonly next: KeysOfIndex | undefined;
}

/**
 * An immutable document. An oplog entry carries the object itself, so whatever is computed here is computed once for all
 * members that hold it.
 */
export class StoredDocument implements SharedDocument {
  /** BSON; must never be written to. */
  readonly bytes: Uint8Array;
  #idKey: string | undefined;
  #hashed = false;
  #hashA = 0;
  #hashB = 0;
  #keys: KeysOfIndex | undefined = undefined;

  /** @param idKey the encoded `_id`, for whoever knows it */
  constructor(bytes: Uint8Array, idKey?: string) {
    this.bytes = bytes;
    this.#idKey = idKey;
  }

  /** The encoded `_id`. Throws InvariantError if the document has none. */
  get idKey(): string {
    if (this.#idKey === undefined) {
      const id = findField(this.bytes, ID);
      invariant(id, 'a stored document needs an _id');
      this.#idKey = encodeKey(id);
    }
    return this.#idKey;
  }

  /** The first lane of the hash over the bytes: 32 bits, signed. */
  get hashA(): number {
    if (!this.#hashed) this.#hash();
    return this.#hashA;
  }

  /** The second lane. */
  get hashB(): number {
    if (!this.#hashed) this.#hash();
    return this.#hashB;
  }

  /**
   * The entries of this document in an index, for the record id it has on the member that asks.
   * Members nearly always agree on it; another id than the first one is computed anew each time.
   * Throws what `IndexKeyGenerator.keysOf` throws.
   */
  indexKeys(generator: IndexKeyGenerator, recordId: number): IndexKeys {
    const { source } = generator;
    let known = this.#keys;
    while (known !== undefined) {
      if (known.source === source)
        return known.recordId === recordId ? known.keys : generator.keysOf(this.bytes, recordId);
      known = known.next;
    }
    const keys = generator.keysOf(this.bytes, recordId);
    this.#keys = { source, recordId, keys, next: this.#keys };
    return keys;
  }

  #hash(): void {
    const { a, b } = hashBytes(this.bytes);
    this.#hashA = a;
    this.#hashB = b;
    this.#hashed = true;
  }
}
