/** Values that a pipeline makes. */
import { BsonType, type BsonValue, BsonWriter, encodeName, indexName, requiredField } from '@replsim/protocol';

const V = encodeName('v');

/** The value that `write` writes as a field `v`. */
export function built(write: (writer: BsonWriter) => void): BsonValue {
  const writer = new BsonWriter(64);
  write(writer);
  return requiredField(writer.finish(), V);
}

/** A whole document as a value. */
export function documentValue(bytes: Uint8Array): BsonValue {
  return { type: BsonType.object, bytes, offset: 0, size: bytes.length };
}

/** An array of values. */
export function arrayValue(values: readonly BsonValue[]): BsonValue {
  return built((writer) => {
    writer.beginArray('v');
    for (const [i, value] of values.entries()) writer.rawValue(indexName(i), value);
    writer.endArray();
  });
}

/** An array of documents. */
export function documentsValue(documents: readonly Uint8Array[]): BsonValue {
  return arrayValue(documents.map(documentValue));
}

/** The value null. */
export const NULL: BsonValue = built((writer) => writer.null('v'));

/** Whether a value is missing, null or undefined. */
export function isNullish(value: BsonValue | undefined): boolean {
  return value === undefined || value.type === BsonType.null || value.type === BsonType.undefined;
}
