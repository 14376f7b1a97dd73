/** What a checkpoint puts on disk: catalog entries and documents, as keys and values of a level database. */
import {
  type BsonValue,
  BsonWriter,
  ElementCursor,
  encodeName,
  findField,
  invariant,
  readString,
  required,
  toHex,
} from '@replsim/protocol';
import { Collection } from '../collection/collection.ts';
import { StoredDocument } from '../collection/storedDocument.ts';
import type { CollectionView } from '../collection/views.ts';
import type { StorageEngine } from '../engine.ts';
import { readAsNumber } from '../keys/bsonScalars.ts';
import { parseIndexSpec } from '../keys/indexSpec.ts';
import type { VersionView } from '../versions/versionView.ts';
import { CorruptDiskError } from './damage.ts';
import { seal } from './sealed.ts';

/** A change to the database. */
export type DiskWrite =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

export const CATALOG_PREFIX = 'c/';
export const DOCUMENT_PREFIX = 'd/';
/** Sixteen digits hold every record id, and strings of equal length order as their numbers do. */
const RECORD_ID_DIGITS = 16;

/** The writes that turn what is on disk, `older`, into `newer`. */
export function diffViews(older: VersionView, newer: VersionView): DiskWrite[] {
  const writes: DiskWrite[] = [];
  const gone = new Map(older.collections().map((collection) => [toHex(collection.uuid), collection]));
  for (const collection of newer.collections()) {
    const uuid = toHex(collection.uuid);
    const before = gone.get(uuid) ?? new Collection(collection.ns, collection.uuid, collection.options);
    gone.delete(uuid);
    writes.push({ type: 'put', key: CATALOG_PREFIX + uuid, value: seal(encodeCatalogEntry(collection)) });
    pushRecords(writes, uuid, before, collection);
  }
  for (const [uuid, collection] of gone) {
    writes.push({ type: 'del', key: CATALOG_PREFIX + uuid });
    pushRecords(writes, uuid, collection, new Collection(collection.ns, collection.uuid, collection.options));
  }
  return writes;
}

/** Creates the collection of a catalog entry; its documents come next, then `loadIndexes`. */
export function loadCollection(engine: StorageEngine, entry: Uint8Array): CollectionView {
  const text = requireField(entry, 'ns');
  const ns = readString(text);
  const uuid = requireField(entry, 'uuid');
  const options = requireField(entry, 'options');
  const idIndex = elements(requireField(entry, 'indexes')).find((index) => nameOf(index) === '_id_');
  return engine.createCollection(ns, {
    uuid: entry.slice(uuid.offset + 5, uuid.offset + uuid.size),
    options: entry.slice(options.offset, options.offset + options.size),
    withoutIdIndex: !idIndex,
    idIndex: idIndex && specOf(idIndex),
    nextRecordId: required(readAsNumber(requireField(entry, 'nextRecordId')), 'number of the next record'),
  });
}

/**
 * Inserts the documents of a collection, in the order of their keys. A checkpoint keeps no checksum for each, since in
 * memory all members share their bytes; the catalog entry holds the hash over all of them.
 * Throws CorruptDiskError, before anything is inserted, if they are not those of the checkpoint.
 */
export function loadDocuments(
  engine: StorageEngine,
  entry: Uint8Array,
  ns: string,
  found: readonly (readonly [key: string, bytes: Uint8Array])[],
): void {
  const documents = found.map(([key, bytes]) => [key, new StoredDocument(bytes)] as const);
  let a = 0;
  let b = 0;
  for (const [, document] of documents) {
    a = (a + document.hashA) | 0;
    b = (b + document.hashB) | 0;
  }
  const recorded = (name: string) => readAsNumber(requireField(entry, name));
  if (recorded('hashA') !== a >>> 0 || recorded('hashB') !== b >>> 0) {
    throw new CorruptDiskError(`checksum error in the documents of ${ns}`);
  }
  for (const [key, document] of documents) {
    engine.insert(ns, document, { recordId: Number(key.slice(-RECORD_ID_DIGITS)) });
  }
}

