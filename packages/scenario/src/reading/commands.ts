import { splitNamespace } from '@replsim/protocol';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from './reader.ts';

/** So many documents or entries are looked at; more than any scenario compares. */
const ENOUGH = 1_000_000;

/** @param filter the key beside the namespace that says which documents are meant */
export function countCommand(reader: Reader, path: Path, namespace: string, filter = 'filter'): Template {
  const [db, collection] = splitNamespace(namespace);
  const query = reader.has(path, filter) ? reader.value([...path, filter]) : new Map();
  return withDb(
    new Template(
      new Map<string, unknown>([
        ['count', collection],
        ['query', query],
      ]),
    ),
    db,
  );
}

/** A `find` that answers everything in its first batch; `singleBatch`, which would say so, is refused on a view. */
export function findIn(db: string, collection: string, options: ReadonlyMap<string, unknown>): Template {
  const command = new Map<string, unknown>([['find', collection], ...options]);
  if (!command.has('batchSize')) command.set('batchSize', ENOUGH);
  return withDb(new Template(command), db);
}
