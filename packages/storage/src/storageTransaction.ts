import { CommandError, type DataHash, databaseOf, invariant, isAlikeOnAll, toHex } from '@replsim/protocol';
import type { Collection } from './collection/collection.ts';
import type { ContentHash } from './collection/contentHash.ts';
import { type CreateCollection, createdCollection } from './collection/createdCollection.ts';
import { Reservations, type UniqueKey, uniqueKeysOf } from './collection/reservations.ts';
import type { StoredDocument } from './collection/storedDocument.ts';
import type { CollectionView, ReadView, RecordId } from './collection/views.ts';
import { changedSince, writeConflict } from './collection/writeConflict.ts';
import type { IndexSpec } from './keys/indexSpec.ts';
import { hashOfCollections } from './versions/dataHash.ts';
import type { LiveCatalog } from './versions/liveCatalog.ts';
import { inOrderOfNs } from './versions/versionView.ts';

/** One change of a document in a collection that is there without this transaction. */
interface Change {
  /** The name that the collection had. */
  readonly ns: string;
  readonly live: Collection;
  readonly recordId: RecordId;
  /** What is put there; undefined where the record goes. */
  readonly after: StoredDocument | undefined;
  readonly isNew: boolean;
}

/**
 * A transaction that lasts over many operations: what it reads are the data of one version with its own writes upon them,
 * and nobody else sees those before `commit`. Its trees are copies that share all nodes but those it has changed.
 *
 * The first writer wins: whoever writes a record or a unique key that another has open, or has changed since the version,
 * gets 112 at once. So `commit` meets nobody's writes, but for collections of the same name.
 * Upstream: wiredtiger_recovery_unit.cpp; what conflicts is WiredTiger's to say.
 */
export class StorageTransaction implements ReadView {
  readonly #catalog: LiveCatalog;
  readonly #base: ReadView;
  /** Private copies of what was looked at, and collections made here. */
  readonly #own = new Map<string, Collection>();
  readonly #created = new Set<Collection>();
  readonly #liveOf = new Map<Collection, Collection>();
  readonly #changes: Change[] = [];
  /** What its writes have added to the hashes of its copies. */
  readonly #added = new Map<Collection, ContentHash>();
  /** What this transaction holds of each live collection. */
  readonly #held = new Map<Collection, { readonly records: RecordId[]; readonly keys: UniqueKey[] }>();

  /** @param base what it sees; nobody writes to it */
  constructor(catalog: LiveCatalog, base: ReadView) {
    this.#catalog = catalog;
    this.#base = base;
  }

  // --- what it sees ---

  collection(ns: string): Collection | undefined {
    const own = this.#own.get(ns);
    if (own) return own;
    // All views of an engine hold such.
    const seen = this.#base.collection(ns) as Collection | undefined;
    if (!seen) return undefined;
    const copy = seen.snapshot();
    // A build belongs to the live collection, whose indexes get what is committed.
    copy.unfinished = [];
    this.#own.set(ns, copy);
    return copy;
  }

  collectionByUuid(uuid: Uint8Array): Collection | undefined {
    const hex = toHex(uuid);
    return this.collections().find((collection) => toHex(collection.uuid) === hex);
  }

