/**
 * The oplog's `$v: 2` delta between two versions of a document.
 * Upstream: document_diff_calculator.cpp; the format is in document_diff_serialization.h.
 */
import { BsonType, type BsonValue, BsonWriter, ElementCursor, indexName } from '@replsim/protocol';
import { documentValue } from '../values.ts';

interface Field {
  readonly name: string;
  readonly value: BsonValue;
}

/**
 * Computes the `o` of an update's oplog entry, `{ $v: 2, diff: … }`, which turns `before` into `after` byte for byte.
 * Equal documents give an empty `diff`.
 * @returns undefined if the whole document is shorter than its delta, or if a field name occurs twice in either
 *   version: then the entry carries the document itself
 */
export function computeDiff(before: Uint8Array, after: Uint8Array): Uint8Array | undefined {
  const diff = diffDocuments(documentValue(before), documentValue(after));
  if (diff === undefined) return undefined;
  const writer = new BsonWriter(diff.length + 32);
  writer.int32('$v', 2);
  writer.rawDocument('diff', diff);
  const delta = writer.finish();
  return delta.length < after.length || diff.length === 5 ? delta : undefined;
}

function readFields({ bytes, offset }: BsonValue): Field[] {
  const fields: Field[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) fields.push({ name: cursor.name, value: cursor.value() });
  return fields;
}

/** The position of each name, or undefined if one occurs twice. */
function positionsOf(fields: readonly Field[]): Map<string, number> | undefined {
  const positions = new Map(fields.map(({ name }, position) => [name, position]));
  return positions.size === fields.length ? positions : undefined;
}

/**
 * Applying keeps the fields that stay in their old order and appends the inserted ones. So `after` is split into the
 * longest beginning whose fields follow each other in `before` too, and a rest that is inserted, moved fields included.
 */
function diffDocuments(before: BsonValue, after: BsonValue): Uint8Array | undefined {
  const oldFields = readFields(before);
  const newFields = readFields(after);
  const oldPositions = positionsOf(oldFields);
  const newPositions = positionsOf(newFields);
  if (oldPositions === undefined || newPositions === undefined) return undefined;
  let kept = 0;
  let last = -1;
  for (const { name } of newFields) {
    const position = oldPositions.get(name);
    if (position === undefined || position < last) break;
    last = position;
    kept++;
  }
  const deleted = oldFields.filter(({ name }) => !newPositions.has(name));
  const updated: Field[] = [];
  const nested: { readonly name: string; readonly diff: Uint8Array }[] = [];
  for (const field of newFields.slice(0, kept)) {
    const old = oldFields[oldPositions.get(field.name)!]!.value;
    if (sameBytes(old, field.value)) continue;
    const diff = diffValues(old, field.value);
    if (diff === undefined) updated.push(field);
    else nested.push({ name: field.name, diff });
  }
  const writer = new BsonWriter();
  writeSection(writer, 'd', deleted, (name) => writer.bool(name, false));
  writeSection(writer, 'u', updated, (name, value) => writer.rawValue(name, value));
  writeSection(writer, 'i', newFields.slice(kept), (name, value) => writer.rawValue(name, value));
  for (const { name, diff } of nested) writer.rawDocument(`s${name}`, diff);
  return writer.finish();
}

function writeSection(
  writer: BsonWriter,
  section: string,
  fields: readonly Field[],
  write: (name: string, value: BsonValue) => void,
): void {
  if (fields.length === 0) return;
  writer.beginDocument(section);
  for (const { name, value } of fields) write(name, value);
  writer.endDocument();
}

/** The diff between two documents or two arrays; undefined if the new value is to be written whole. */
function diffValues(before: BsonValue, after: BsonValue): Uint8Array | undefined {
  if (before.type !== after.type) return undefined;
  let diff: Uint8Array | undefined;
  if (after.type === BsonType.object) diff = diffDocuments(before, after);
  else if (after.type === BsonType.array) diff = diffArrays(before, after);
  return diff !== undefined && diff.length < after.size ? diff : undefined;
}

function diffArrays(before: BsonValue, after: BsonValue): Uint8Array | undefined {
  const oldItems = readFields(before);
  const newItems = readFields(after);
  // Applying names the elements anew, so an array whose names are not 0, 1, … could not be restored to the byte.
  if (!isNumbered(oldItems) || !isNumbered(newItems)) return undefined;
  const writer = new BsonWriter();
  writer.bool('a', true);
  if (newItems.length < oldItems.length) writer.int32('l', newItems.length);
  newItems.forEach(({ value }, i) => {
    const old = oldItems[i]?.value;
    if (old !== undefined && sameBytes(old, value)) return;
    const diff = old === undefined ? undefined : diffValues(old, value);
    if (diff === undefined) writer.rawValue(`u${i}`, value);
    else writer.rawDocument(`s${i}`, diff);
  });
  return writer.finish();
}

function isNumbered(items: readonly Field[]): boolean {
  return items.every(({ name }, i) => name === indexName(i));
}

function sameBytes(a: BsonValue, b: BsonValue): boolean {
  if (a.type !== b.type || a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (a.bytes[a.offset + i] !== b.bytes[b.offset + i]) return false;
  return true;
}
