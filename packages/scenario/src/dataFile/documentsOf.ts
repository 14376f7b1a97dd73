import { encodeDocument } from '@replsim/protocol';
import { fromExtendedJson } from '../file/ejson.ts';
import { documentsOfDump } from './bsonDump.ts';
import { DataFileError } from './dataFileError.ts';
import { JsonTree } from './jsonTree.ts';

/** What can be read, by how its name ends; a `.gz` behind it has been taken off with the compression. */
const READERS: ReadonlyMap<string, (bytes: Uint8Array) => Iterable<Uint8Array>> = new Map([
  ['bson', documentsOfDump],
  ['json', documentsOfJson],
  ['jsonl', documentsOfJson],
  ['ndjson', documentsOfJson],
]);

/**
 * The documents of a file, as BSON, in their order: Extended JSON, canonical or relaxed, or a BSON dump.
 * @param name of the file; its end says which of the two it is @throws DataFileError
 */
export function documentsOf(name: string, bytes: Uint8Array): Iterable<Uint8Array> {
  const end = /\.(\w+)(?:\.gz)?$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const read = READERS.get(end);
  if (read === undefined)
    throw new DataFileError(
      'its name',
      `it must end in .json, .jsonl or .bson, perhaps with .gz; mongoexport writes JSON, and mongodump BSON`,
    );
  return read(bytes);
}

/** As mongoexport writes them: one a line, or, with `--jsonArray`, in an array. @throws DataFileError with the line */
function* documentsOfJson(bytes: Uint8Array): Generator<Uint8Array> {
  for (const { value, line } of new JsonTree(textOf(bytes)).values()) yield encoded(value, `line ${line}`);
}

/** The one document of a file, such as what mongodump says of a collection: Maps, arrays and values. @throws DataFileError */
export function documentOfJson(bytes: Uint8Array): ReadonlyMap<string, unknown> {
  const [first, second] = new JsonTree(textOf(bytes)).values();
  const value = first === undefined ? undefined : read(first.value, 'line 1');
  if (!(value instanceof Map) || second !== undefined) throw new DataFileError('line 1', 'expected one JSON document');
  return value;
}

function encoded(tree: unknown, where: string): Uint8Array {
  const value = read(tree, where);
  if (!(value instanceof Map)) throw new DataFileError(where, 'expected a document: {"field": value}');
  return encodeDocument(value);
}

function read(tree: unknown, where: string): unknown {
  try {
    return fromExtendedJson(tree);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DataFileError(where, error.message, { cause: error });
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DataFileError('its text', 'this is not UTF-8; save the file as UTF-8', { cause: error });
  }
}
