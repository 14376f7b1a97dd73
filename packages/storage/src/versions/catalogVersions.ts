import type { CatalogEntry } from './catalogEntry.ts';
import { lastAtOrBelow, type Version } from './version.ts';

/** Collections by their names. */
export type Catalog = ReadonlyMap<string, CatalogEntry>;

/** What is there under a name now; undefined for what has gone. */
export type CatalogChanges = ReadonlyMap<string, CatalogEntry | undefined>;

/** The catalogs of versions. Each is kept as what has changed, so that dropping a thousand collections does not copy a thousand catalogs. */
export class CatalogVersions {
  readonly #versions: Version<CatalogChanges>[] = [];
  /** That of the first version that is kept. */
  readonly #oldest = new Map<string, CatalogEntry>();
  /** The one that was asked for last: who reads on goes on from there. */
  #shown = new Map<string, CatalogEntry>();
  #shownVersion = Number.NEGATIVE_INFINITY;

  push(version: number, changes: CatalogChanges): void {
    if (this.#versions.length === 0) apply(changes, this.#oldest);
    this.#versions.push({ version, state: changes });
  }

  /** The newest at or below; empty if there is none. It is valid until the next call. */
  at(version: number): Catalog {
    const last = lastAtOrBelow(this.#versions, version);
    if (last < 0) return new Map();
    let from = lastAtOrBelow(this.#versions, this.#shownVersion);
    if (from < 0 || from > last) {
      this.#shown = new Map(this.#oldest);
      from = 0;
    }
    for (const { state } of this.#versions.slice(from + 1, last + 1)) apply(state, this.#shown);
    this.#shownVersion = this.#versions[last]!.version;
    return this.#shown;
  }

  /** Drops what is older than the last version at or below. */
  dropBefore(version: number): void {
    const last = lastAtOrBelow(this.#versions, version);
    if (last <= 0) return;
    for (const { state } of this.#versions.slice(1, last + 1)) apply(state, this.#oldest);
    this.#versions.splice(0, last);
  }

  /** Drops what is newer. */
  forgetAfter(version: number): void {
    this.#versions.length = lastAtOrBelow(this.#versions, version) + 1;
    if (this.#shownVersion > version) this.#shownVersion = Number.NEGATIVE_INFINITY;
  }
}

/** What has come is behind what was there. */
function apply(changes: CatalogChanges, catalog: Map<string, CatalogEntry>): void {
  for (const [ns, entry] of changes) {
    catalog.delete(ns);
    if (entry) catalog.set(ns, entry);
  }
}
