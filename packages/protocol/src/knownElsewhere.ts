/** Who upstream has what replsim lacks. */
export type Owner = 'mongod' | 'MongoDB Enterprise' | 'mongos';

/** Names that upstream has, whether or not replsim has them, too. */
export interface NamesElsewhere {
  has(name: string): boolean;
  /** Who has the name; mongod if absent. */
  ownerOf?(name: string): Owner | undefined;
}

/** @param byOwner the first who has a name is its owner */
export function namesElsewhere(
  byOwner: Readonly<Partial<Record<Owner, Pick<ReadonlySet<string>, 'has'>>>>,
): Required<NamesElsewhere> {
  const owners = Object.entries(byOwner) as [Owner, Pick<ReadonlySet<string>, 'has'>][];
  const ownerOf = (name: string): Owner | undefined => owners.find(([, names]) => names.has(name))?.[0];
  return { ownerOf, has: (name) => ownerOf(name) !== undefined };
}

/**
 * The error's text, with a word about names that upstream knows, so that nobody looks for a typing error that there is not.
 * @param known the names of upstream
 */
export function sayIfKnown(errmsg: string, name: string, known: NamesElsewhere): string {
  return known.has(name) ? `${errmsg} (${known.ownerOf?.(name) ?? 'mongod'} has it, and replsim does not)` : errmsg;
}
