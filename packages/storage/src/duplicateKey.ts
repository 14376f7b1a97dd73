import { type BsonValue, BsonWriter, CommandError, encodeName, RawBson, requiredField } from '@replsim/protocol';
import type { CollectionIndex } from './collectionIndex.ts';
import { describeDocument } from './describe.ts';
import { encodeCompoundKey, RECORD_ID_CHARS } from './keys.ts';
import type { StoredDocument } from './storedDocument.ts';

/**
 * The error of a write that a unique index refuses: 11000 with `keyPattern` and `keyValue`.
 * Upstream: duplicate_key_error_info.cpp and index_catalog_impl.cpp, buildDupKeyErrorStatus.
 * @param entry the entry, record id included, whose key is taken; undefined for `_id_`
 */
export function duplicateKey(
  ns: string,
  index: CollectionIndex,
  document: StoredDocument,
  entry?: string,
): CommandError {
  const { name, keyPattern } = index.spec;
  const keyValue = valuesOfKey(index, document, entry);
  const errmsg = `E11000 duplicate key error collection: ${ns} index: ${name} dup key: ${describeDocument(keyValue)}`;
  return new CommandError('DuplicateKey', errmsg, {
    keyPattern: new RawBson(keyPattern),
    keyValue: new RawBson(keyValue),
  });
}

function valuesOfKey(index: CollectionIndex, document: StoredDocument, entry: string | undefined): Uint8Array {
  const { parts } = index.spec;
  const row = entry === undefined ? [idOf(document)] : rowOfEntry(index, document, entry);
  const writer = new BsonWriter();
  parts.forEach(({ path }, i) => {
    writer.rawValue(path, row[i]!);
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
  return rows.find((row) => encodeCompoundKey(row, descending) === key) ?? rows[0]!;
}
