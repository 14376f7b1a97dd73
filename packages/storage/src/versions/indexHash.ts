import { type DataHash, isReplicated, toHex } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import { hashText } from '../collection/contentHash.ts';

/**
 * The hash over the ready indexes of all replicated collections: which there are, and what identifies them, but not what
 * collMod may change. It is made anew when indexes have come or gone and somebody asks.
 */
export class LiveIndexHash {
  #hash: DataHash | undefined;

  /** An index has become ready, or has gone. */
  touch(): void {
    this.#hash = undefined;
  }

  get(collections: Iterable<Collection>): DataHash {
    this.#hash ??= hashOf(collections);
    return this.#hash;
  }
}

function hashOf(collections: Iterable<Collection>): DataHash {
  let a = 0;
  let b = 0;
  for (const { ns, uuid, indexes } of collections) {
    if (!isReplicated(ns)) continue;
    for (const { spec } of indexes) {
      const hash = hashText(`${toHex(uuid)} ${spec.name} ${spec.identity}`);
      a = (a + hash.a) | 0;
      b = (b + hash.b) | 0;
    }
  }
  return [a >>> 0, b >>> 0];
}
