import { CommandError, type DataHash, invariant } from '@replsim/protocol';
import { type IndexKeys, NO_KEYS } from '../keys/indexKeys.ts';
import type { IndexSpec } from '../keys/indexSpec.ts';
import { NumberTree } from '../tree/tree.ts';
import { diffTrees } from '../tree/treeDiff.ts';
import { checkRecordKey } from './clustering.ts';
import { CollectionIndex } from './collectionIndex.ts';
import { duplicateKey } from './duplicateKey.ts';
import { EXACT_ID } from './idIndex.ts';
import { ClusterOrder, InsertionOrder } from './recordCursor.ts';
import { type Reservations, uniqueKeysOf } from './reservations.ts';
import type { StoredDocument } from './storedDocument.ts';
import { type BuildIdentity, UnfinishedIndexes } from './unfinishedIndexes.ts';
import type { CollectionView, RecordCursor, RecordId, RecordPlace } from './views.ts';

/** What a caller may ask of an insert. */
export interface InsertOptions {
  /** Take this free id instead of the next; for copies that keep their source's ids. */
  readonly recordId?: RecordId;
  /** Let unique indexes other than `_id_` hold duplicates for now, as oplog application does. */
  readonly allowDuplicates?: boolean;
}

/**
 * One collection's documents and indexes. Each write either happens whole or throws before anything has changed.
 * Versions of a collection are further objects of this class, which nobody writes to.
 */
export class Collection implements CollectionView {
  ns: string;
  readonly uuid: Uint8Array;
  options: Uint8Array;
  nextRecordId: RecordId = 1;
  dataSize = 0;
  /** The sums of the documents' hashes. */
  hashA = 0;
  hashB = 0;
  /**
   * `_id_`, or what the records of a clustered collection are kept by. Where the collection has a collation it only finds
   * documents by the very `_id`, and `_id_` is the first of `secondary`.
   */
  idIndex: CollectionIndex | undefined = undefined;
  /** All other indexes. */
  secondary: CollectionIndex[] = [];
  unfinished: readonly UnfinishedIndexes[] = [];
  /** What open transactions have written; undefined while none has. Only live collections have any. */
  reserved: Reservations | undefined = undefined;
  readonly #records: NumberTree<StoredDocument>;

  constructor(ns: string, uuid: Uint8Array, options: Uint8Array, records = new NumberTree<StoredDocument>()) {
    this.ns = ns;
    this.uuid = uuid;
    this.options = options;
    this.#records = records;
  }

  get count(): number {
    return this.#records.size;
  }

  get dataHash(): DataHash {
    return [this.hashA >>> 0, this.hashB >>> 0];
  }

  get indexes(): readonly CollectionIndex[] {
    return this.idIndex && this.#showsIdIndex ? [this.idIndex, ...this.secondary] : this.secondary;
  }

