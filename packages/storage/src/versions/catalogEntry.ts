import { isAlikeOnAll, isReplicated } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import type { Version } from './version.ts';

/** One collection under the engine's care: the live object, and its versions. */
export class CatalogEntry {
  readonly collection: Collection;
  /** Has versions. */
  readonly replicated: boolean;
  /** Counts in the data hash. */
  readonly hashed: boolean;
  /** Ascending; a version at which the collection did not change is not among them. */
  readonly versions: Version<Collection>[] = [];
  /** Changed since the last mark. */
  touched = false;
  /** More than documents has changed since the last mark: options, indexes. */
  reshaped = false;
  /** Changed since the data hash was last asked for. */
  unhashed = false;
  /** What the collection has added to the data hash. */
  hashA = 0;
  hashB = 0;

  constructor(collection: Collection) {
    this.collection = collection;
    this.replicated = isReplicated(collection.ns);
    this.hashed = isAlikeOnAll(collection.ns);
  }
}
