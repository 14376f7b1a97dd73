import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
/** How much virtual time goes by at least between two looks at the TTL monitor. */
const TTL_LOOK_EVERY_MICROS = 100_000;
const TTL_STATUS = encodeDocument({ serverStatus: 1, $db: 'admin' });

/** Who accepts writes, by the members' own word; of two, the one of the later term. Undefined if nobody does. */
export function primaryOf(set: ReplSet): string | undefined {
  let primary: string | undefined;
  let newest = '';
  for (const name of set.memberNames) {
    const { running, paused } = set.status(name);
    if (!running || paused) continue;
    const { isWritablePrimary, electionId = '' } = decodePromoted(set.ask(name, HELLO));
    if (isWritablePrimary !== true || String(electionId) < newest) continue;
    primary = name;
    newest = String(electionId);
  }
  return primary;
}

/** Tells whether the TTL monitor of the primary, whoever that is then, has ended a pass since the first call. */
export function ttlPassEnded(set: ReplSet): () => boolean {
  let ended = false;
  let watched: string | undefined;
  let passes = 0;
  let seen = -1;
  let lookAt = 0;
  return () => {
    if (ended || set.changes === seen || set.nowMicros < lookAt) return ended;
    seen = set.changes;
    lookAt = set.nowMicros + TTL_LOOK_EVERY_MICROS;
    const primary = primaryOf(set);
    if (primary === undefined) return false;
    const now = ttlPassesOf(set, primary);
    ended = watched === primary && now > passes;
    if (watched !== primary) passes = now;
    watched = primary;
    return ended;
  };
}

/** How many passes a member's TTL monitor has ended. */
function ttlPassesOf(set: ReplSet, member: string): number {
  const { metrics } = decodePromoted(set.ask(member, TTL_STATUS));
  return Number(metrics.ttl.passes);
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
