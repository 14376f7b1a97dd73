/** Indexes on their way to being ready. */
import { CommandError, required } from '@replsim/protocol';
import type { IndexSpec } from '../keys/indexSpec.ts';
import { RECORD_ID_CHARS } from '../keys/keys.ts';
import type { NumberTree } from '../tree/tree.ts';
import { CollectionIndex } from './collectionIndex.ts';
import { duplicateKey } from './duplicateKey.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { RecordId, UnfinishedIndexesView } from './views.ts';

/** Which build makes them. */
export interface BuildIdentity {
  /** 16 bytes. */
  readonly uuid: Uint8Array;
  /** Versions and checkpoints know of it, so that whoever comes back to one begins it anew; others are forgotten there. */
  readonly durable: boolean;
}

/**
 * The indexes that one build makes together, complete for the records that it has come by. A scan takes the records that
 * were there when it began, in the order of their ids; a write puts in its own keys if the scan is past its record, or
 * will never come to it. So nothing has to be kept aside for later, as mongod's side table does, and the end is the same.
 * Until the end unique indexes hold duplicates. Upstream: multi_index_block.cpp, index_build_interceptor.cpp.
 */
export class UnfinishedIndexes implements UnfinishedIndexesView {
  readonly identity: BuildIdentity;
  readonly indexes: readonly CollectionIndex[];
  /** Records up to this one are in; those behind `#last` come in by their writes. */
  #scannedTo: RecordId = 0;
  #last: RecordId = Number.POSITIVE_INFINITY;
  /** Records whose keys could not be drawn, and were let pass. Upstream: skipped_record_tracker.cpp. */
  readonly #skipped = new Set<RecordId>();
  documentsScanned = 0;
  #trace: UnfinishedIndexes | undefined;

  constructor(identity: BuildIdentity, specs: readonly IndexSpec[]) {
    this.identity = identity;
    this.indexes = specs.map((spec) => new CollectionIndex(spec));
  }

  get uuid(): Uint8Array {
    return this.identity.uuid;
  }

  get isScanned(): boolean {
    return this.#scannedTo >= this.#last;
  }

  /** The scan begins. @param last the newest record that there is; it and all before it are the scan's */
  begin(last: RecordId): void {
    this.#last = last;
  }

  /** Takes in the next so many records of the scan. Throws what drawing keys throws, unless `lenient`. */
  scan(records: NumberTree<StoredDocument>, limit: number, lenient: boolean): void {
    const cursor = records.cursor();
    let found = cursor.seek(this.#scannedTo, false);
    for (let left = limit; left > 0; left--) {
      if (!found || cursor.key > this.#last) {
        this.#scannedTo = this.#last;
        return;
      }
      this.#add(cursor.value, cursor.key, lenient);
      this.#scannedTo = cursor.key;
      this.documentsScanned += 1;
      found = cursor.next();
    }
  }

  // --- writes meanwhile ---

  /** Throws what drawing the keys of a document throws, unless `lenient`. */
  check(document: StoredDocument, recordId: RecordId, lenient: boolean): void {
    if (!lenient && this.#covers(recordId))
      for (const { generator } of this.indexes) document.indexKeys(generator, recordId);
  }

  inserted(document: StoredDocument, recordId: RecordId): void {
    if (this.#covers(recordId)) this.#add(document, recordId, true);
  }

  removed(document: StoredDocument, recordId: RecordId): void {
    if (!this.#covers(recordId) || this.#skipped.delete(recordId)) return;
    for (const index of this.indexes) index.remove(document, recordId);
  }

  #covers(recordId: RecordId): boolean {
    return recordId <= this.#scannedTo || recordId > this.#last;
  }

  #add(document: StoredDocument, recordId: RecordId, lenient: boolean): void {
    try {
      // All keys are drawn before one is put in.
      for (const { generator } of this.indexes) document.indexKeys(generator, recordId);
    } catch (error) {
      if (!lenient || !(error instanceof CommandError)) throw error;
      this.#skipped.add(recordId);
      return;
    }
    for (const index of this.indexes) index.add(document, recordId);
  }

  // --- the end ---

  /**
   * Looks at what was let pass meanwhile: keys that could not be drawn, and those that a unique index holds twice.
   * Throws what drawing keys throws, and CommandError 11000.
   */
  enforce(ns: string, records: NumberTree<StoredDocument>): void {
    for (const recordId of [...this.#skipped]) {
      this.#add(required(records.get(recordId), 'skipped document'), recordId, false);
      this.#skipped.delete(recordId);
    }
    for (const index of this.indexes) if (index.spec.unique) checkUnique(ns, index, records);
  }

  /** The same build, not yet begun. */
  anew(): UnfinishedIndexes {
    return new UnfinishedIndexes(
      this.identity,
      this.indexes.map(({ spec }) => spec),
    );
  }

  /** What versions keep of it: that there is such a build. */
  get trace(): UnfinishedIndexes {
    this.#trace ??= this.anew();
    return this.#trace;
  }
}

function checkUnique(ns: string, index: CollectionIndex, records: NumberTree<StoredDocument>): void {
  const cursor = index.entries.cursor();
  const document = () => required(records.get(cursor.value), 'document of an index entry');
  let previous: string | undefined;
  for (let found = cursor.first(); found; found = cursor.next()) {
    const key = cursor.key.slice(0, -RECORD_ID_CHARS);
    if (previous !== undefined && index.entries.equal(previous, key))
      throw duplicateKey(ns, index, document(), cursor.key);
    previous = key;
  }
}
