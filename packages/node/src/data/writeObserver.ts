import type { OplogEntry } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';

/** Who hears what a write did to the catalog and the oplog. News goes up by it: the write path knows none of its readers. */
export interface WriteObserver {
  /** A collection was made, or its options were changed. */
  collectionMade(ns: string): void;
  /** An index was made, or its options were changed. */
  indexChanged(ns: string, indexName: string): void;
  /** A collection is about to be dropped, and a client has asked for it. */
  dropped(collection: CollectionView): void;
  /** What a document was before it was changed has been kept for change streams. */
  preImageKept(): void;
  /** The operation that runs now has written entries; its write concern will be about the last of them. */
  logged(entries: readonly OplogEntry[]): void;
}
