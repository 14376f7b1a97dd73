import { didYouMean } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';
import { asWord, isNobody, membersMeant, type ReplSet, TARGET_WORDS, type Target, wordsOf } from '@replsim/replset';

/** A set and who leads it. */
export interface Peopled {
  readonly set: ReplSet;
  readonly primary: string | undefined;
}

/**
 * Members by name, or by what they are now: `primary`, `secondaries`, `all`, `any`.
 * @throws CommandError NodeNotFound
 */
export function membersOf(served: Peopled, on: Target): readonly string[] {
  const { set, primary } = served;
  const { memberNames: names } = set;
  const words = wordsOf(on).filter((word) => !names.includes(word));
  for (const word of words) {
    if (asWord(word, names) === undefined) throw nobody(word, names);
    if (word === 'primary' && primary === undefined) throw new CommandError('NodeNotFound', 'no member is primary now');
  }
  return membersMeant(on, {
    names,
    all: () => names,
    primary: () => primary,
    secondaries: () => names.filter((name) => name !== primary && set.status(name).running),
  });
}

/** Of names the next one is seldom meant: of words it is. */
function nobody(word: string, names: readonly string[]): CommandError {
  const suggestion = isNobody(word) ? 'to do it to none, leave it out' : didYouMean(word, TARGET_WORDS);
  const meant = suggestion === undefined ? '' : `; ${suggestion}`;
  return new CommandError('NodeNotFound', `no member is called "${word}": there are ${names.join(', ')}${meant}`);
}
