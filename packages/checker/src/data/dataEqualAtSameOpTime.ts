import { type DataHash, formatOpTime, isNullOpTime, type OpTime, type TraceEvent } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { formatHash, sameHash } from './dataHashes.ts';
import { HashLines } from './hashLines.ts';

/**
 * Members that have applied the same opTime hold the same data: a primary reports after each transaction, the others
 * after each batch, after a restart and after a rollback. Left out: a member in initial sync, whose data are no moment's;
 * and one that was changed as a standalone, which MongoDB does not repair either, until its next initial sync.
 * Source: RaftMongo.tla takes it for granted; MongoDB's own tests compare dbHash.
 */
export function dataEqualAtSameOpTime(): Checker {
  const lines = new HashLines();
  const syncing = new Set<string>();
  const standalone = new Set<string>();
  const changedApart = new Set<string>();

  function compare(member: string, opTime: OpTime, hash: DataHash, epochSecs: number): string | undefined {
    if (isNullOpTime(opTime) || syncing.has(member) || changedApart.has(member)) return undefined;
    const first = lines.report(opTime, hash, member);
    if (first === undefined || sameHash(first.hash, hash)) return undefined;
    const [one, other] = [formatHash(first.hash), formatHash(hash)];
    return member === first.member
      ? `${member}'s data at ${formatOpTime(opTime, epochSecs)} changed from ${one} to ${other} without an entry`
      : `data differ at ${formatOpTime(opTime, epochSecs)}: ${first.member} ${one}, ${member} ${other}`;
  }

  function observe(event: TraceEvent, epochSecs: number): string | undefined {
    switch (event.type) {
      case 'applied':
        if (standalone.has(event.member)) return undefined;
        return compare(event.member, event.opTime, event.dataHash, epochSecs);
      case 'rolledBack':
        return compare(event.member, event.commonPoint, event.dataHash, epochSecs);
      case 'processStarted': {
        const { member, mode, lastApplied, dataHash } = event;
        if (mode === 'standalone') {
          standalone.add(member);
          return undefined;
        }
        const wasStandalone = standalone.delete(member);
        if (isNullOpTime(lastApplied)) changedApart.delete(member);
        const broken = compare(member, lastApplied, dataHash, epochSecs);
        if (broken === undefined || !wasStandalone) return broken;
        changedApart.add(member);
        return undefined;
      }
      case 'initialSync':
        if (event.phase === 'started') syncing.add(event.member);
        if (event.phase === 'done') {
          syncing.delete(event.member);
          changedApart.delete(event.member);
        }
        return undefined;
    }
    return undefined;
  }

  return {
    name: 'dataEqualAtSameOpTime',
    events: ['applied', 'rolledBack', 'processStarted', 'initialSync'],
    // Two halves of a set may each elect in the same term, and then write two entries of one opTime.
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe,
  };
}
