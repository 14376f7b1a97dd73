import { either } from '@replsim/replset';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import { count, errorName, filter, namespace, value, withDefault } from '../schema/parts.ts';

/** Keys that several questions have beside them, or are. */
export const countKey = either('a namespace to count, or a number of entries or lines', [
  namespace,
  count,
  filter,
]).describe('A collection; "is" is the number of its documents. With oplog or log: the number of entries or lines');
export const filterKey = withDefault(filter, {}, 'Which documents to count, find or add up');
export const isKey = value.optional().describe('A number or MQL conditions for count, the list of documents for find');
export const matchesKey = filter.optional().describe('A filter that the reply must match');
export const errorKey = errorName
  .optional()
  .describe('The error of the command, the step or the stream: a name or number, or any');

/** Tells of a key that a question needs beside it and has not. */
export function need(reader: Reader, path: Path, question: string, key: string, hint: string): void {
  if (!reader.has(path, key)) reader.source.mistakeAtKey(path, question, `"${question}" needs "${key}"`, hint);
}