  /** `idIndex` is an index of this collection, and not its order nor an aid of a collated `_id_`. */
  get #showsIdIndex(): boolean {
    return this.idIndex?.spec.clustered === false && this.secondary[0]?.spec.name !== '_id_';
  }

  get clusteredIndex(): CollectionIndex | undefined {
    return this.idIndex?.spec.clustered ? this.idIndex : undefined;
  }

  index(name: string): CollectionIndex | undefined {
    const { idIndex } = this;
    if (idIndex?.spec.name === name && this.#showsIdIndex) return idIndex;
    return this.secondary.find(({ spec }) => spec.name === name);
  }

  get(recordId: RecordId): StoredDocument | undefined {
    return this.#records.get(recordId);
  }

  findById(idKey: string): RecordId | undefined {
    return this.idIndex?.entries.get(idKey);
  }

  records({ after, reverse = false }: { readonly after?: RecordPlace; readonly reverse?: boolean } = {}): RecordCursor {
    const { clusteredIndex } = this;
    return clusteredIndex
      ? new ClusterOrder(clusteredIndex.entries, this.#records, after as string | undefined, reverse)
      : new InsertionOrder(this.#records, after as number | undefined, reverse);
  }

  /**
   * Throws CommandError 11000, 112 where an open transaction has written a unique key, 5894900 for an `_id` too long to
   * cluster by, and what drawing keys throws.
   */
  insert(document: StoredDocument, options?: InsertOptions): RecordId {
    const recordId = options?.recordId ?? this.nextRecordId;
    const { idIndex, secondary } = this;
    if (this.reserved !== undefined) this.reserved.checkKeys(uniqueKeysOf(this, document, recordId));
    if (options?.recordId !== undefined) this.#requireFree(recordId);
    if (idIndex?.spec.clustered) checkRecordKey(document.idKey);
    for (const index of secondary) this.#check(index, document, recordId, options?.allowDuplicates);
    for (const build of this.unfinished) build.check(document, recordId, options?.allowDuplicates ?? false);
    // The last check is the first change: one search finds a duplicate or the place.
    if (idIndex && !idIndex.entries.add(document.idKey, recordId)) throw duplicateKey(this.ns, idIndex, document);
    for (const index of secondary) index.add(document, recordId);
    for (const build of this.unfinished) build.inserted(document, recordId);
    this.#records.set(recordId, document);
    if (recordId >= this.nextRecordId) this.nextRecordId = recordId + 1;
    this.#count(document, 1);
    return recordId;
  }

  /** Replaces a document by another of the same `_id`. Throws as `insert` does. */
  update(
    recordId: RecordId,
    document: StoredDocument,
    options?: Pick<InsertOptions, 'allowDuplicates'>,
  ): StoredDocument {
    const before = this.#records.get(recordId);
    invariant(before, `no record ${recordId} in ${this.ns}`);
    invariant(!this.idIndex || before.idKey === document.idKey, 'an update keeps the _id');
    if (this.reserved !== undefined) {
      this.reserved.checkRecord(recordId);
      this.reserved.checkKeys(uniqueKeysOf(this, document, recordId));
    }
    for (const index of this.secondary) this.#check(index, document, recordId, options?.allowDuplicates, before);
    for (const build of this.unfinished) build.check(document, recordId, options?.allowDuplicates ?? false);
    for (const index of this.secondary) index.replace(before, document, recordId);
    for (const build of this.unfinished) {
      build.removed(before, recordId);
      build.inserted(document, recordId);
    }
    this.#records.set(recordId, document);
    this.#count(before, -1);
    this.#count(document, 1);
    return before;
  }

  /** Removes a document and returns it. Throws CommandError 112 for one that an open transaction has written. */
  delete(recordId: RecordId): StoredDocument {
    if (this.reserved !== undefined) this.reserved.checkRecord(recordId);
    const document = this.#records.delete(recordId);
    invariant(document, `no record ${recordId} in ${this.ns}`);
    this.idIndex?.entries.delete(document.idKey);
    for (const index of this.secondary) index.remove(document, recordId);
    for (const build of this.unfinished) build.removed(document, recordId);
    this.#count(document, -1);
    return document;
  }

  /** Builds an index from the documents that exist. Throws as `insert` does. */
  createIndex(spec: IndexSpec, allowDuplicates = false): void {
    invariant(!this.index(spec.name), `${this.ns} has an index ${spec.name}`);
    const index = new CollectionIndex(spec);
    const cursor = this.records();
    while (cursor.next()) {
      if (index.isId) index.entries.add(cursor.document.idKey, cursor.recordId);
      else {
        // `prepareUnique` asks nothing of what is there already. Upstream: index_access_method.cpp, insertKeys.
        this.#check(index, cursor.document, cursor.recordId, allowDuplicates || !spec.unique);
        index.add(cursor.document, cursor.recordId);
      }
    }
    if (index.isId) this.idIndex = index;
    else if (spec.name === '_id_') {
      this.createIndex(EXACT_ID);
      this.secondary = [index, ...this.secondary];
    } else this.secondary = [...this.secondary, index];
  }

  /** Enters indexes that a build is to make; nothing is in them, nor comes in, before it begins. */
  enterBuild(identity: BuildIdentity, specs: readonly IndexSpec[]): void {
    this.unfinished = [...this.unfinished, new UnfinishedIndexes(identity, specs)];
  }

  /** Throws InvariantError if there is no such build. */
  build(uuid: Uint8Array): UnfinishedIndexes {
    const build = this.unfinished.find((each) => each.uuid.every((byte, i) => byte === uuid[i]));
    invariant(build, `${this.ns} has no such index build`);
    return build;
  }

  /** Takes the next records of a build's scan. Throws what drawing keys throws, unless `lenient`. */
  scanForBuild(build: UnfinishedIndexes, limit: number, lenient: boolean): void {
    build.scan(this.#records, limit, lenient);
  }

  /** Makes the indexes of a build ready. Throws CommandError 11000, and what drawing keys throws, unless `lenient`. */
  finishBuild(build: UnfinishedIndexes, lenient: boolean): void {
    invariant(build.isScanned, 'an index is ready once all records are in it');
    if (!lenient) build.enforce(this.ns, this.#records);
    this.abandonBuild(build);
    this.secondary = [...this.secondary, ...build.indexes];
  }

  abandonBuild(build: UnfinishedIndexes): void {
    this.unfinished = this.unfinished.filter((other) => other !== build);
  }

  /** Throws CommandError 27 (IndexNotFound). */
  dropIndex(name: string): void {
    const index = this.requireIndex(name);
    if (index === this.idIndex || index.spec.name === '_id_') this.idIndex = undefined;
    this.secondary = this.secondary.filter((other) => other !== index);
  }

  /** Throws CommandError 27 (IndexNotFound). */
  requireIndex(name: string): CollectionIndex {
    const index = this.index(name);
    if (!index) throw new CommandError('IndexNotFound', `index not found with name [${name}]`);
    return index;
  }

  /** Reports what must be put and deleted to make `older` into this; costs what the difference does, not the size. */
  diffRecords(
    older: Collection,
    onPut: (recordId: RecordId, document: StoredDocument) => void,
    onDelete: (recordId: RecordId) => void,
  ): void {
    diffTrees(older.#records, this.#records, onPut, onDelete);
  }

  /** The collection as it is now; costs the same whatever its size. */
  snapshot(): Collection {
    const copy = new Collection(this.ns, this.uuid, this.options, this.#records.snapshot());
    copy.#takeFigures(this);
    copy.idIndex = this.idIndex?.snapshot();
    copy.secondary = this.secondary.map((index) => index.snapshot());
    if (this.unfinished.length > 0) {
      copy.unfinished = this.unfinished.filter(({ identity }) => identity.durable).map(({ trace }) => trace);
    }
    return copy;
  }

  /** Becomes what a snapshot of it is. */
  restore(snapshot: Collection): void {
    this.ns = snapshot.ns;
    this.options = snapshot.options;
    this.#records.restore(snapshot.#records);
    this.#takeFigures(snapshot);
    const live = this.idIndex ? [this.idIndex, ...this.secondary] : this.secondary;
    // Indexes that still exist stay the same objects, so that cursors on them go on.
    const restore = (then: CollectionIndex): CollectionIndex => {
      const index = live.find(({ generator }) => generator === then.generator);
      if (!index) return then.snapshot();
      index.restore(then);
      return index;
    };
    this.idIndex = snapshot.idIndex && restore(snapshot.idIndex);
    this.secondary = snapshot.secondary.map(restore);
    this.unfinished = snapshot.unfinished.map((build) => build.anew());
  }

  #takeFigures(from: Collection): void {
    this.nextRecordId = from.nextRecordId;
    this.dataSize = from.dataSize;
    this.hashA = from.hashA;
    this.hashB = from.hashB;
  }

  /**
   * Draws and keeps the keys, which may throw, and looks for duplicates.
   * @param before what an update replaces: its keys may stay duplicates where an index only prepares to be unique
   */
  #check(
    index: CollectionIndex,
    document: StoredDocument,
    recordId: RecordId,
    allowDuplicates = false,
    before?: StoredDocument,
  ): void {
    const keys = document.indexKeys(index.generator, recordId);
    const { prepareUnique, unique } = index.spec;
    if (allowDuplicates || !(unique || prepareUnique)) return;
    const held = unique || !before ? NO_KEYS : before.indexKeys(index.generator, recordId);
    const taken = index.findDuplicate(keysBeside(keys, held), recordId);
    if (taken === undefined) return;
    // A duplicate _id is reported first, as its index comes first.
    const { idIndex } = this;
    const byId = idIndex?.entries.get(document.idKey);
    if (idIndex && byId !== undefined && byId !== recordId && index.spec.name !== '_id_')
      throw duplicateKey(this.ns, idIndex, document);
    throw duplicateKey(this.ns, index, document, taken);
  }

  #requireFree(recordId: RecordId): void {
    invariant(Number.isSafeInteger(recordId) && recordId > 0, `a record id is a positive integer, not ${recordId}`);
    invariant(!this.#records.has(recordId), `record ${recordId} of ${this.ns} exists`);
  }

  #count(document: StoredDocument, sign: 1 | -1): void {
    this.dataSize += sign * document.bytes.length;
    this.hashA = (this.hashA + sign * document.hashA) | 0;
    this.hashB = (this.hashB + sign * document.hashB) | 0;
  }
}

/** The entries that a document adds to those it is held by already. */
function keysBeside(keys: IndexKeys, held: IndexKeys): IndexKeys {
  const isHeld = (key: string) => (typeof held === 'string' ? key === held : held.includes(key));
  if (typeof keys === 'string') return isHeld(keys) ? NO_KEYS : keys;
  return keys.filter((key) => !isHeld(key));
}
