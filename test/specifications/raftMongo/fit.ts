import type { ReplSetConfig, TraceEvent } from '@replsim/protocol';
import { dataBearingVotersOf, isMajority, type Member } from './members.ts';

/**
 * What takes away the ground that RaftMongo stands on: any two majorities share a server, a server keeps its log, and terms come
 * from candidates.
 * From such an event on a run is not held against it.
 * @returns why, in words that stay the same for all runs
 */
export function whatTakesItAway(event: TraceEvent, members: readonly Member[]): string | undefined {
  if (event.type === 'configInstalled') {
    if (event.forced) return 'a config is forced, and two majorities need not share a member';
    if (hasFewDataBearers(event.config))
      return 'arbiters leave fewer voters with data than elect, who commit on their own';
  }
  if (event.type === 'diskChanged' && (event.lost || event.torn || event.misdirected))
    return 'a disk reports writes as done that it has not done';
  if (event.type === 'commandStarted' && event.name === 'replSetRequestVotes')
    return 'a client asks for votes, and makes terms in which nobody stands';
  if (
    event.type === 'processStopped' &&
    event.how !== 'shutdown' &&
    members.some(({ config }) => config?.writeConcernMajorityJournalDefault === false)
  )
    return 'a process dies while a majority acknowledges what is in no journal';
  return undefined;
}

function hasFewDataBearers(config: ReplSetConfig): boolean {
  return !isMajority(dataBearingVotersOf(config), config);
}
