import { formatInstant } from '@replsim/kernel';
import { FORCED_JUMP, type ForcedConfigTrace } from '@replsim/protocol';
import type { Loss } from './losses.ts';

/** How a config that no majority had to have let an election lose what a majority had: a clause behind the sentence about the election. */
export function forcedText({ member, version, atMicros, without }: ForcedConfigTrace): string {
  const out = without.length === 0 ? 'with other members' : `without ${without.join(', ')}`;
  const how = version > FORCED_JUMP ? 'by force' : 'without asking a majority of the one before it';
  return `under config version ${version}, which ${member} installed ${how} at ${formatInstant(atMicros)}, ${out}`;
}

/** Which election lost something, and how it could: `n2, elected in term 2 at 25.028s, does not have it`. */
export function doesNotHave({ primary, term, electedMicros, forced }: Loss, what: string): string {
  const how = forced ? `, ${forcedText(forced)}` : '';
  return `${primary}, elected in term ${term} at ${formatInstant(electedMicros)}, does not have ${what}${how}`;
}
