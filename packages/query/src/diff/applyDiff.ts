/** Applying the oplog's `$v: 2` delta. Upstream: document_diff_applier.cpp. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  ElementCursor,
  encodeName,
  findField,
  indexName,
  readInt32,
} from '@replsim/protocol';
import { isNumeric, readInteger } from '../values.ts';

/** What a diff says of one field. */
type Change =
  | { readonly kind: 'delete' | 'insert' }
  | { readonly kind: 'update' | 'nested'; readonly value: BsonValue };

const diffName = encodeName('diff');

/** True if an update entry's `o` is a delta rather than a whole document. */
export function isDelta(o: Uint8Array): boolean {
  return o[4] === BsonType.int && o[5] === 0x24 && o[6] === 0x76 && o[7] === 0 && readInt32(o, 8) === 2;
}

/**
 * Applies an update entry's `o`, `{ $v: 2, diff: … }`, to a document.
 * Total: where the document is not of the expected shape (the entry is replayed on a later version) the field is left
 * alone, arrays are padded with null, and nothing is thrown; applying twice gives what applying once does.
 */
export function applyDiff(document: Uint8Array, delta: Uint8Array): Uint8Array {
  const diff = findField(delta, diffName);
  if (diff === undefined || diff.type !== BsonType.object) return document;
  const writer = new BsonWriter(document.length + delta.length);
  applyToDocument(document, 0, diff, writer);
  return writer.finish();
}

interface DocumentChanges {
  readonly changes: ReadonlyMap<string, Change>;
  readonly inserts: readonly { readonly name: string; readonly value: BsonValue }[];
}

function readDocumentDiff(diff: BsonValue): DocumentChanges {
  const changes = new Map<string, Change>();
  const inserts: { name: string; value: BsonValue }[] = [];
  const sections = new ElementCursor(diff.bytes, diff.offset);
  while (sections.next()) {
    const { name } = sections;
    if (sections.type !== BsonType.object) continue;
    if (name.startsWith('s')) {
      changes.set(name.slice(1), { kind: 'nested', value: sections.value() });
      continue;
    }
    const fields = new ElementCursor(diff.bytes, sections.offset);
    while (fields.next()) {
      const field = fields.name;
      if (name === 'd') changes.set(field, { kind: 'delete' });
      else if (name === 'u') changes.set(field, { kind: 'update', value: fields.value() });
      else if (name === 'i') {
        changes.set(field, { kind: 'insert' });
        inserts.push({ name: field, value: fields.value() });
      }
    }
  }
  return { changes, inserts };
}

/** Writes the changed fields of the document at `start` into the document that `writer` has open. */
function applyToDocument(bytes: Uint8Array, start: number, diff: BsonValue, writer: BsonWriter): void {
  const { changes, inserts } = readDocumentDiff(diff);
  const seen = new Set<string>();
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const change = changes.get(name);
    if (change === undefined) {
      writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
      continue;
    }
    seen.add(name);
    if (change.kind === 'update') writer.rawValue(name, change.value);
    else if (change.kind === 'nested') applyNested(name, cursor.value(), change.value, writer);
  }
  // An update of a field that has gone meanwhile brings it back, so that a replay ends where the first run did.
  for (const [name, change] of changes) {
    if (change.kind === 'update' && !seen.has(name)) writer.rawValue(name, change.value);
  }
  for (const { name, value } of inserts) writer.rawValue(name, value);
}

function applyNested(name: string, value: BsonValue, diff: BsonValue, writer: BsonWriter): void {
  const wanted = isArrayDiff(diff) ? BsonType.array : BsonType.object;
  if (value.type !== wanted) writer.rawValue(name, value);
  else if (wanted === BsonType.object) {
    writer.beginDocument(name);
    applyToDocument(value.bytes, value.offset, diff, writer);
    writer.endDocument();
  } else {
    writer.beginArray(name);
    applyToArray(value, diff, writer);
    writer.endArray();
  }
}

/** An array's diff begins with `a: true`, which no document's diff has. */
function isArrayDiff({ bytes, offset }: BsonValue): boolean {
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() && cursor.name === 'a' && cursor.type === BsonType.bool;
}

/** No array in a document of 16 MB is longer; it keeps a damaged diff from filling the memory. */
const MAX_ARRAY_LENGTH = 3_000_000;

function applyToArray(array: BsonValue, diff: BsonValue, writer: BsonWriter): void {
  const changes = new Map<number, Change>();
  let newLength: number | undefined;
  let touched = 0;
  const cursor = new ElementCursor(diff.bytes, diff.offset);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === 'l') newLength = lengthOf(cursor.value());
    const match = /^([us])(\d{1,7})$/.exec(name);
    if (match === null) continue;
    const index = Number(match[2]);
    if (index >= MAX_ARRAY_LENGTH) continue;
    changes.set(index, { kind: match[1] === 'u' ? 'update' : 'nested', value: cursor.value() });
    touched = Math.max(touched, index + 1);
  }
  const items = new ElementCursor(array.bytes, array.offset);
  for (let i = 0; ; i++) {
    const exists = items.next();
    if (newLength === undefined ? !exists && i >= touched : i >= newLength) return;
    const name = indexName(i);
    const change = changes.get(i);
    if (change?.kind === 'update') writer.rawValue(name, change.value);
    else if (!exists) writer.null(name);
    else if (change?.kind === 'nested') applyNested(name, items.value(), change.value, writer);
    else writer.rawValue(name, items);
  }
}

function lengthOf(value: BsonValue): number | undefined {
  const length = isNumeric(value.type) ? readInteger(value) : undefined;
  return length !== undefined && length >= 0n && length < MAX_ARRAY_LENGTH ? Number(length) : undefined;
}
