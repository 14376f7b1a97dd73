import type { Reply } from '@replsim/pipeline';
import { BsonWriter, CommandError, RawBson, writeJsValue } from '@replsim/protocol';
import { MISSING, UNDEFINED } from '@replsim/query';
import { type CollectionView, checkIndex, type IndexCheck, type IndexView } from '@replsim/storage';

/** What came of looking at all indexes of a collection, as `validate` shows it. */
export interface CheckedIndexes {
  readonly keysPerIndex: Reply;
  readonly details: Reply;
  readonly extra: readonly Reply[];
  readonly missing: readonly Reply[];
  readonly errors: readonly string[];
}

/** Holds every index against the records. Upstream: index_consistency.cpp. */
export function checkIndexes(collection: CollectionView): CheckedIndexes {
  const details: Reply = {};
  const extra: Reply[] = [];
  const missing: Reply[] = [];
  const errors: string[] = [];
  for (const index of allIndexes(collection)) {
    const { name } = index.spec;
    const found = problemsOf(collection, index);
    details[name] = detailsOf(index, found.problems);
    for (const problem of found.problems) errors.push(`index '${name}': ${problem}`);
    for (const { recordId } of found.check?.extra ?? []) extra.push({ indexName: name, recordId: BigInt(recordId) });
    for (const entry of found.check?.missing ?? []) missing.push(missingEntry(index, entry));
  }
  return { keysPerIndex: keysPerIndex(collection), details, extra, missing, errors };
}

/** The same where nobody looks at the entries. */
export function uncheckedIndexes(collection: CollectionView): CheckedIndexes {
  const details = Object.fromEntries(allIndexes(collection).map((index) => [index.spec.name, detailsOf(index, [])]));
  return { keysPerIndex: {}, details, extra: [], missing: [], errors: [] };
}

function allIndexes({ indexes, clusteredIndex }: CollectionView): readonly IndexView[] {
  return clusteredIndex ? [clusteredIndex, ...indexes] : indexes;
}

function keysPerIndex({ indexes }: CollectionView): Reply {
  return Object.fromEntries(indexes.map(({ spec, keyCount }) => [spec.name, keyCount]));
}

interface Found {
  readonly check?: IndexCheck;
  readonly problems: readonly string[];
}

function problemsOf(collection: CollectionView, index: IndexView): Found {
  try {
    const check = checkIndex(collection, index);
    const { extra, missing, duplicates, lacksMultikey } = check;
    return {
      check,
      problems: [
        ...(extra.length > 0 ? [`${extra.length} extra entries`] : []),
        ...(missing.length > 0 ? [`${missing.length} missing entries`] : []),
        ...(duplicates > 0 ? [`${duplicates} duplicate keys in a unique index`] : []),
        ...(lacksMultikey ? ['documents with arrays in an index that is not multikey'] : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { problems: [error.message] };
  }
}

function detailsOf({ spec }: IndexView, errors: readonly string[]): Reply {
  const valid = errors.length === 0;
  return { valid, ...(!valid && { errors }), spec: new RawBson(spec.bytes) };
}

function missingEntry({ spec }: IndexView, { recordId, values }: IndexCheck['missing'][number]): Reply {
  const writer = new BsonWriter();
  spec.parts.forEach(({ path }, i) => {
    const value = values[i]!;
    if (value === MISSING || value === UNDEFINED) writeJsValue(writer, path, null);
    else writer.rawValue(path, value);
  });
  return { indexName: spec.name, recordId: BigInt(recordId), indexKey: new RawBson(writer.finish()) };
}
