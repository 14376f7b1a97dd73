import { type DataHash, isAlikeOnAll, isReplicated, toHex } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import type { CollectionView, ReadView } from '../collection/views.ts';
import { hashOfCollections } from './dataHash.ts';

/** Collections as they were at a version. */
export class VersionView implements ReadView {
  readonly #byNs: ReadonlyMap<string, Collection>;

  constructor(byNs: ReadonlyMap<string, Collection>) {
    this.#byNs = byNs;
  }

  collection(ns: string): Collection | undefined {
    return this.#byNs.get(ns);
  }

  collectionByUuid(uuid: Uint8Array): Collection | undefined {
    const hex = toHex(uuid);
    return [...this.#byNs.values()].find((collection) => toHex(collection.uuid) === hex);
  }

  collections(): Collection[] {
    return inOrderOfNs(this.#byNs.values());
  }

  dataHash(): DataHash {
    return hashOfCollections([...this.#byNs.values()].filter(({ ns }) => isAlikeOnAll(ns)));
  }
}

/**
 * Replicated collections as they were at a version, and the others as they are: what only this member writes bears no time, so that each
 * snapshot shows it. Upstream: wiredtiger_util.cpp, useTableLogging.
 */
export class CommittedView implements ReadView {
  readonly #replicated: ReadView;
  readonly #live: ReadView;

  constructor(replicated: ReadView, live: ReadView) {
    this.#replicated = replicated;
    this.#live = live;
  }

  collection(ns: string): CollectionView | undefined {
    return isReplicated(ns) ? this.#replicated.collection(ns) : this.#live.collection(ns);
  }

  collectionByUuid(uuid: Uint8Array): CollectionView | undefined {
    const found = this.#live.collectionByUuid(uuid);
    return found && !isReplicated(found.ns) ? found : this.#replicated.collectionByUuid(uuid);
  }

  collections(): CollectionView[] {
    const own = this.#live.collections().filter(({ ns }) => !isReplicated(ns));
    return [...this.#replicated.collections(), ...own].sort((a, b) => (a.ns < b.ns ? -1 : 1));
  }

  dataHash(): DataHash {
    return this.#replicated.dataHash();
  }
}

/** The collections of a view whose namespaces pass. */
export function onlyNamespaces(view: VersionView, include: (ns: string) => boolean): VersionView {
  return new VersionView(
    new Map(
      view
        .collections()
        .filter(({ ns }) => include(ns))
        .map((collection) => [collection.ns, collection]),
    ),
  );
}

/** Sorted by namespace, by code units. */
export function inOrderOfNs(collections: Iterable<Collection>): Collection[] {
  return [...collections].sort((a, b) => (a.ns < b.ns ? -1 : 1));
}
