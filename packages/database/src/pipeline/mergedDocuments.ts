import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import { typeName } from '../fields/values.ts';
import { documentValue, isNullish } from './builtValues.ts';

/**
 * One document of the fields of several: a field keeps the place where it was first met and has its last value. Missing and
 * null ones count nothing. Errors: Location40400 for what is no document. Upstream: accumulator_merge_objects.cpp.
 */
export function mergedDocuments(documents: readonly (BsonValue | undefined)[]): BsonValue {
  const fields = new Map<string, BsonValue>();
  for (const value of documents) {
    if (!value || isNullish(value)) continue;
    if (value.type !== BsonType.object) {
      throw new CommandError(
        40400,
        `$mergeObjects requires object inputs, but an input is of type ${typeName(value.type)}`,
      );
    }
    const cursor = new ElementCursor(value.bytes, value.offset);
    while (cursor.next()) fields.set(cursor.name, cursor.value());
  }
  const writer = new BsonWriter();
  for (const [name, value] of fields) writer.rawValue(name, value);
  return documentValue(writer.finish());
}
