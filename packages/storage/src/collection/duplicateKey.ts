import {
  type BsonValue,
  BsonWriter,
  CommandError,
  encodeName,
  RawBson,
  required,
  requiredField,
} from '@replsim/protocol';
import { compareKeys } from '../keys/collatedKeys.ts';
import { describeDocument } from '../keys/describe.ts';
import { encodeCompoundKey, RECORD_ID_CHARS } from '../keys/keys.ts';
import { ITSELF } from '../keys/valueKey.ts';
import type { CollectionIndex } from './collectionIndex.ts';
import type { StoredDocument } from './storedDocument.ts';

/**
 * The error of a write that a unique index refuses: 11000 with `keyPattern`, `keyValue` and the index's `collation`.
 * Simplification: strings of a collation are shown as they are, where upstream shows ICU's sort keys in hex digits.
 * Upstream: duplicate_key_error_info.cpp and index_catalog_impl.cpp, buildDupKeyErrorStatus.
 * @param entry the entry, record id included, whose key is taken; undefined for `_id_`
 */
export function duplicateKey(
  ns: string,
  index: CollectionIndex,
  document: StoredDocument,
  entry?: string,
): CommandError {
  const { name, keyPattern, collator } = index.spec;
  const keyValue = valuesOfKey(index, document, entry);
  const collation = collator ? ` collation: ${describeDocument(collator.bytes)}` : '';
  const dupKey = describeDocument(keyValue);
  const errmsg = `E11000 duplicate key error collection: ${ns} index: ${name}${collation} dup key: ${dupKey}`;
  return new CommandError('DuplicateKey', errmsg, {
    keyPattern: new RawBson(keyPattern),
    keyValue: new RawBson(keyValue),
    ...(collator && { collation: new RawBson(collator.bytes) }),
  });
}

function valuesOfKey(index: CollectionIndex, document: StoredDocument, entry: string | undefined): Uint8Array {
  const { parts } = index.spec;
  const row = entry === undefined ? [idOf(document)] : rowOfEntry(index, document, entry);
  const writer = new BsonWriter();
  parts.forEach(({ path }, i) => {
    writer.rawValue(path, required(row[i], 'value of a part of the key'));
  });
  return writer.finish();
}

function idOf(document: StoredDocument): BsonValue {
  return requiredField(document.bytes, encodeName('_id'));
}

/** The row of a document's values that this entry was made of. */
function rowOfEntry(index: CollectionIndex, document: StoredDocument, entry: string): readonly BsonValue[] {
  const { rows } = index.generator.rowsOf(document.bytes);
  const key = entry.slice(0, -RECORD_ID_CHARS);
  const descending = index.spec.parts.map((part) => part.descending);
  // An empty array's key has no value that encodes to it, and is then the only row.
  const { collator } = index.spec;
  const isIt = (row: readonly BsonValue[]) =>
    compareKeys(encodeCompoundKey(row, descending, collator && ITSELF), key, collator) === 0;
  return required(rows.find(isIt) ?? rows[0], 'row of an entry');
}
