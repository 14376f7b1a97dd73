/** Values at paths that lead through documents alone. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  ElementCursor,
  encodeName,
  findField,
  required,
} from '@replsim/protocol';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { documentValue } from './builtValues.ts';

/**
 * Puts one value at a path. Other than in a projection nothing stands for its elements: what is no document on the way, be it an array,
 * gives way to one. Upstream: document.cpp, MutableDocument::setNestedField.
 */
export function placeAt(document: Uint8Array, path: string, value: BsonValue): Uint8Array {
  const writer = new BsonWriter(document.length + value.size + 64);
  writePlaced(writer, document, 0, path.split('.'), value);
  return writer.finish();
}

const EMPTY_OBJECT = documentValue(EMPTY_DOCUMENT);

function writePlaced(
  writer: BsonWriter,
  bytes: Uint8Array,
  start: number,
  [name, ...below]: readonly string[],
  value: BsonValue,
): void {
  const wanted = required(name, 'name on a path');
  let isPlaced = false;
  const place = (old: BsonValue | undefined) => {
    isPlaced = true;
    if (below.length === 0) return writer.rawValue(wanted, value);
    const within = old?.type === BsonType.object ? old : EMPTY_OBJECT;
    writer.beginDocument(wanted);
    writePlaced(writer, within.bytes, within.offset, below, value);
    writer.endDocument();
  };
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    if (cursor.name === wanted && !isPlaced) place(cursor.value());
    else writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
  }
  if (!isPlaced) place(undefined);
}

/** The value at a path that leads through documents alone; undefined if there is none. Upstream: Document::getNestedField. */
export function nestedValue(document: Uint8Array, path: string): BsonValue | undefined {
  let value: BsonValue = documentValue(document);
  for (const name of path.split('.')) {
    const found: BsonValue | undefined =
      value.type === BsonType.object ? findField(value.bytes, encodeName(name), value.offset) : undefined;
    if (!found) return undefined;
    value = found;
  }
  return value;
}