/** Builds the indexes of a catalog entry from the documents that are there. */
export function loadIndexes(engine: StorageEngine, ns: string, entry: Uint8Array): void {
  for (const element of elements(requireField(entry, 'indexes'))) {
    if (nameOf(element) === '_id_') continue;
    const multikey = requireField(element.bytes, 'multikey', element.offset);
    engine.createIndex(ns, parseIndexSpec(specOf(element)), {
      // What was let in by oplog application stays in.
      allowDuplicates: true,
      multikey: entry[multikey.offset] === 1,
    });
  }
}

/** Enters the builds that were under way; somebody has to begin them again. */
export function loadUnfinished(engine: StorageEngine, ns: string, entry: Uint8Array): void {
  const unfinished = findField(entry, encodeName('unfinished'));
  for (const element of unfinished ? elements(unfinished) : []) {
    const uuid = requireField(element.bytes, 'buildUUID', element.offset);
    const specs = elements(requireField(element.bytes, 'specs', element.offset));
    engine.enterBuild(
      ns,
      { uuid: entry.slice(uuid.offset + 5, uuid.offset + uuid.size), durable: true },
      specs.map(({ offset, size }) => parseIndexSpec(entry.slice(offset, offset + size))),
    );
  }
}

/** Where a collection's documents lie: between this and this followed by any digits. */
export function documentPrefix(uuid: Uint8Array | string): string {
  return `${DOCUMENT_PREFIX}${typeof uuid === 'string' ? uuid : toHex(uuid)}/`;
}

/** Where a document lies. @param uuid of its collection, 32 hex digits */
export function documentKey(uuid: string, recordId: number): string {
  return documentPrefix(uuid) + String(recordId).padStart(RECORD_ID_DIGITS, '0');
}

function pushRecords(writes: DiskWrite[], uuid: string, older: Collection, newer: Collection): void {
  newer.diffRecords(
    older,
    (recordId, document) => writes.push({ type: 'put', key: documentKey(uuid, recordId), value: document.bytes }),
    (recordId) => writes.push({ type: 'del', key: documentKey(uuid, recordId) }),
  );
}

function encodeCatalogEntry(collection: Collection): Uint8Array {
  const writer = new BsonWriter();
  writer.string('ns', collection.ns);
  writer.binary('uuid', 4, collection.uuid);
  writer.rawDocument('options', collection.options);
  writer.int64('nextRecordId', collection.nextRecordId);
  const [hashA, hashB] = collection.dataHash;
  writer.int64('hashA', hashA);
  writer.int64('hashB', hashB);
  writer.beginArray('indexes');
  collection.indexes.forEach(({ spec, multikey }, i) => {
    writer.beginDocument(String(i));
    writer.string('name', spec.name);
    writer.rawDocument('spec', spec.bytes);
    writer.bool('multikey', multikey);
    writer.endDocument();
  });
  writer.endArray();
  if (collection.unfinished.length > 0) writeUnfinished(writer, collection);
  return writer.finish();
}

/** `unfinished: [{ buildUUID, specs: [spec …] }]`; what is in the indexes so far is not worth keeping. */
function writeUnfinished(writer: BsonWriter, { unfinished }: Collection): void {
  writer.beginArray('unfinished');
  unfinished.forEach(({ uuid, indexes }, i) => {
    writer.beginDocument(String(i));
    writer.binary('buildUUID', 4, uuid);
    writer.beginArray('specs');
    indexes.forEach(({ spec }, k) => {
      writer.rawDocument(String(k), spec.bytes);
    });
    writer.endArray();
    writer.endDocument();
  });
  writer.endArray();
}

function requireField(bytes: Uint8Array, name: string, offset = 0): BsonValue {
  const field = findField(bytes, encodeName(name), offset);
  invariant(field, `a catalog entry has a field ${name}`);
  return field;
}

function elements(array: BsonValue): BsonValue[] {
  const found: BsonValue[] = [];
  const cursor = new ElementCursor(array.bytes, array.offset);
  while (cursor.next()) found.push(cursor.value());
  return found;
}

function specOf(index: BsonValue): Uint8Array {
  const { bytes, offset, size } = requireField(index.bytes, 'spec', index.offset);
  return bytes.slice(offset, offset + size);
}

function nameOf(index: BsonValue): string {
  const name = requireField(index.bytes, 'name', index.offset);
  return readString(name);
}
