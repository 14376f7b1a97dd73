/** Stands behind the error for a name that a mongod knows, so that nobody looks for a typing error that there is not. */
const MONGOD_HAS_IT = 'mongod has it, and replsim does not';

/**
 * The error's text, with a word about names that a mongod knows.
 * @param known the names of a mongod
 */
export function sayIfKnown(errmsg: string, name: string, known: Pick<ReadonlySet<string>, 'has'>): string {
  return known.has(name) ? `${errmsg} (${MONGOD_HAS_IT})` : errmsg;
}
