import { CommandError } from '@replsim/protocol';

/**
 * Refuses to make a collection in a database whose name differs from another's only in the case of its letters: DatabaseDifferCase 13297.
 * Members apply what others made. Simplification: with its last collection a name is free, as a mongod has it after a restart.
 * Upstream: database_holder_impl.cpp, openDb.
 * @param present the databases that have collections
 */
export function checkDatabaseCase(db: string, present: ReadonlySet<string>): void {
  if (present.has(db)) return;
  const folded = foldCase(db);
  for (const other of present) {
    if (foldCase(other) !== folded) continue;
    throw new CommandError(
      'DatabaseDifferCase',
      `db already exists with different case already have: [${other}] trying to create [${db}]`,
    );
  }
}

/** ASCII alone has cases here. Upstream: string_data.h, equalCaseInsensitive. */
function foldCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
