import { formatOpTime, type ReplSetConfig, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { writeMajorityOf } from '../voters.ts';
import { Branches } from './branches.ts';
import { Holdings } from './holdings.ts';

/**
 * A primary moves its commit point only to an entry of its own term that a majority of the voters with data have had, on disk
 * where the config asks for it. Positions are those that the primary may have heard of: what a member ever had counts, as
 * it may have lost it since to a later term that the primary does not know yet.
 * The set's first entry, written before there are terms, is committed by the member that initiates the set.
 * Source: RaftMongo.tla, AdvanceCommitPoint; topology_coordinator.cpp, updateLastCommittedOpTimeAndWallTime.
 */
export function commitNeedsMajority(holdings = new Holdings(new Branches())): Checker {
  const configs = new Map<string, ReplSetConfig>();

  function judge({ member, opTime, term }: EventOf<'commitPoint'>, epochSecs: number): string | undefined {
    if (opTime.t === UNINITIALIZED_TERM) return undefined;
    const moved = `${member} moved its commit point to ${formatOpTime(opTime, epochSecs)}`;
    if (opTime.t !== term) return `${moved}, though its term was ${term}`;
    const config = configs.get(member);
    if (config === undefined || holdings.majorityHeld(config, opTime)) return undefined;
    const where = config.writeConcernMajorityJournalDefault ? 'on their disks' : 'in their oplogs';
    return `${moved}, which fewer than ${writeMajorityOf(config)} voters ever had ${where}`;
  }

  return {
    name: 'commitNeedsMajority',
    events: ['commitPoint', 'configInstalled'],
    records: [holdings.branches, holdings],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event, epochSecs) {
      if (event.type === 'commitPoint') return event.learned ? undefined : judge(event, epochSecs);
      if (event.type === 'configInstalled') configs.set(event.member, event.config);
      return undefined;
    },
  };
}
