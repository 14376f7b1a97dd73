import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });

/** What a member said of itself. */
interface Word {
  /** The member's `changes` then: it would say the same until they move. */
  readonly changes: number;
  /** Of the term in which it accepts writes; undefined if it does not. */
  readonly electionId: string | undefined;
}

/**
 * Who accepts writes for the set, by the members' own word; of two, the one of the later term. Undefined if nobody does.
 * A standalone does for itself alone: nobody has elected it.
 */
export function primaryOf(set: ReplSet): string | undefined {
  return primaryLook(set)();
}

/** `primaryOf` for those who look often: a member is asked again only when something has changed in it. */
export function primaryLook(set: ReplSet): () => string | undefined {
  const words = new Map<string, Word>();
  return () => {
    let primary: string | undefined;
    let newest = '';
    for (const name of set.memberNames) {
      const { saysPrimary, changes } = set.status(name);
      if (!saysPrimary) continue;
      const known = words.get(name);
      const word = known?.changes === changes ? known : wordOf(set, name, changes);
      words.set(name, word);
      if (word.electionId === undefined || word.electionId < newest) continue;
      primary = name;
      newest = word.electionId;
    }
    return primary;
  };
}

function wordOf(set: ReplSet, name: string, changes: number): Word {
  const { isWritablePrimary, electionId } = decodePromoted(set.ask(name, HELLO));
  return { changes, electionId: isWritablePrimary === true && electionId ? String(electionId) : undefined };
}

/** Asks `look` again only when something has changed in the set since it last answered. */
export function whenChanged<Result>(set: ReplSet, look: () => Result): () => Result {
  let seen = -1;
  let last: Result;
  return () => {
    if (set.changes !== seen) {
      seen = set.changes;
      last = look();
    }
    return last;
  };
}
