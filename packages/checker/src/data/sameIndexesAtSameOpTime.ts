import { formatOpTime, isNullOpTime, type OpTime, type Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';
import { HashLine } from './hashLine.ts';

/** How far a member may lag and still be compared, in reports of a term. */
const KEEP = 16_384;
const MAX_TERMS = 64;

/**
 * Members that have applied the same opTime have the same indexes ready: no member has one before the entry that commits
 * it, or is without it after. Left out: members of `buildIndexes: false`, which report nothing; a member in initial sync;
 * one that ran as a standalone, whose indexes may have been changed apart, until its next initial sync.
 * Source: index_builds_coordinator.cpp, applyCommitIndexBuild joins the build before the entry counts as applied.
 */
export function sameIndexesAtSameOpTime(): Checker {
  const lines = new Map<Term, HashLine>();
  const syncing = new Set<string>();
  const apart = new Set<string>();

  function lineOf({ t }: OpTime): HashLine {
    let line = lines.get(t);
    if (line === undefined) {
      line = new HashLine();
      lines.set(t, line);
      keepNewest(lines, MAX_TERMS);
    }
    return line;
  }

  return {
    name: 'sameIndexesAtSameOpTime',
    events: ['applied', 'processStarted', 'initialSync'],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'processStarted':
          if (event.mode === 'standalone') apart.add(event.member);
          return undefined;
        case 'initialSync':
          if (event.phase === 'started') syncing.add(event.member);
          if (event.phase === 'done') {
            syncing.delete(event.member);
            apart.delete(event.member);
          }
          return undefined;
        case 'applied': {
          const { member, opTime, indexHash } = event;
          if (!indexHash || isNullOpTime(opTime) || syncing.has(member) || apart.has(member)) return undefined;
          const first = lineOf(opTime).report(opTime.ts, indexHash, member, KEEP);
          if (!first || (first.hash[0] === indexHash[0] && first.hash[1] === indexHash[1])) return undefined;
          return `ready indexes differ at ${formatOpTime(opTime, epochSecs)} between ${first.member} and ${member}`;
        }
      }
      return undefined;
    },
  };
}