  collections(): Collection[] {
    for (const { ns } of this.#base.collections()) this.collection(ns);
    return inOrderOfNs(this.#own.values());
  }

  dataHash(): DataHash {
    return hashOfCollections(this.collections());
  }

  /** As `dataHash` of what it sees, over what is alike on all members, and without its own writes. */
  snapshotHash(): DataHash {
    const seen = this.#base.collections().filter(({ ns }) => isAlikeOnAll(ns));
    return hashOfCollections(
      seen.map((collection) => {
        const own = this.#own.get(collection.ns);
        const { a, b } = (own && this.#added.get(own)) ?? { a: 0, b: 0 };
        const { hashA, hashB } = own ?? (collection as Collection);
        return { ns: collection.ns, hashA: hashA - a, hashB: hashB - b };
      }),
    );
  }

  /** Whether it has looked at such a collection, or written there. */
  touches(choose: (ns: string) => boolean): boolean {
    for (const ns of this.#own.keys()) if (choose(ns)) return true;
    return false;
  }

  /** Whether the collection was made here. */
  hasCreated(ns: string): boolean {
    const own = this.#own.get(ns);
    return own !== undefined && this.#created.has(own);
  }

  /** The databases that have collections now, and those in which it made some. */
  databases(): ReadonlySet<string> {
    return new Set([...this.#catalog.databases(), ...[...this.#created].map(({ ns }) => databaseOf(ns))]);
  }

  // --- what it writes ---

  /** Throws CommandError 112, and as `StorageEngine.insert`. */
  insert(ns: string, document: StoredDocument): RecordId {
    const own = this.#require(ns);
    if (this.#created.has(own)) return own.insert(document);
    const live = this.#live(own);
    // Taken at once, so that it is nobody else's: natural order is that of the statements, not of the commits.
    const recordId = Math.max(live.nextRecordId, own.nextRecordId);
    const keys = uniqueKeysOf(live, document, recordId);
    live.reserved?.checkKeys(keys, this);
    own.insert(document, { recordId });
    this.#requireUntaken(live, keys, recordId);
    live.nextRecordId = recordId + 1;
    this.#take(live, keys);
    this.#changes.push({ ns, live, recordId, after: document, isNew: true });
    this.#add(own, document);
    return recordId;
  }

  /** Throws CommandError 112, and as `StorageEngine.update`. */
  update(ns: string, recordId: RecordId, document: StoredDocument): StoredDocument {
    const own = this.#require(ns);
    if (this.#created.has(own)) return own.update(recordId, document);
    const live = this.#live(own);
    this.#requireUnchanged(live, ns, recordId);
    const keys = uniqueKeysOf(live, document, recordId);
    live.reserved?.checkKeys(keys, this);
    const before = own.update(recordId, document);
    this.#requireUntaken(live, keys, recordId);
    this.#take(live, [...uniqueKeysOf(live, before, recordId), ...keys], recordId);
    this.#changes.push({ ns, live, recordId, after: document, isNew: false });
    this.#add(own, document, before);
    return before;
  }

  /** Throws CommandError 112, and as `StorageEngine.delete`. */
  delete(ns: string, recordId: RecordId): StoredDocument {
    const own = this.#require(ns);
    if (this.#created.has(own)) return own.delete(recordId);
    const live = this.#live(own);
    this.#requireUnchanged(live, ns, recordId);
    const before = own.delete(recordId);
    this.#take(live, uniqueKeysOf(live, before, recordId), recordId);
    this.#changes.push({ ns, live, recordId, after: undefined, isNew: false });
    this.#add(own, undefined, before);
    return before;
  }

  /** Throws CommandError 48 for a name that it sees. One that others have taken since stands in the way of the commit. */
  createCollection(ns: string, create: CreateCollection): Collection {
    if (this.collection(ns)) throw new CommandError('NamespaceExists', `the collection ${ns} already exists`);
    const collection = createdCollection(ns, create);
    this.#own.set(ns, collection);
    this.#created.add(collection);
    return collection;
  }

  /** On a collection that was made here. Throws as `StorageEngine.createIndex`. */
  createIndex(ns: string, spec: IndexSpec): void {
    const own = this.#require(ns);
    invariant(this.#created.has(own), `${ns} was not made in this transaction`);
    own.createIndex(spec);
  }

  // --- its end ---

  /** Makes all that it wrote the live state. Throws CommandError 112, and then has changed nothing; it is over either way. */
  commit(): void {
    this.abort();
    for (const { ns } of this.#created) if (this.#catalog.find(ns)) throw writeConflict();
    for (const { ns, live } of this.#changes) if (this.#catalog.find(ns) !== live) throw writeConflict();
    this.#apply();
    for (const collection of this.#created) this.#catalog.enter(collection);
  }

  /** Lets go of all that it holds. */
  abort(): void {
    for (const [{ reserved }, { records, keys }] of this.#held) {
      for (const recordId of records) reserved?.freeRecord(recordId);
      reserved?.freeKeys(keys);
    }
    for (const live of this.#held.keys()) if (live.reserved?.isEmpty) live.reserved = undefined;
    this.#held.clear();
  }

  /** An index that was made since may not take a document: then what went in goes out again. */
  #apply(): void {
    const undo: (() => void)[] = [];
    try {
      for (const change of this.#changes) undo.push(carryOut(change));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      for (const back of undo.reverse()) back();
      throw writeConflict();
    }
    for (const live of new Set(this.#changes.map((change) => change.live))) {
      this.#catalog.touch(this.#catalog.entry(live.ns));
    }
  }

  #add(own: Collection, after: StoredDocument | undefined, before?: StoredDocument): void {
    const { a, b } = this.#added.get(own) ?? { a: 0, b: 0 };
    this.#added.set(own, {
      a: (a + (after?.hashA ?? 0) - (before?.hashA ?? 0)) | 0,
      b: (b + (after?.hashB ?? 0) - (before?.hashB ?? 0)) | 0,
    });
  }

  // --- conflicts ---

  #require(ns: string): Collection {
    const own = this.collection(ns);
    if (!own) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
    return own;
  }

  /** What a copy is a copy of. Throws 112 where that was dropped, renamed, or changed in its options or indexes since. */
  #live(own: Collection): Collection {
    const found = this.#liveOf.get(own);
    const known = found ?? this.#catalog.findByUuid(toHex(own.uuid));
    if (!known || this.#catalog.find(own.ns) !== known) throw writeConflict();
    // From the first write on, what would change it waits for the transaction.
    const seen = found ? undefined : this.#base.collection(own.ns);
    if (seen && !isDefinedAs(known, seen)) throw changedSince(own.ns);
    this.#liveOf.set(own, known);
    return known;
  }

  #requireUnchanged(live: Collection, ns: string, recordId: RecordId): void {
    const { reserved } = live;
    reserved?.checkRecord(recordId, this);
    if (reserved?.holderOf(recordId) === this) return;
    if (live.get(recordId) !== this.#base.collection(ns)?.get(recordId)) throw writeConflict();
  }

  /** A key that is not in its own copy, and yet in the live data, came since; unless it is of a record that it has changed. */
  #requireUntaken(live: Collection, keys: readonly UniqueKey[], recordId: RecordId): void {
    for (const { index, key } of keys) {
      for (const other of index.recordsOf(key)) {
        if (other !== recordId && live.reserved?.holderOf(other) !== this) throw writeConflict();
      }
    }
  }

  #take(live: Collection, keys: readonly UniqueKey[], recordId?: RecordId): void {
    live.reserved ??= new Reservations();
    const held = this.#held.get(live) ?? { records: [], keys: [] };
    this.#held.set(live, held);
    if (recordId !== undefined) {
      live.reserved.takeRecord(recordId, this);
      held.records.push(recordId);
    }
    live.reserved.takeKeys(keys, this);
    for (const key of keys) held.keys.push(key);
  }
}

/**
 * Whether two versions of a collection have the same options and indexes, those under way included.
 * Upstream: collection_catalog.cpp, CollectionCatalog::isLatestCollection.
 */
function isDefinedAs(a: CollectionView, b: CollectionView): boolean {
  return (
    areSameBytes([a.options], [b.options]) &&
    areSameBytes(specsOf(a), specsOf(b)) &&
    areSameBytes(buildsOf(a), buildsOf(b))
  );
}

function specsOf({ indexes }: CollectionView): readonly Uint8Array[] {
  return indexes.map(({ spec }) => spec.bytes);
}

function buildsOf({ unfinished }: CollectionView): readonly Uint8Array[] {
  return unfinished.map(({ uuid }) => uuid);
}

function areSameBytes(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((bytes, i) => bytes === b[i] || toHex(bytes) === toHex(b[i]!));
}

/** @returns what undoes it */
function carryOut({ live, recordId, after, isNew }: Change): () => void {
  if (after && isNew) {
    live.insert(after, { recordId });
    return () => live.delete(recordId);
  }
  if (after) {
    const before = live.update(recordId, after);
    return () => live.update(recordId, before, { allowDuplicates: true });
  }
  const before = live.delete(recordId);
  return () => live.insert(before, { recordId, allowDuplicates: true });
}
