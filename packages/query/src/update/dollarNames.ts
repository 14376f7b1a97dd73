/** Fields at the top of a document whose names begin with a dollar. */
import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { typeName } from '../typeNames.ts';

interface Field {
  readonly name: string;
  readonly type: number;
}

/**
 * An update of a stored document may leave no such name at the top, a DBRef's aside; an insert and a pipeline may.
 * Errors: DollarPrefixedFieldName 52, InvalidDBRef 55. Upstream: storage_validation.cpp, scanDocument.
 */
export function checkDollarNames(document: BsonValue): void {
  const fields: Field[] = [];
  const cursor = new ElementCursor(document.bytes, document.offset);
  while (cursor.next()) fields.push({ name: cursor.name, type: cursor.type });
  fields.forEach(({ name }, place) => {
    if (name.startsWith('$')) checkDollarName(fields, place);
  });
}

/** The same for the field at one place. Upstream: storage_validation.cpp, validateDollarPrefixElement. */
export function checkDollarName(fields: readonly Field[], place: number): void {
  let at = place;
  if (fields[at]!.name === '$db') {
    if (fields[at]!.type !== BsonType.string) throw notString(fields[at]!);
    at -= 1;
    if (fields[at]?.name !== '$id') throw invalid('Found $db field without a $id before it, which is invalid.');
  }
  if (fields[at]!.name === '$id') {
    at -= 1;
    if (fields[at]?.name !== '$ref') throw invalid('Found $id field without a $ref before it, which is invalid.');
  }
  const { name } = fields[at]!;
  if (name !== '$ref') {
    const message = `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`;
    throw new CommandError('DollarPrefixedFieldName', message);
  }
  if (fields[at]!.type !== BsonType.string) throw notString(fields[at]!);
  if (fields[at + 1]?.name !== '$id') throw invalid('The DBRef $ref field must be followed by a $id field');
}

function notString({ name, type }: Field): CommandError {
  return invalid(`The DBRef ${name} field must be a String, not a ${typeName(type)}`);
}

function invalid(message: string): CommandError {
  return new CommandError('InvalidDBRef', message);
}
