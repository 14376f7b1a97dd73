import { either, strict, text } from '@replsim/replset';
import type * as z from 'zod';
import { fromBase64 } from '../file/extendedJson.ts';
import type { Path, Source } from '../file/source.ts';
import { documentsOfDump } from './bsonDump.ts';
import { DataFileError } from './dataFileError.ts';

/** A file of documents: its name, or what `carryFiles` makes of that. */
export const dataFile = either('the name of a file: docs.jsonl, export.json or dump.bson', [
  text,
  strict('file', {
    name: text.describe('Name of the file'),
    bson: text.describe('Its documents as BSON, in Base64; replsim writes them here where no file can be read'),
  }),
]).describe(
  'A file with the documents, seen from the scenario: a .json or .jsonl of mongoexport, a .bson of mongodump',
);
export type DataFileInput = z.infer<typeof dataFile>;

/** The documents that a text carries; where it has only the file's name, that is a mistake. */
export function carriedDocuments(source: Source, path: Path, input: DataFileInput): readonly Uint8Array[] {
  if (typeof input === 'string') {
    source.mistakeAtPath(
      path,
      `"${input}" cannot be read here: this text comes without the folder in which the file is`,
      'play it on the command line, replsim run FILE, or write the documents under "documents:"',
    );
    return [];
  }
  const bytes = fromBase64(input.bson);
  if (bytes === undefined) source.mistakeAtPath([...path, 'bson'], 'this is not Base64', `write file: ${input.name}`);
  try {
    return [...documentsOfDump(bytes ?? new Uint8Array())];
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    source.mistakeAtPath([...path, 'bson'], `${input.name}: ${error.message}`, `write file: ${input.name}`);
    return [];
  }
}
