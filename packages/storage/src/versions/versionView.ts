import { type DataHash, isAlikeOnAll, toHex } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import type { ReadView } from '../collection/views.ts';
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
