import {
  BsonType,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  writeJsValue,
} from '@replsim/protocol';
import { type IndexSpec, parseIndexSpec } from '../keys/indexSpec.ts';

const CLUSTERED_INDEX = encodeName('clusteredIndex');

/** The longest key by which a record can be kept. Unit: bytes. Upstream: record_id.h, RecordId::kBigStrMaxSize. */
const MAX_RECORD_ID_BYTES = 8 * 1024 * 1024;

/**
 * The index by which the documents of a collection with these options are kept, as `listIndexes` shows it; undefined for
 * a collection in the order of insertion. `clusteredIndex: true` is the form of time-series buckets.
 * Upstream: clustered_collection_util.cpp, parseClusteredInfo, formatClusterKeyForListIndexes.
 */
export function clusteredIndexSpec(options: Uint8Array): IndexSpec | undefined {
  const option = findField(options, CLUSTERED_INDEX);
  if (!option) return undefined;
  const writer = new BsonWriter();
  if (option.type === BsonType.object) {
    const fields = new ElementCursor(option.bytes, option.offset);
    while (fields.next()) writer.rawValue(fields.name, fields);
  } else if (option.type === BsonType.bool && option.bytes[option.offset] === 1) {
    writeJsValue(writer, 'v', 2);
    writeJsValue(writer, 'key', { _id: 1 });
    writeJsValue(writer, 'name', '_id_');
    writeJsValue(writer, 'unique', true);
  } else return undefined;
  writer.bool('clustered', true);
  return parseIndexSpec(writer.finish());
}

/** Throws CommandError 5894900 for an `_id` that is too long to keep a record by. Upstream: record_id_helpers.cpp, keyForElem. */
export function checkRecordKey(idKey: string): void {
  if (idKey.length <= MAX_RECORD_ID_BYTES) return;
  throw new CommandError(5894900, `RecordId is limited to ${MAX_RECORD_ID_BYTES} bytes`);
}
