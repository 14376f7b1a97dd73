import { type BsonValue, required } from '@replsim/protocol';
import { compareKeys } from '../keys/collatedKeys.ts';
import { IndexKeyGenerator, type IndexKeys } from '../keys/indexKeys.ts';
import { RECORD_ID_CHARS } from '../keys/keys.ts';
import type { StoredDocument } from './storedDocument.ts';
import type { CollectionView, IndexView, RecordId } from './views.ts';

/** Where an index and the records of its collection do not agree. */
export interface IndexCheck {
  /** Entries that no document draws, and those that stand for another record than theirs. */
  readonly extra: readonly { readonly recordId: RecordId }[];
  /** Entries that a document draws and the index lacks. @param values of the key, in the order of the index's fields */
  readonly missing: readonly { readonly recordId: RecordId; readonly values: readonly BsonValue[] }[];
  /** Keys that several documents of a unique index share. */
  readonly duplicates: number;
  /** Documents have arrays on the indexed paths, and the index does not know. */
  readonly lacksMultikey: boolean;
}

/**
 * Draws the keys of every document anew, nothing taken from what they remember, and holds them against the index.
 * Throws what `IndexKeyGenerator.keysOf` throws.
 */
export function checkIndex(collection: CollectionView, index: IndexView): IndexCheck {
  const { spec } = index;
  const generator = new IndexKeyGenerator(spec);
  const byId = spec.clustered || (spec.name === '_id_' && !spec.collator);
  const expected = new Map<string, RecordId>();
  let hasArrays = false;
  const records = collection.records();
  while (records.next()) {
    const { recordId, document } = records;
    const keys = byId ? document.idKey : generator.keysOf(document.bytes, recordId);
    if (typeof keys !== 'string' && keys.length > 0) hasArrays = true;
    for (const key of listOf(keys)) expected.set(key, recordId);
  }
  const groups = spec.unique && !byId ? duplicateRecords(index) : [];
  const duplicates = groups.reduce((sum, group) => sum + group.length - 1, 0);
  const extra = takeFound(index, expected);
  const missing = [...expected].map(([key, recordId]) => {
    const document = required(collection.get(recordId), 'document of an expected entry');
    return { recordId, values: valuesOf(generator, document, recordId, key, byId) };
  });
  return { extra, missing, duplicates, lacksMultikey: hasArrays && !index.multikey };
}

/** Takes from `expected` what the index has, and gives back what it has besides. */
function takeFound(index: IndexView, expected: Map<string, RecordId>): { readonly recordId: RecordId }[] {
  const extra: { readonly recordId: RecordId }[] = [];
  const entries = index.range();
  while (entries.next()) {
    const { key, recordId } = entries;
    if (expected.get(key) === recordId) expected.delete(key);
    else extra.push({ recordId });
  }
  return extra;
}

/** The records that share a key, a group for each such key in the order of the index. Upstream: scanIndexForDuplicates. */
export function duplicateRecords(index: IndexView): RecordId[][] {
  const groups: RecordId[][] = [];
  let group: RecordId[] = [];
  let before: string | undefined;
  const entries = index.range();
  while (entries.next()) {
    const key = entries.key.slice(0, -RECORD_ID_CHARS);
    if (before === undefined || compareKeys(before, key, index.spec.collator) !== 0) {
      if (group.length > 1) groups.push(group);
      group = [];
    }
    group.push(entries.recordId);
    before = key;
  }
  if (group.length > 1) groups.push(group);
  return groups;
}

/** The values behind one of a document's entries. */
function valuesOf(
  generator: IndexKeyGenerator,
  { bytes }: StoredDocument,
  recordId: RecordId,
  entry: string,
  byId: boolean,
): readonly BsonValue[] {
  const { rows } = generator.rowsOf(bytes);
  const first = required(rows[0], 'row of a document');
  if (rows.length === 1 || byId) return first;
  const distinct = listOf(generator.keysOf(bytes, recordId));
  // Equal rows make one entry, so that the places agree only where no two rows are equal.
  return rows.length === distinct.length ? required(rows[distinct.indexOf(entry)], 'row of an entry') : first;
}

function listOf(keys: IndexKeys): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys;
}
