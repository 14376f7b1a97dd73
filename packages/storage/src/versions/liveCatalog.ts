import { CommandError, type DataHash, databaseOf, invariant, isReplicated, toHex } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import { CatalogEntry } from './catalogEntry.ts';
import { LiveDataHash } from './dataHash.ts';
import { LiveIndexHash } from './indexHash.ts';
import { VersionHistory } from './versionHistory.ts';
import { inOrderOfNs, VersionView } from './versionView.ts';

/**
 * Which collections there are, what has changed since the last version, and the hashes over all of it. What a version is
 * and what it costs: see `StorageEngine`.
 */
export class LiveCatalog {
  readonly #byNs = new Map<string, CatalogEntry>();
  readonly #byUuid = new Map<string, CatalogEntry>();
  /** How many collections each database has. */
  readonly #countByDatabase = new Map<string, number>();
  readonly #history = new VersionHistory();
  readonly #hash = new LiveDataHash();
  readonly #indexHash = new LiveIndexHash();
  /** The replicated ones of which documents, indexes or options have changed since the last mark. */
  #touched: CatalogEntry[] = [];
  /** Which of them were entered, removed or renamed since the last mark. */
  #changes = new Map<string, CatalogEntry | undefined>();
  /** Whether any was; also before the first mark, whose catalog may be empty. */
  #membersTouched = true;

  /** Throws CommandError 26 (NamespaceNotFound). */
  entry(ns: string): CatalogEntry {
    const entry = this.#byNs.get(ns);
    if (!entry) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
    return entry;
  }

  find(ns: string): Collection | undefined {
    return this.#byNs.get(ns)?.collection;
  }

  /** @param uuid 32 hex digits */
  findByUuid(uuid: string): Collection | undefined {
    return this.#byUuid.get(uuid)?.collection;
  }

  /** Those that have collections. */
  databases(): ReadonlySet<string> {
    return new Set(this.#countByDatabase.keys());
  }

  collections(): Collection[] {
    return inOrderOfNs(this.#live());
  }

  dataHash(): DataHash {
    return this.#hash.get();
  }

  dataHashWithout(ns: string): DataHash {
    const entry = this.#byNs.get(ns);
    return entry?.hashed ? this.#hash.getWithout(entry) : this.#hash.get();
  }

  indexHash(): DataHash {
    return this.#indexHash.get(this.#live());
  }

  /** Throws CommandError 48 (NamespaceExists). */
  requireFree(ns: string): void {
    if (this.#byNs.has(ns)) throw new CommandError('NamespaceExists', `the collection ${ns} already exists`);
  }

  enter(collection: Collection): void {
    const entry = new CatalogEntry(collection);
    this.#add(entry);
    this.#membersTouched = true;
    this.#indexHash.touch();
    this.touch(entry);
  }

  remove(entry: CatalogEntry): void {
    this.#delete(entry);
    this.#membersTouched = true;
    this.#indexHash.touch();
    this.#touched = this.#touched.filter((other) => other !== entry);
    entry.touched = false;
    if (entry.hashed) this.#hash.remove(entry);
  }

  rename(entry: CatalogEntry, to: string): void {
    invariant(entry.replicated === isReplicated(to), 'a collection does not change between local and replicated');
    this.#delete(entry);
    entry.collection.ns = to;
    this.#add(entry);
    this.#membersTouched = true;
    this.touch(entry);
  }

  /** Something of the collection has changed. */
  touch(entry: CatalogEntry): void {
    if (!entry.replicated) return;
    if (entry.hashed) this.#hash.touch(entry);
    if (entry.touched) return;
    entry.touched = true;
    this.#touched.push(entry);
  }

  /** Something other than its documents has changed. */
  touchShape(entry: CatalogEntry): void {
    entry.reshaped = true;
    this.touch(entry);
  }

  /** An index of the collection has become ready, or has gone. */
  touchIndexes(entry: CatalogEntry): void {
    this.#indexHash.touch();
    this.touchShape(entry);
  }

  mark(version: number): void {
    this.#history.mark(version, this.#touched, this.#membersTouched ? this.#changes : undefined);
    this.#touched.length = 0;
    this.#noChanges();
  }

  get history(): Pick<VersionHistory, 'forgetBefore' | 'thinBefore' | 'markedUpTo' | 'oldest' | 'newest'> {
    return this.#history;
  }

  at(version: number): VersionView {
    return new VersionView(this.#statesAt(version));
  }

  checkpointView(version: number): VersionView {
    const states = this.#statesAt(version);
    for (const [ns, { collection, replicated }] of this.#byNs) {
      if (!replicated) states.set(ns, collection.snapshot());
    }
    return new VersionView(states);
  }

  /** The replicated collections as they are; no copies where the newest version has them so. */
  current(): VersionView {
    const isMarked = this.#touched.length === 0 && !this.#membersTouched;
    if (isMarked && Number.isFinite(this.#history.newest)) return this.at(this.#history.newest);
    return new VersionView(new Map(this.#replicated().map(([ns, { collection }]) => [ns, collection.snapshot()])));
  }

  snapshot(): VersionView {
    return new VersionView(new Map([...this.#byNs].map(([ns, { collection }]) => [ns, collection.snapshot()])));
  }

  restoreTo(version: number): void {
    const catalog = this.#history.catalogAt(version);
    this.#indexHash.touch();
    for (const [, entry] of this.#replicated()) {
      this.#delete(entry);
      if (entry.hashed) this.#hash.remove(entry);
    }
    for (const entry of catalog.values()) {
      entry.collection.restore(this.#history.stateAt(entry, version));
      this.#add(entry);
      if (entry.hashed) this.#hash.touch(entry);
    }
    for (const entry of this.#touched) {
      entry.touched = false;
      entry.reshaped = false;
    }
    this.#touched.length = 0;
    this.#noChanges();
    this.#history.forgetAfter(version);
  }

  /** A version keeps the changes that it was marked with, be they none. */
  #noChanges(): void {
    if (this.#membersTouched || this.#changes.size > 0) this.#changes = new Map();
    this.#membersTouched = false;
  }

  #statesAt(version: number): Map<string, Collection> {
    const states = new Map<string, Collection>();
    for (const [ns, entry] of this.#history.catalogAt(version)) states.set(ns, this.#history.stateAt(entry, version));
    return states;
  }

  #live(): Collection[] {
    return [...this.#byNs.values()].map(({ collection }) => collection);
  }

  #replicated(): [string, CatalogEntry][] {
    return [...this.#byNs].filter(([, { replicated }]) => replicated);
  }

  #add(entry: CatalogEntry): void {
    this.#byNs.set(entry.collection.ns, entry);
    this.#changed(entry, entry);
    this.#byUuid.set(toHex(entry.collection.uuid), entry);
    this.#count(entry.collection.ns, 1);
  }

  #delete(entry: CatalogEntry): void {
    const { collection } = entry;
    this.#byNs.delete(collection.ns);
    this.#changed(entry, undefined);
    this.#byUuid.delete(toHex(collection.uuid));
    this.#count(collection.ns, -1);
  }

  /** The last that happened to a name comes last, as in the catalog. */
  #changed({ collection: { ns }, replicated }: CatalogEntry, now: CatalogEntry | undefined): void {
    if (!replicated) return;
    this.#changes.delete(ns);
    this.#changes.set(ns, now);
  }

  #count(ns: string, change: 1 | -1): void {
    const db = databaseOf(ns);
    const count = (this.#countByDatabase.get(db) ?? 0) + change;
    if (count > 0) this.#countByDatabase.set(db, count);
    else this.#countByDatabase.delete(db);
  }
}
