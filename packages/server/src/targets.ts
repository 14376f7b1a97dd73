import { CommandError } from '@replsim/protocol';
import type { ServedSet } from './servedSet.ts';

/**
 * Members by name, or by what they are now: `primary`, `secondaries`, `all`, `any`.
 * @throws CommandError NodeNotFound
 */
export function membersOf(served: ServedSet, on: string | readonly string[]): readonly string[] {
  return [...new Set([on].flat().flatMap((word) => membersMeant(served, word)))];
}

function membersMeant(served: ServedSet, word: string): readonly string[] {
  const { memberNames } = served.set;
  if (memberNames.includes(word)) return [word];
  const { primary } = served;
  switch (word) {
    case 'all':
      return memberNames;
    case 'any':
      return memberNames.slice(0, 1);
    case 'primary':
      if (primary === undefined) throw new CommandError('NodeNotFound', 'no member is primary now');
      return [primary];
    case 'secondaries':
      return memberNames.filter((name) => name !== primary && served.set.status(name).running);
    default:
      throw new CommandError('NodeNotFound', `no member is called "${word}": there are ${memberNames.join(', ')}`);
  }
}
