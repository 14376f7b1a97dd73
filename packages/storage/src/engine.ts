/** The documents and indexes of one member, in memory and synchronous. */
import { type DataHash, invariant, toHex } from '@replsim/protocol';
import type { InsertOptions } from './collection/collection.ts';
import { type CreateCollection, createdCollection } from './collection/createdCollection.ts';
import type { StoredDocument } from './collection/storedDocument.ts';
import type { BuildIdentity } from './collection/unfinishedIndexes.ts';
import type { CollectionView, ReadView, RecordId } from './collection/views.ts';
import { type IndexOptionChange, type IndexSpec, withOptions } from './keys/indexSpec.ts';
import { StorageTransaction } from './storageTransaction.ts';
import { LiveCatalog } from './versions/liveCatalog.ts';
import type { VersionView } from './versions/versionView.ts';

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

/**
 * Every method that writes either does all of it or throws before anything has changed; none of them asks whether this
 * member may write. A namespace that does not exist is CommandError 26 (NamespaceNotFound).
 *
 * Versions: after each storage transaction the owner calls `markVersion` with the next number of its own count (it
 * keeps which opTime that is). A version costs what was touched since the last, and keeps what it shows in memory until
 * `forgetBefore`, or `thinBefore`. `local` collections have no versions.
 */
export class StorageEngine implements ReadView {
  readonly #catalog = new LiveCatalog();

  /** An engine of its own that begins with the data of a version, and shares them with it. Index builds are left behind. */
  static from(view: VersionView): StorageEngine {
    const engine = new StorageEngine();
    for (const collection of view.collections()) {
      const copy = collection.snapshot();
      copy.unfinished = [];
      engine.#catalog.enter(copy);
    }
    return engine;
  }

  collection(ns: string): CollectionView | undefined {
    return this.#catalog.find(ns);
  }

  /** @param uuid 16 bytes, or their 32 hex digits */
  collectionByUuid(uuid: Uint8Array | string): CollectionView | undefined {
    return this.#catalog.findByUuid(typeof uuid === 'string' ? uuid : toHex(uuid));
  }

  collections(): CollectionView[] {
    return this.#catalog.collections();
  }

  /** The databases that have collections. */
  databases(): ReadonlySet<string> {
    return this.#catalog.databases();
  }

  dataHash(): DataHash {
    return this.#catalog.dataHash();
  }

  /** As `dataHash`, over all collections but one. */
  dataHashWithout(ns: string): DataHash {
    return this.#catalog.dataHashWithout(ns);
  }

  /** Over the ready indexes of replicated collections: equal on members that have the same ones. */
  indexHash(): DataHash {
    return this.#catalog.indexHash();
  }

  /** Throws CommandError 48 (NamespaceExists). */
  createCollection(ns: string, create: CreateCollection): CollectionView {
    this.#catalog.requireFree(ns);
    invariant(!this.collectionByUuid(create.uuid), `a collection with the UUID of ${ns} exists`);
    const collection = createdCollection(ns, create);
    this.#catalog.enter(collection);
    return collection;
  }

  dropCollection(ns: string): void {
    this.#catalog.remove(this.#catalog.entry(ns));
  }

  /** Throws CommandError 48 (NamespaceExists) if the new name is taken: dropping the target is the caller's. */
  renameCollection(from: string, to: string): void {
    const entry = this.#catalog.entry(from);
    this.#catalog.requireFree(to);
    this.#catalog.rename(entry, to);
  }

  /** Replaces the collection's options, as collMod does. */
  setOptions(ns: string, options: Uint8Array): void {
    const entry = this.#catalog.entry(ns);
    entry.collection.options = options;
    this.#catalog.touchShape(entry);
  }

  /** Inserts a document that has an `_id`. Throws CommandError 11000, 171 and 16746. */
  insert(ns: string, document: StoredDocument, options?: InsertOptions): RecordId {
    const entry = this.#catalog.entry(ns);
    const recordId = entry.collection.insert(document, options);
    this.#catalog.touch(entry);
    return recordId;
  }

  /** Puts another document of the same `_id` in the place of a record; returns the one before. Throws as `insert`. */
  update(
    ns: string,
    recordId: RecordId,
    document: StoredDocument,
    options?: Pick<InsertOptions, 'allowDuplicates'>,
  ): StoredDocument {
    const entry = this.#catalog.entry(ns);
    const before = entry.collection.update(recordId, document, options);
    this.#catalog.touch(entry);
    return before;
  }

  /** Removes a record and returns its document. Throws InvariantError if there is none. */
  delete(ns: string, recordId: RecordId): StoredDocument {
    const entry = this.#catalog.entry(ns);
    const document = entry.collection.delete(recordId);
    this.#catalog.touch(entry);
    return document;
  }

  /** Builds an index from what is there; its name must be free. Throws as `insert`, and CommandError for a bad filter. */
  createIndex(ns: string, spec: IndexSpec, options: CreateIndexOptions = {}): void {
    const entry = this.#catalog.entry(ns);
    entry.collection.createIndex(spec, options.allowDuplicates);
    if (options.multikey) entry.collection.requireIndex(spec.name).setMultikey();
    this.#catalog.touchIndexes(entry);
  }

