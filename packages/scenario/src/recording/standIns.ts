import { standInOf } from '@replsim/access';

/** What a recording says in the place of keys: as many, and members that had one in common still have. */
export function standIns(keys: readonly string[]): readonly string[] {
  return keys.map(standInOf);
}
