import { BsonWriter, encodeDocument, encodeName, findField, writeJsValue } from '@replsim/protocol';
import { type IndexSpec, parseIndexSpec } from '../keys/indexSpec.ts';

const COLLATION = encodeName('collation');
const PLAIN = parseIndexSpec(encodeDocument({ v: 2, key: { _id: 1 }, name: '_id_' }));

/**
 * The index on `_id` of a collection with these options: it has the collection's collation, and no other.
 * Upstream: database_impl.cpp, createCollection.
 */
export function idIndexSpec(options: Uint8Array): IndexSpec {
  const collation = findField(options, COLLATION);
  if (!collation) return PLAIN;
  const writer = new BsonWriter();
  writeJsValue(writer, 'v', 2);
  writeJsValue(writer, 'key', { _id: 1 });
  writer.string('name', '_id_');
  writer.rawValue('collation', collation);
  return parseIndexSpec(writer.finish());
}

/** The index that finds documents by the very `_id`, whatever a collation finds equal. */
export const EXACT_ID: IndexSpec = PLAIN;
