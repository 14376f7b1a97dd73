/** The documents and indexes of one member, in memory and synchronous. */
import { CommandError, type DataHash, encodeDocument, invariant, isReplicated, toHex } from '@replsim/protocol';
import { clusteredIndexSpec } from './clustering.ts';
import { Collection, type InsertOptions } from './collection.ts';
import { LiveDataHash } from './dataHash.ts';
import { LiveIndexHash } from './indexHash.ts';
import { type IndexOptionChange, type IndexSpec, parseIndexSpec, withOptions } from './indexSpec.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { BuildIdentity } from './unfinishedIndexes.ts';
import { CatalogEntry, VersionHistory } from './versionHistory.ts';
import { inOrderOfNs, VersionView } from './versionView.ts';
import type { CollectionView, ReadView, RecordId } from './views.ts';

/** What a collection is created with. */
export interface CreateCollection {
  /** 16 bytes. */
  readonly uuid: Uint8Array;
  /** The options of `create` as a BSON document, `clusteredIndex` among them; default empty. */
  readonly options?: Uint8Array;
  /** `local` collections such as the oplog may do without `_id_`, and their documents without `_id`. */
  readonly withoutIdIndex?: boolean;
  /** The id of the first insert, default 1; for a collection that is loaded again. */
  readonly nextRecordId?: RecordId;
}

/** How an index is built. */
export interface CreateIndexOptions extends Pick<InsertOptions, 'allowDuplicates'> {
  /** True if the index was multikey before, whatever it holds now; for an index that is loaded again. */
  readonly multikey?: boolean;
}

/** How strict a build is. */
export interface BuildOptions {
  /** What the primary decides is taken over as it is: no key is an error. */
  readonly lenient: boolean;
}

const EMPTY = encodeDocument({});
const ID_INDEX = parseIndexSpec(encodeDocument({ v: 2, key: { _id: 1 }, name: '_id_' }));

/**
 * Every method that writes either does all of it or throws before anything has changed; none of them asks whether this
 * member may write. A namespace that does not exist is CommandError 26 (NamespaceNotFound).
 *
 * Versions: after each storage transaction the owner calls `markVersion` with the next number of its own count (it
 * keeps which opTime that is). A version costs what was touched since the last, and keeps what it shows in memory until
 * `forgetBefore`. `local` collections have no versions.
 */
export class StorageEngine implements ReadView {
  readonly #byNs = new Map<string, CatalogEntry>();
  readonly #byUuid = new Map<string, CatalogEntry>();
  readonly #history = new VersionHistory();
  readonly #hash = new LiveDataHash();
  readonly #indexHash = new LiveIndexHash();
  #touched: CatalogEntry[] = [];
  #catalogTouched = true;

  collection(ns: string): CollectionView | undefined {
    return this.#byNs.get(ns)?.collection;
  }

  /** @param uuid 16 bytes, or their 32 hex digits */
  collectionByUuid(uuid: Uint8Array | string): CollectionView | undefined {
    return this.#byUuid.get(typeof uuid === 'string' ? uuid : toHex(uuid))?.collection;
  }

  collections(): CollectionView[] {
    return this.#live();
  }

  dataHash(): DataHash {
    return this.#hash.get();
  }

  /** Over the ready indexes of replicated collections: equal on members that have the same ones. */
  indexHash(): DataHash {
    return this.#indexHash.get([...this.#byNs.values()].map(({ collection }) => collection));
  }

