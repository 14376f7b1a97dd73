/** What a change event says of an update, from the entry's delta. Upstream: change_stream_document_diff_parser.cpp. */
import { type BsonValue, BsonWriter, ElementCursor, encodeName, indexName, requiredField } from '@replsim/protocol';

/** A component of a path: a number is an array's index. */
type Component = string | number;

interface Changes {
  readonly updated: [path: string, value: BsonValue][];
  readonly removed: string[];
  readonly truncated: [path: string, newSize: BsonValue][];
  readonly ambiguous: [path: string, components: readonly Component[]][];
}

const DIFF = encodeName('diff');

/**
 * `{ updatedFields, removedFields, truncatedArrays, disambiguatedPaths? }`, BSON.
 * @param delta the `{ $v: 2, diff }` of an entry
 * @param disambiguate whether paths that can be read in several ways are spelt out
 */
export function updateDescription(delta: Uint8Array, disambiguate: boolean): Uint8Array {
  const changes: Changes = { updated: [], removed: [], truncated: [], ambiguous: [] };
  const diff = requiredField(delta, DIFF);
  visitDocument(diff, [], changes);
  const writer = new BsonWriter(diff.size + 128);
  writer.beginDocument('updatedFields');
  for (const [path, value] of changes.updated) writer.rawValue(path, value);
  writer.endDocument();
  writer.beginArray('removedFields');
  for (const [i, path] of changes.removed.entries()) writer.string(indexName(i), path);
  writer.endArray();
  writer.beginArray('truncatedArrays');
  for (const [i, [field, newSize]] of changes.truncated.entries()) {
    writer.beginDocument(indexName(i));
    writer.string('field', field);
    writer.rawValue('newSize', newSize);
    writer.endDocument();
  }
  writer.endArray();
  if (disambiguate) writePaths(writer, changes.ambiguous);
  return writer.finish();
}

function writePaths(writer: BsonWriter, paths: Changes['ambiguous']): void {
  writer.beginDocument('disambiguatedPaths');
  for (const [path, components] of paths) {
    writer.beginArray(path);
    for (const [i, component] of components.entries()) {
      if (typeof component === 'number') writer.int32(indexName(i), component);
      else writer.string(indexName(i), component);
    }
    writer.endArray();
  }
  writer.endDocument();
}

/** `u`pdated, `i`nserted and `d`eleted fields, then those with an `s`ubdiff. Upstream: DocumentDiffReader. */
function visitDocument(diff: BsonValue, path: readonly Component[], changes: Changes): void {
  const below: [name: string, diff: BsonValue][] = [];
  const removed: string[] = [];
  for (const { name, value } of elements(diff)) {
    if (name === 'u' || name === 'i' || name === 'b') {
      for (const field of elements(value)) changes.updated.push([note(path, field.name, changes), field.value]);
    } else if (name === 'd') for (const field of elements(value)) removed.push(field.name);
    else if (name.startsWith('s')) below.push([name.slice(1), value]);
  }
  for (const field of removed) changes.removed.push(note(path, field, changes));
  for (const [name, value] of below) visit(value, [...path, name], changes);
}

/** `l`: its new length; `u` and `s` with an index: elements. */
function visitArray(diff: BsonValue, path: readonly Component[], changes: Changes): void {
  for (const { name, value } of elements(diff)) {
    if (name === 'l') changes.truncated.push([note(path.slice(0, -1), path.at(-1)!, changes), value]);
    else if (name.startsWith('u')) changes.updated.push([note(path, Number(name.slice(1)), changes), value]);
    else if (name.startsWith('s')) visit(value, [...path, Number(name.slice(1))], changes);
  }
}

/** A subdiff begins with `a: true` where it is an array's. */
function visit(diff: BsonValue, path: readonly Component[], changes: Changes): void {
  const cursor = new ElementCursor(diff.bytes, diff.offset);
  if (cursor.next() && cursor.name === 'a') visitArray(diff, path, changes);
  else visitDocument(diff, path, changes);
}

/** The dotted path of what is reported; noted where it could be read otherwise. */
function note(path: readonly Component[], last: Component, { ambiguous }: Changes): string {
  const components = [...path, last];
  const dotted = components.join('.');
  if (components.some(isAmbiguous)) ambiguous.push([dotted, components]);
  return dotted;
}

/** A name with a dot in it, or one of digits alone that could be an index. Upstream: FieldPath's checks in the diff parser. */
function isAmbiguous(component: Component, place: number): boolean {
  return typeof component === 'string' && (component.includes('.') || (place > 0 && /^\d+$/.test(component)));
}

function elements({ bytes, offset }: BsonValue): { readonly name: string; readonly value: BsonValue }[] {
  const found: { name: string; value: BsonValue }[] = [];
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) found.push({ name: cursor.name, value: cursor.value() });
  return found;
}
