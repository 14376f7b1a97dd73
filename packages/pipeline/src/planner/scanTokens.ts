/** How scans in the order of record ids say where they are. Upstream: collection_scan.cpp; record_id.h. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  readInt64,
} from '@replsim/protocol';
import { type CollectionView, encodeKey, type ReadView, type RecordPlace, type StoredDocument } from '@replsim/storage';

/** Where a scan goes on. */
export interface ScanStart {
  /** Undefined for the null of a scan that had read nothing, or everything. */
  readonly recordId: BsonValue | undefined;
  /** A record that is gone is no error: the scan begins with the next one. */
  readonly tolerant: boolean;
}

/** A record that a scan has met. */
export interface MetRecord {
  readonly recordId: number;
  readonly document: StoredDocument;
}

const ID = encodeName('_id');

/**
 * Writes a record id: a long, in a clustered collection binary data made of its `_id`. Simplification: mongod's binary data are in
 * its key format, ours a document.
 */
export function writeRecordId(writer: BsonWriter, name: string, collection: CollectionView, met: MetRecord): void {
  if (!collection.clusteredIndex) {
    writer.int64(name, BigInt(met.recordId));
    return;
  }
  const id = new BsonWriter();
  id.rawValue('', findField(met.document.bytes, ID)!);
  writer.binary(name, 0, id.finish());
}

/** `{ $recordId, $initialSyncId? }`; null where nothing has been met, or all. */
export function scanToken(
  collection: CollectionView,
  last: MetRecord | undefined,
  syncId: BsonValue | undefined,
): Uint8Array {
  const writer = new BsonWriter();
  if (last) writeRecordId(writer, '$recordId', collection, last);
  else writer.null('$recordId');
  if (syncId) writer.rawValue('$initialSyncId', syncId);
  return writer.finish();
}

/** By what this member's data came to it, if by a copy of another's. */
export function initialSyncIdIn(data: ReadView): BsonValue | undefined {
  const records = data.collection('local.replset.initialSyncId')?.records();
  return records?.next() ? findField(records.document.bytes, ID) : undefined;
}

/** The place behind which a scan goes on. Errors: KeyNotFound 211. */
export function placeOf(collection: CollectionView, { recordId, tolerant }: ScanStart): RecordPlace {
  if (!recordId) throw notFound('cannot resume from null recordId');
  const place =
    recordId.type === BsonType.long ? Number(readInt64(recordId.bytes, recordId.offset)) : idKeyOf(recordId);
  const there = typeof place === 'number' ? collection.get(place) : collection.findById(place);
  if (there === undefined && !tolerant) {
    const which = typeof place === 'number' ? `RecordId(${place})` : 'the _id in it';
    throw notFound(`the recordId from which we are attempting to resume no longer exists in the collection: ${which}`);
  }
  return place;
}

function idKeyOf({ bytes, offset, size }: BsonValue): string {
  // Behind the length and the subtype stands the document.
  const cursor = size > 5 + 5 ? new ElementCursor(bytes, offset + 5) : undefined;
  if (!cursor?.next()) throw notFound('the record id is none of this collection');
  return encodeKey(cursor.value());
}

function notFound(why: string): CommandError {
  return new CommandError('KeyNotFound', `Failed to resume collection scan: ${why}`);
}
