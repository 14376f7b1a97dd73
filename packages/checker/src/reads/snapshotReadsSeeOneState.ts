import { formatOpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { formatHash, sameHash } from '../data/dataHashes.ts';
import { HashLines } from '../data/hashLines.ts';

/**
 * A snapshot read sees the data as of its read timestamp, and nothing that came before or after it: whether it is outside of
 * transactions, with `snapshot` or `atClusterTime`, or a statement of one, whose own writes are set aside. What the data were then
 * is known from the first member that reported its own at that opTime; at others, such as those within a secondary's batch of which
 * no primary has told, nothing is compared. Left out are members that were changed as standalones, until their next initial sync.
 * Source: read_concern_mongod.cpp; transaction_participant.cpp, the storage snapshot of a transaction.
 */
export function snapshotReadsSeeOneState(): Checker {
  const states = new HashLines();
  const apart = new Set<string>();

  function judge({ member, opTime, dataHash, txnNumber }: EventOf<'snapshotRead'>, epochSecs: number) {
    const state = apart.has(member) ? undefined : states.at(opTime);
    if (!state || sameHash(state.hash, dataHash)) return undefined;
    const who = txnNumber === undefined ? 'a snapshot read' : `a statement of transaction ${txnNumber}`;
    return (
      `${who} on ${member} was to see the data as of ${formatOpTime(opTime, epochSecs)}, which are ` +
      `${formatHash(state.hash)} on ${state.member}, and saw ${formatHash(dataHash)}`
    );
  }

  return {
    name: 'snapshotReadsSeeOneState',
    events: ['applied', 'snapshotRead', 'processStarted', 'initialSync'],
    // Two halves of a set may each elect in the same term, and then write two entries of one opTime.
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'applied':
          if (!apart.has(event.member)) states.report(event.opTime, event.dataHash, event.member);
          return undefined;
        case 'snapshotRead':
          return judge(event, epochSecs);
        case 'processStarted':
          if (event.mode === 'standalone') apart.add(event.member);
          return undefined;
        case 'initialSync':
          // What it copies meanwhile is the data of no moment.
          if (event.phase === 'started') apart.add(event.member);
          if (event.phase === 'done') apart.delete(event.member);
          return undefined;
      }
      return undefined;
    },
  };
}
