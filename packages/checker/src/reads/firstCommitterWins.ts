import { formatOpTime, type OplogEntry, type OplogOperation, type OpTime, TransactionChain } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { Branches } from '../log/branches.ts';

/** The transaction that overwrote a version. */
interface Overwriting {
  readonly opTime: OpTime;
  readonly member: string;
}

/**
 * On one branch no two committed transactions overwrite the same version of a document: who commits first wins, and the other one
 * aborts. A version is known by its very object, which entries share with the data that they were written for; so the trace must
 * be that of a run that goes on here. One that was read from a file tells nothing, and none tells which snapshot a transaction
 * read. What is written outside of transactions, and keys of unique indexes that two of them insert, are not looked at.
 * Source: transaction_participant.cpp; snapshot isolation, first committer wins.
 */
export function firstCommitterWins(branches = new Branches()): Checker {
  const overwritten = new WeakMap<object, Overwriting>();

  function judge(member: string, entries: readonly OplogEntry[], epochSecs: number): string | undefined {
    const chain = new TransactionChain();
    const end = branches.endOf(member);
    let broken: string | undefined;
    for (const entry of entries) {
      const { opTime } = entry;
      for (const operation of chain.operationsOf(entry)) {
        const version = versionBefore(operation);
        if (version === undefined) continue;
        const earlier = overwritten.get(version);
        overwritten.set(version, { opTime, member });
        if (earlier === undefined || earlier.opTime === opTime || !end || !branches.holds(end, earlier.opTime))
          continue;
        broken ??=
          `${member} committed a transaction at ${formatOpTime(opTime, epochSecs)} that overwrites a document of ` +
          `${operation.ns} as it was before ${formatOpTime(earlier.opTime, epochSecs)}, where ${earlier.member} had overwritten it`;
      }
    }
    return broken;
  }

  return {
    name: 'firstCommitterWins',
    events: ['oplogWritten'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event, epochSecs) {
      // The entries of a transaction come alone.
      if (event.type !== 'oplogWritten' || event.origin !== 'self' || !event.entries[0]?.operation.transaction)
        return undefined;
      return judge(event.member, event.entries, epochSecs);
    },
  };
}

/** What an update changes or a delete removes, where the entry shares it. */
function versionBefore({ op, before, document }: OplogOperation): object | undefined {
  if (op === 'u') return before;
  return op === 'd' ? document : undefined;
}
