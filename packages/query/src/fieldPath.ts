import { CommandError } from '@replsim/protocol';

/** No document is deeper, and what walks a path calls itself. */
const MAX_PATH_LENGTH = 200;

/** Names with a dollar that are fields all the same: those of a DBRef, and what mongod itself puts beside a document. */
const dollarFields: ReadonlySet<string> = new Set(['$id', '$ref', '$db', '$sortKey', '$recordId']);

/**
 * Refuses what is no path of a sort, of a projection or of a computed field: Location40352 for nothing at all, 40353 for a dot
 * at the end, 15998 for an empty name, 16410 for a `$` in front of one, Overflow 15 for a long path. Upstream: field_path.cpp,
 * FieldPath.
 */
export function checkFieldPath(path: string): void {
  if (path === '') throw new CommandError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw new CommandError(40353, `FieldPath must not end with a '.': '${path}'`);
  const names = path.split('.');
  if (names.length > MAX_PATH_LENGTH) {
    throw new CommandError('Overflow', `a path has more than ${MAX_PATH_LENGTH} parts`);
  }
  for (const name of names) {
    if (name === '') throw new CommandError(15998, `FieldPath field names may not be empty strings: '${path}'`);
    if (name.startsWith('$') && !dollarFields.has(name)) {
      throw new CommandError(16410, `FieldPath field names may not start with '$': '${path}'`);
    }
  }
}