  /** Enters indexes that a build is to make; their names must be free. */
  enterBuild(ns: string, identity: BuildIdentity, specs: readonly IndexSpec[]): void {
    const entry = this.#catalog.entry(ns);
    for (const { name } of specs) invariant(!entry.collection.index(name), `${ns} has an index ${name}`);
    entry.collection.enterBuild(identity, specs);
    this.#catalog.touchShape(entry);
  }

  /** From here on the writes to the collection are in the indexes of the build, or before its scan. */
  beginBuild(ns: string, uuid: Uint8Array): void {
    const { collection } = this.#catalog.entry(ns);
    collection.build(uuid).begin(collection.nextRecordId - 1);
  }

  /**
   * Takes the next `limit` documents into the indexes of a build. Throws CommandError 171 and 16746 for keys that cannot
   * be drawn, unless `lenient`: then their documents are left for the end.
   */
  scanForBuild(ns: string, uuid: Uint8Array, limit: number, { lenient }: BuildOptions): void {
    const { collection } = this.#catalog.entry(ns);
    collection.scanForBuild(collection.build(uuid), limit, lenient);
  }

  /** Makes the indexes of a build ready, or throws CommandError 11000, 171 and 16746, unless `lenient`. */
  finishBuild(ns: string, uuid: Uint8Array, { lenient }: BuildOptions): void {
    const entry = this.#catalog.entry(ns);
    entry.collection.finishBuild(entry.collection.build(uuid), lenient);
    this.#catalog.touchIndexes(entry);
  }

  abandonBuild(ns: string, uuid: Uint8Array): void {
    const entry = this.#catalog.entry(ns);
    entry.collection.abandonBuild(entry.collection.build(uuid));
    this.#catalog.touchShape(entry);
  }

  /** Throws CommandError 27 (IndexNotFound). */
  dropIndex(ns: string, name: string): void {
    const entry = this.#catalog.entry(ns);
    entry.collection.dropIndex(name);
    this.#catalog.touchIndexes(entry);
  }

  /** Changes options of an index, as collMod does; returns the new spec. Throws CommandError 27 (IndexNotFound). */
  setIndexOption(ns: string, name: string, change: IndexOptionChange): IndexSpec {
    const entry = this.#catalog.entry(ns);
    const index = entry.collection.requireIndex(name);
    index.spec = withOptions(index.spec, change);
    this.#catalog.touchShape(entry);
    return index.spec;
  }

  /**
   * Begins a transaction that lasts.
   * @param base what it sees, a view of this engine; default the data as they are now, `local` aside
   */
  begin(base: ReadView = this.#catalog.current()): StorageTransaction {
    return new StorageTransaction(this.#catalog, base);
  }

  /** Throws WriteConflict 112 if an open transaction has written one of these records. */
  checkUnreserved(ns: string, recordIds: readonly RecordId[]): void {
    const { reserved } = this.#catalog.entry(ns).collection;
    if (reserved !== undefined) for (const recordId of recordIds) reserved.checkRecord(recordId);
  }

  /** Keeps the replicated collections as they are, under a number larger than all before. */
  markVersion(version: number): void {
    this.#catalog.mark(version);
  }

  /** Lets go of versions older than the newest at or below `version`, which stays the oldest that can be read. */
  forgetBefore(version: number): void {
    this.#catalog.history.forgetBefore(version);
  }

  /**
   * Keeps few of the versions older than the newest at or below `version`: every so many, and those in which more than
   * documents changed, so that `markedUpTo` gives one from which the versions behind it can be written again.
   */
  thinBefore(version: number, every?: number): void {
    this.#catalog.history.thinBefore(version, every);
  }

  /** The newest number that was marked, is kept, and is not above `version`; -Infinity if there is none. */
  markedUpTo(version: number): number {
    return this.#catalog.history.markedUpTo(version);
  }

  /** Versions from `oldest` on can be read and restored; -Infinity for both before the first mark. */
  get versions(): { readonly oldest: number; readonly newest: number } {
    const { oldest, newest } = this.#catalog.history;
    return { oldest, newest };
  }

  /**
   * The replicated collections at the newest version at or below `version`; `local` collections are not in it.
   * Throws InvariantError for a version that is no longer kept.
   */
  at(version: number): VersionView {
    return this.#catalog.at(version);
  }

  /** `at(version)` together with the `local` collections as they are now: what a checkpoint holds. */
  checkpointView(version: number): VersionView {
    return this.#catalog.checkpointView(version);
  }

  /** Everything as it is now, marked or not, `local` included. */
  snapshot(): VersionView {
    return this.#catalog.snapshot();
  }

  /**
   * Makes the newest version at or below `version` the live state of all replicated collections, and forgets later
   * versions and what was not marked; `local` stays. Cursors on collections that exist in both go on in the old state.
   * Throws InvariantError for a version that is no longer kept.
   */
  restoreTo(version: number): void {
    this.#catalog.restoreTo(version);
  }
}
