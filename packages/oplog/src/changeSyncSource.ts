import { compareOpTimes, maxOpTime, type OpTime } from '@replsim/protocol';
import { findEligible, isOfPreferredKind, type SourceCandidate, type SyncSourceQuestion } from './syncSource.ts';

/** What a source says of itself in the metadata of a reply. */
export interface SourceMetadata {
  readonly lastOpApplied: OpTime;
  readonly isPrimary: boolean;
  /** The member from which it syncs; undefined if there is none. */
  readonly syncSourceHost: string | undefined;
}

/** What bears on leaving a source beside what bears on choosing one. */
export interface ReevaluationQuestion extends SyncSourceQuestion {
  readonly source: string;
  /** Of the batch in hand; undefined after an error. */
  readonly metadata: SourceMetadata | undefined;
  readonly chainingAllowed: boolean;
}

/** Why a source is left. */
export type ReasonToChange =
  | 'forced'
  | 'notInConfig'
  | 'chainingDisabled'
  | 'noSourceAndNotAhead'
  | 'cycle'
  | 'lag'
  | 'betterKind';

/**
 * Whether a source should be given up after a batch, which is kept, and why.
 * Upstream: topology_coordinator.cpp, shouldChangeSyncSource and, after an error, shouldChangeSyncSourceOnError.
 */
export function reasonToChangeSyncSource(question: ReevaluationQuestion): ReasonToChange | undefined {
  const { members, source, forced, metadata } = question;
  if (forced !== undefined && forced !== source) return 'forced';
  const member = members.find(({ host }) => host === source);
  if (!member) return 'notInConfig';
  if (mustFollowPrimary(question)) return 'chainingDisabled';
  if (metadata) {
    // Its heartbeats may be older than its last word, or newer.
    const position = maxOpTime(member.lastApplied, metadata.lastOpApplied);
    const reason = leadsNowhere(question, metadata, position) ?? lagsBehindOthers(question, member, position);
    if (reason) return reason;
  }
  return !isOfPreferredKind(member, question) && findEligible(question) ? 'betterKind' : undefined;
}

/** While no other primary is known a source that is not primary is better than none. */
function mustFollowPrimary({ chainingAllowed, metadata, primaryHost, source }: ReevaluationQuestion): boolean {
  return !chainingAllowed && !metadata?.isPrimary && primaryHost !== undefined && primaryHost !== source;
}

function leadsNowhere(
  question: ReevaluationQuestion,
  { isPrimary, syncSourceHost }: SourceMetadata,
  position: OpTime,
): ReasonToChange | undefined {
  const { self, primaryHost, lastFetched } = question;
  if (compareOpTimes(position, lastFetched) > 0) return undefined;
  if (syncSourceHost === undefined && !isPrimary) return 'noSourceAndNotAhead';
  // A primary in catch-up and its source, each waiting for the other, would wait forever.
  return syncSourceHost === self.host && primaryHost === self.host ? 'cycle' : undefined;
}

function lagsBehindOthers(
  question: ReevaluationQuestion,
  source: SourceCandidate,
  position: OpTime,
): ReasonToChange | undefined {
  const limit = position.ts.t + question.maxSyncSourceLagSecs;
  // A candidate that would not be chosen, or only as a last resort, is no reason to leave: the member would return at once.
  return findEligible(question, (other) => other !== source && other.lastApplied.ts.t > limit) ? 'lag' : undefined;
}

/** Who is better, where a source is left for being worse. */
export function memberToChangeTo(question: ReevaluationQuestion, reason: ReasonToChange): SourceCandidate | undefined {
  const { members, source, metadata, maxSyncSourceLagSecs } = question;
  if (reason === 'betterKind') return findEligible(question);
  const current = members.find(({ host }) => host === source);
  if (reason !== 'lag' || !current || !metadata) return undefined;
  const limit = maxOpTime(current.lastApplied, metadata.lastOpApplied).ts.t + maxSyncSourceLagSecs;
  return findEligible(question, (other) => other !== current && other.lastApplied.ts.t > limit);
}

/** What else bears on leaving a source for one that is much closer. */
export interface PingQuestion extends SyncSourceQuestion {
  readonly source: string;
  /** 0 turns the rule off. Parameter: changeSyncSourceThresholdMillis. */
  readonly thresholdMillis: number;
  /** Parameter: maxNumSyncSourceChangesPerHour. */
  readonly maxChangesPerHour: number;
  /** Sources chosen in the last hour. */
  readonly changesInLastHour: number;
  readonly chosenByCommand: boolean;
  readonly inInitialSync: boolean;
}

/** Heartbeats that each other member must have answered, on average, before pings are trusted so far. */
const ROUND_TRIPS_BEFORE_CHANGE = 5;

/**
 * The member that is enough closer than the source to drop the batch in hand, which it can send again.
 * Upstream: topology_coordinator.cpp, shouldChangeSyncSourceDueToPingTime.
 * @param question `lastFetched`: the newest entry before the batch in hand
 */
export function closerSyncSource(question: PingQuestion): SourceCandidate | undefined {
  const { members, source, self, readPreference, primaryHost, thresholdMillis } = question;
  const current = members.find(({ host }) => host === source);
  if (!current || thresholdMillis === 0) return undefined;
  if (question.chosenByCommand || question.inInitialSync || self.secondaryDelaySecs > 0) return undefined;
  if (question.changesInLastHour >= question.maxChangesPerHour) return undefined;
  if (readPreference === 'primary' || (readPreference === 'primaryPreferred' && source === primaryHost))
    return undefined;
  if (question.roundTrips < ROUND_TRIPS_BEFORE_CHANGE * (members.length - 1)) return undefined;
  return findEligible(question, (other) => {
    if (readPreference === 'primaryPreferred' && other.host !== primaryHost) return false;
    return current.pingMs - other.pingMs > thresholdMillis;
  });
}