  /** Throws CommandError 48 (NamespaceExists). */
  createCollection(ns: string, create: CreateCollection): CollectionView {
    const { uuid, options = EMPTY, nextRecordId = 1 } = create;
    this.#requireNoCollection(ns);
    invariant(!this.#byUuid.has(toHex(uuid)), `a collection with the UUID of ${ns} exists`);
    const collection = new Collection(ns, uuid, options);
    collection.nextRecordId = nextRecordId;
    const clustered = clusteredIndexSpec(options);
    if (clustered) collection.createIndex(clustered);
    else if (!create.withoutIdIndex) collection.createIndex(ID_INDEX);
    this.#enter(new CatalogEntry(collection, isReplicated(ns)));
    return collection;
  }

  dropCollection(ns: string): void {
    const entry = this.#entry(ns);
    this.#byNs.delete(ns);
    this.#byUuid.delete(toHex(entry.collection.uuid));
    this.#catalogTouched = true;
    this.#indexHash.touch();
    this.#touched = this.#touched.filter((other) => other !== entry);
    entry.touched = false;
    if (entry.replicated) this.#hash.remove(entry);
  }

  /** Throws CommandError 48 (NamespaceExists) if the new name is taken: dropping the target is the caller's. */
  renameCollection(from: string, to: string): void {
    const entry = this.#entry(from);
    this.#requireNoCollection(to);
    invariant(entry.replicated === isReplicated(to), 'a collection does not change between local and replicated');
    this.#byNs.delete(from);
    entry.collection.ns = to;
    this.#byNs.set(to, entry);
    this.#catalogTouched = true;
    this.#touch(entry);
  }

  /** Replaces the collection's options, as collMod does. */
  setOptions(ns: string, options: Uint8Array): void {
    const entry = this.#entry(ns);
    entry.collection.options = options;
    this.#touch(entry);
  }

  /** Inserts a document that has an `_id`. Throws CommandError 11000, 171 and 16746. */
  insert(ns: string, document: StoredDocument, options?: InsertOptions): RecordId {
    const entry = this.#entry(ns);
    const recordId = entry.collection.insert(document, options);
    this.#touch(entry);
    return recordId;
  }

  /** Puts another document of the same `_id` in the place of a record; returns the one before. Throws as `insert`. */
  update(
    ns: string,
    recordId: RecordId,
    document: StoredDocument,
    options?: Pick<InsertOptions, 'allowDuplicates'>,
  ): StoredDocument {
    const entry = this.#entry(ns);
    const before = entry.collection.update(recordId, document, options);
    this.#touch(entry);
    return before;
  }

  /** Removes a record and returns its document. Throws InvariantError if there is none. */
  delete(ns: string, recordId: RecordId): StoredDocument {
    const entry = this.#entry(ns);
    const document = entry.collection.delete(recordId);
    this.#touch(entry);
    return document;
  }

  /** Builds an index from what is there; its name must be free. Throws as `insert`, and CommandError for a bad filter. */
  createIndex(ns: string, spec: IndexSpec, options: CreateIndexOptions = {}): void {
    const entry = this.#entry(ns);
    entry.collection.createIndex(spec, options.allowDuplicates);
    this.#indexHash.touch();
    if (options.multikey) entry.collection.requireIndex(spec.name).setMultikey();
    this.#touch(entry);
  }

  // --- indexes that take their time ---

  /** Enters indexes that a build is to make; their names must be free. */
  enterBuild(ns: string, identity: BuildIdentity, specs: readonly IndexSpec[]): void {
    const entry = this.#entry(ns);
    for (const { name } of specs) invariant(!entry.collection.index(name), `${ns} has an index ${name}`);
    entry.collection.enterBuild(identity, specs);
    this.#touch(entry);
  }

  /** From here on the writes to the collection are in the indexes of the build, or before its scan. */
  beginBuild(ns: string, uuid: Uint8Array): void {
    const { collection } = this.#entry(ns);
    collection.build(uuid).begin(collection.nextRecordId - 1);
  }

  /**
   * Takes the next `limit` documents into the indexes of a build. Throws CommandError 171 and 16746 for keys that cannot
   * be drawn, unless `lenient`: then their documents are left for the end.
   */
  scanForBuild(ns: string, uuid: Uint8Array, limit: number, { lenient }: BuildOptions): void {
    const { collection } = this.#entry(ns);
    collection.scanForBuild(collection.build(uuid), limit, lenient);
  }

  /** Makes the indexes of a build ready, or throws CommandError 11000, 171 and 16746, unless `lenient`. */
  finishBuild(ns: string, uuid: Uint8Array, { lenient }: BuildOptions): void {
    const entry = this.#entry(ns);
    entry.collection.finishBuild(entry.collection.build(uuid), lenient);
    this.#indexHash.touch();
    this.#touch(entry);
  }

  abandonBuild(ns: string, uuid: Uint8Array): void {
    const entry = this.#entry(ns);
    entry.collection.abandonBuild(entry.collection.build(uuid));
    this.#touch(entry);
  }

  /** Throws CommandError 27 (IndexNotFound). */
  dropIndex(ns: string, name: string): void {
    const entry = this.#entry(ns);
    entry.collection.dropIndex(name);
    this.#indexHash.touch();
    this.#touch(entry);
  }

  /** Changes options of an index, as collMod does; returns the new spec. Throws CommandError 27 (IndexNotFound). */
  setIndexOption(ns: string, name: string, change: IndexOptionChange): IndexSpec {
    const entry = this.#entry(ns);
    const index = entry.collection.requireIndex(name);
    index.spec = withOptions(index.spec, change);
    this.#touch(entry);
    return index.spec;
  }

  /** Keeps the replicated collections as they are, under a number larger than all before. */
  markVersion(version: number): void {
    const catalog = this.#catalogTouched ? new Map(this.#replicated()) : undefined;
    this.#history.mark(version, this.#touched, catalog);
    this.#touched.length = 0;
    this.#catalogTouched = false;
  }

  /** Lets go of versions older than the newest at or below `version`, which stays the oldest that can be read. */
  forgetBefore(version: number): void {
    this.#history.forgetBefore(version);
  }

  /** The newest number that was marked and is not above `version`; -Infinity if there is none. */
  markedUpTo(version: number): number {
    return this.#history.markedUpTo(version);
  }

  /** Versions from `oldest` on can be read and restored; -Infinity for both before the first mark. */
  get versions(): { readonly oldest: number; readonly newest: number } {
    return { oldest: this.#history.oldest, newest: this.#history.newest };
  }

  /**
   * The replicated collections at the newest version at or below `version`; `local` collections are not in it.
   * Throws InvariantError for a version that is no longer kept.
   */
  at(version: number): VersionView {
    return new VersionView(this.#statesAt(version));
  }

  /** `at(version)` together with the `local` collections as they are now: what a checkpoint holds. */
  checkpointView(version: number): VersionView {
    const states = new Map(this.#statesAt(version));
    for (const [ns, { collection, replicated }] of this.#byNs) {
      if (!replicated) states.set(ns, collection.snapshot());
    }
    return new VersionView(states);
  }

  /** Everything as it is now, marked or not, `local` included. */
  snapshot(): VersionView {
    return new VersionView(new Map([...this.#byNs].map(([ns, { collection }]) => [ns, collection.snapshot()])));
  }

  /**
   * Makes the newest version at or below `version` the live state of all replicated collections, and forgets later
   * versions and what was not marked; `local` stays. Cursors on collections that exist in both go on in the old state.
   * Throws InvariantError for a version that is no longer kept.
   */
  restoreTo(version: number): void {
    const catalog = this.#history.catalogAt(version);
    this.#indexHash.touch();
    for (const [ns, entry] of this.#replicated()) {
      this.#byNs.delete(ns);
      this.#byUuid.delete(toHex(entry.collection.uuid));
      this.#hash.remove(entry);
    }
    for (const [ns, entry] of catalog) {
      entry.collection.restore(this.#history.stateAt(entry, version));
      this.#byNs.set(ns, entry);
      this.#byUuid.set(toHex(entry.collection.uuid), entry);
      this.#hash.touch(entry);
    }
    for (const entry of this.#touched) entry.touched = false;
    this.#touched.length = 0;
    this.#catalogTouched = false;
    this.#history.forgetAfter(version);
  }

  #statesAt(version: number): ReadonlyMap<string, Collection> {
    const states = new Map<string, Collection>();
    for (const [ns, entry] of this.#history.catalogAt(version)) states.set(ns, this.#history.stateAt(entry, version));
    return states;
  }

  #live(): Collection[] {
    return inOrderOfNs([...this.#byNs.values()].map(({ collection }) => collection));
  }

  #replicated(): [string, CatalogEntry][] {
    return [...this.#byNs].filter(([, { replicated }]) => replicated);
  }

  #enter(entry: CatalogEntry): void {
    this.#byNs.set(entry.collection.ns, entry);
    this.#byUuid.set(toHex(entry.collection.uuid), entry);
    this.#catalogTouched = true;
    this.#indexHash.touch();
    this.#touch(entry);
  }

  #entry(ns: string): CatalogEntry {
    const entry = this.#byNs.get(ns);
    if (!entry) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
    return entry;
  }

  #requireNoCollection(ns: string): void {
    if (this.#byNs.has(ns)) throw new CommandError('NamespaceExists', `the collection ${ns} already exists`);
  }

  #touch(entry: CatalogEntry): void {
    if (!entry.replicated) return;
    this.#hash.touch(entry);
    if (entry.touched) return;
    entry.touched = true;
    this.#touched.push(entry);
  }
}
