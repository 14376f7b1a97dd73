import type { Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * A leader only extends its oplog: it neither rolls back nor begins an initial sync, and once it accepts writes it
 * fetches no entries. Source: Raft §5.3, Leader Append-Only; bgsync.cpp.
 */
export function leaderOnlyAppends(): Checker {
  const leading = new Map<string, Term>();
  const writable = new Set<string>();

  function judge(member: string, did: string): string | undefined {
    const term = leading.get(member);
    return term === undefined ? undefined : `${member} ${did} while it led in term ${term}`;
  }

  return {
    name: 'leaderOnlyAppends',
    events: [
      'electionWon',
      'acceptsWrites',
      'steppedDown',
      'processStarted',
      'oplogWritten',
      'rollbackStarted',
      'rolledBack',
      'initialSync',
    ],
    observe(event) {
      switch (event.type) {
        case 'electionWon':
          leading.set(event.member, event.term);
          return undefined;
        case 'acceptsWrites':
          if (event.value) writable.add(event.member);
          else writable.delete(event.member);
          return undefined;
        case 'steppedDown':
        case 'processStarted':
          leading.delete(event.member);
          writable.delete(event.member);
          return undefined;
        case 'oplogWritten':
          return event.origin === 'fetched' && writable.has(event.member)
            ? judge(event.member, "took another's entries")
            : undefined;
        case 'rollbackStarted':
          return judge(event.member, 'began a rollback');
        case 'rolledBack':
          return judge(event.member, 'rolled back');
        case 'initialSync':
          return event.phase === 'started' ? judge(event.member, 'began an initial sync') : undefined;
      }
      return undefined;
    },
  };
}
