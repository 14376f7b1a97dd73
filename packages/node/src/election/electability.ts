import {
  compareOpTimes,
  isNullOpTime,
  type MemberConfig,
  type MemberState,
  type OpTime,
  type Term,
} from '@replsim/protocol';
import type { ElectionReason } from './electionReason.ts';

/** Entries of one second that a priority takeover may lag. Upstream: topology_coordinator.cpp. */
const FRESHNESS_WINDOW_INCREMENTS = 1000;

/** What bears on the question whether a member may stand. */
export interface Candidate {
  /** The member's own entry in the config; undefined if there is none. */
  readonly self: MemberConfig | undefined;
  readonly state: MemberState;
  readonly isLeader: boolean;
  readonly term: Term;
  readonly lastWritten: OpTime;
  readonly lastApplied: OpTime;
  /** The newest applied opTime of this member and of those that are up. */
  readonly newestApplied: OpTime;
  /** The applied opTime of the member that is believed to be primary. */
  readonly primaryApplied: OpTime | undefined;
  readonly seesMajority: boolean;
  /** Frozen, or stepped down not long ago. */
  readonly isWaiting: boolean;
  readonly priorityTakeoverFreshnessWindowSeconds: number;
}

/** Why a member may not stand for election now; undefined if it may. Upstream: TopologyCoordinator::_getMyUnelectableReason */
export function unelectableReason(candidate: Candidate, reason: ElectionReason): string | undefined {
  const { self, state, isLeader } = candidate;
  if (!self) return 'it is not a member of a valid replica set configuration';
  const reasons: string[] = [];
  if (isNullOpTime(candidate.lastWritten) || isNullOpTime(candidate.lastApplied)) reasons.push('it has no data');
  if (!candidate.seesMajority) reasons.push('it cannot see a majority of the voters');
  if (self.arbiterOnly) reasons.push('it is an arbiter');
  if (self.priority <= 0) reasons.push('its priority is 0');
  if (candidate.isWaiting) reasons.push('it stepped down or was frozen not long ago');
  if (state !== 'SECONDARY' && !isLeader) reasons.push(`its state is ${state}`);
  if (reason === 'priorityTakeover' && !isFreshForPriorityTakeover(candidate)) {
    reasons.push('its data is not fresh enough for a priority takeover');
  }
  if (reason === 'catchupTakeover' && !isFreshForCatchUpTakeover(candidate)) {
    reasons.push('it is not the freshest member or not ahead of the primary');
  }
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

function isFreshForPriorityTakeover(candidate: Candidate): boolean {
  const { lastApplied: mine, newestApplied: newest, priorityTakeoverFreshnessWindowSeconds } = candidate;
  if (mine.t !== newest.t) return false;
  return mine.ts.t === newest.ts.t
    ? newest.ts.i - mine.ts.i <= FRESHNESS_WINDOW_INCREMENTS
    : newest.ts.t - mine.ts.t <= priorityTakeoverFreshnessWindowSeconds;
}

/** The freshest of all, ahead of a primary that has written nothing in its term yet. */
function isFreshForCatchUpTakeover({ lastApplied, newestApplied, primaryApplied, term }: Candidate): boolean {
  if (!primaryApplied || compareOpTimes(newestApplied, lastApplied) > 0) return false;
  return compareOpTimes(lastApplied, primaryApplied) > 0 && lastApplied.t < term;
}
