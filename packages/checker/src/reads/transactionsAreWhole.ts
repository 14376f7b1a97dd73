import { type DataHash, formatOpTime, type OplogEntry, type OpTime, toHex } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { formatHash, sameHash } from '../data/dataHashes.ts';
import { keepNewest } from '../keepNewest.ts';
import { Branches } from '../log/branches.ts';

/** How many entries of unfinished transactions, and how many ended transactions, are remembered. */
const MAX_KEPT = 4096;

/** The entry that ended a transaction, and who wrote it. */
interface End {
  readonly opTime: OpTime;
  readonly member: string;
}

/**
 * A transaction is in the data wholly or not at all, on every member at every opTime. One that takes several entries is written at
 * one instant, with as many operations as its last entry says; a member that is at an entry before the last, or at one that gives the
 * transaction up, after a rollback too, has the documents that were there before it; and no branch ends one twice. That members at
 * its last entry hold the same is for `dataEqualAtSameOpTime` to say.
 * Source: transaction_oplog_application.cpp; op_observer_impl.cpp, onUnpreparedTransactionCommit.
 */
export function transactionsAreWhole(branches = new Branches()): Checker {
  const found = new FoundDocuments();
  /** By session and number. */
  const ends = new Map<string, End>();

  function wrote({ member, entries, documentsHash }: EventOf<'oplogWritten'>, epochSecs: number): string | undefined {
    let operations = 0;
    for (const entry of entries) {
      const { transaction } = entry.operation;
      if (!transaction) continue;
      operations += entry.applyOps?.length ?? 0;
      if (!transaction.partialTxn) return ended(member, entry, operations, epochSecs);
      if (documentsHash) found.keep(entry.opTime, documentsHash);
    }
    return `${member} wrote a transaction without its last entry, up to ${formatOpTime(entries.at(-1)!.opTime, epochSecs)}`;
  }

  function ended(member: string, entry: OplogEntry, operations: number, epochSecs: number): string | undefined {
    const { opTime, applyOps, prevOpTime } = entry;
    const { lsid, txnNumber, count = operations } = entry.operation.transaction!;
    const before = prevOpTime && found.at(prevOpTime);
    if (!applyOps && before) found.keep(opTime, before);
    const key = `${toHex(lsid)} ${txnNumber}`;
    const earlier = ends.get(key);
    ends.set(key, { opTime, member });
    keepNewest(ends, MAX_KEPT);
    const wrote = `${member} ended a transaction at ${formatOpTime(opTime, epochSecs)}`;
    if (applyOps && count !== operations) return `${wrote} that has ${count} operations, and wrote ${operations}`;
    const end = branches.endOf(member);
    if (!earlier || !end || !branches.holds(end, earlier.opTime)) return undefined;
    return `${wrote} that ${earlier.member} had ended at ${formatOpTime(earlier.opTime, epochSecs)}`;
  }

  return {
    name: 'transactionsAreWhole',
    events: ['oplogWritten', 'applied', 'rolledBack', 'processStarted', 'initialSync'],
    records: [branches],
    // Two halves of a set may each elect in the same term, and then write two entries of one opTime.
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'oplogWritten':
          // The entries of a transaction come alone.
          if (event.origin !== 'self' || !event.entries[0]?.operation.transaction) return undefined;
          return wrote(event, epochSecs);
        case 'applied':
          return found.judge(event.member, event.opTime, event.documentsHash, epochSecs);
        case 'rolledBack':
          return found.judge(event.member, event.commonPoint, event.documentsHash, epochSecs);
        case 'processStarted':
          if (event.mode === 'standalone') found.apart.add(event.member);
          return undefined;
        case 'initialSync':
          if (event.phase === 'done') found.apart.delete(event.member);
          return undefined;
      }
      return undefined;
    },
  };
}

/** By the opTimes of entries that change no document: what their transaction found. */
class FoundDocuments {
  /** Members that were changed without the set, until their next initial sync. */
  readonly apart = new Set<string>();
  readonly #hashes = new Map<string, DataHash>();

  at(opTime: OpTime): DataHash | undefined {
    return this.#hashes.get(keyOf(opTime));
  }

  keep(opTime: OpTime, documents: DataHash): void {
    this.#hashes.set(keyOf(opTime), documents);
    keepNewest(this.#hashes, MAX_KEPT);
  }

  judge(member: string, opTime: OpTime, documents: DataHash | undefined, epochSecs: number): string | undefined {
    const found = this.at(opTime);
    if (!documents || !found || this.apart.has(member) || sameHash(found, documents)) return undefined;
    return (
      `${member} has part of a transaction at ${formatOpTime(opTime, epochSecs)}: ` +
      `its documents are ${formatHash(documents)}, and were ${formatHash(found)} before`
    );
  }
}

function keyOf({ t, ts }: OpTime): string {
  return `${t} ${ts.t} ${ts.i}`;
}
