import { compareOpTimes, isReadable, type MemberState, type OpTime } from '@replsim/protocol';

/** A fellow member as a chooser of sync sources knows it. */
export interface SourceCandidate {
  readonly host: string;
  readonly isSelf: boolean;
  /** Its last heartbeat was answered. */
  readonly up: boolean;
  readonly state: MemberState;
  /** By its heartbeats. */
  readonly lastApplied: OpTime;
  readonly isVoter: boolean;
  readonly hidden: boolean;
  readonly buildsIndexes: boolean;
  readonly secondaryDelaySecs: number;
  /** Whole milliseconds, as mongod averages them. */
  readonly pingMs: number;
}

/** Upstream: read_preference.h; steady state knows only the first two. */
export type SourceReadPreference = 'nearest' | 'primary' | 'primaryPreferred' | 'secondary' | 'secondaryPreferred';

/** What the choice of a sync source looks at. */
export interface SyncSourceQuestion {
  readonly members: readonly SourceCandidate[];
  readonly self: Pick<SourceCandidate, 'host' | 'isVoter' | 'buildsIndexes' | 'secondaryDelaySecs'>;
  readonly lastFetched: OpTime;
  readonly primaryHost: string | undefined;
  readonly readPreference: SourceReadPreference;
  /** The member that `replSetSyncFrom` named, until it was tried. */
  readonly forced: string | undefined;
  /** Heartbeats answered since the config was installed, of all members together. */
  readonly roundTrips: number;
  isDenylisted(host: string): boolean;
  readonly maxSyncSourceLagSecs: number;
  /** Prefer the primary within this many ms of the nearest (8.1); undefined: only the ping decides. */
  readonly preferPrimaryWithinMs: number | undefined;
}

/** Heartbeats that each other member must have answered, on average. Upstream: _chooseSyncSourceInitialChecks. */
const ROUND_TRIPS_BEFORE_CHOICE = 2;

/**
 * Whom to fetch from. Upstream: topology_coordinator.cpp, chooseNewSyncSource.
 * @returns a host, or undefined: look again in a second
 */
export function chooseSyncSource(question: SyncSourceQuestion): string | undefined {
  const { forced, members, roundTrips, readPreference } = question;
  if (forced !== undefined) return forced;
  // Before that, what is known of the others is too little to tell near from far.
  if (roundTrips < ROUND_TRIPS_BEFORE_CHOICE * (members.length - 1)) return undefined;
  const primary = readPreference.startsWith('primary') ? primaryIfUsable(question) : undefined;
  if (primary !== undefined || readPreference === 'primary') return primary;
  return nearest(question, 'strict') ?? nearest(question, 'lax');
}

function primaryIfUsable(question: SyncSourceQuestion): string | undefined {
  const { members, primaryHost, lastFetched } = question;
  const primary = members.find(({ host }) => host === primaryHost);
  if (!primary || primary.isSelf || question.isDenylisted(primary.host)) return undefined;
  return compareOpTimes(primary.lastApplied, lastFetched) < 0 ? undefined : primary.host;
}

function nearest(question: SyncSourceQuestion, strictness: 'strict' | 'lax'): string | undefined {
  let best: SourceCandidate | undefined;
  for (const member of question.members) {
    if (isEligible(member, question, strictness)) best = best ? nearer(best, member, question) : member;
  }
  return best?.host;
}

/** Of equal pings the later member in the config. */
function nearer(a: SourceCandidate, b: SourceCandidate, question: SyncSourceQuestion): SourceCandidate {
  const { preferPrimaryWithinMs } = question;
  if (preferPrimaryWithinMs !== undefined && Math.abs(a.pingMs - b.pingMs) <= preferPrimaryWithinMs) {
    if (a.state === 'PRIMARY') return a;
    if (b.state === 'PRIMARY') return b;
  }
  return b.pingMs <= a.pingMs ? b : a;
}

/**
 * The criteria for a source. Upstream: _isEligibleSyncSource; strict is its first attempt.
 * @param strictness `strictButStale`: the strict ones less those about how far it is
 */
function isEligible(
  member: SourceCandidate,
  question: SyncSourceQuestion,
  strictness: 'strict' | 'strictButStale' | 'lax',
): boolean {
  const { self, lastFetched, readPreference } = question;
  if (!isUsable(member, question)) return false;
  // A source must be ahead, not level: two members that are level could choose each other, and would wait for each other's entries
  // for as long as both live. So on an idle set a member that has just restarted has no source. Upstream: _isEligibleSyncSource.
  if (strictness !== 'strictButStale' && compareOpTimes(member.lastApplied, lastFetched) <= 0) return false;
  const skipsPrimary =
    readPreference === 'secondary' || (readPreference === 'secondaryPreferred' && strictness !== 'lax');
  if (skipsPrimary && member.state === 'PRIMARY') return false;
  if (strictness === 'lax') return true;
  if (self.isVoter && !member.isVoter) return false;
  if (member.hidden || member.secondaryDelaySecs > self.secondaryDelaySecs) return false;
  return strictness === 'strictButStale' || !lagsBehindPrimary(member, question);
}

/** A member that has nothing of the primary's term lags too, however few seconds. Upstream: _getOldestSyncOpTime. */
function lagsBehindPrimary(member: SourceCandidate, question: SyncSourceQuestion): boolean {
  const primary = question.members.find(({ host }) => host === question.primaryHost);
  const oldestSecs = (primary?.lastApplied.ts.t ?? 0) - question.maxSyncSourceLagSecs;
  // A new primary may not have reported anything about itself yet.
  if (!primary || oldestSecs < 0) return false;
  return compareOpTimes(member.lastApplied, { ts: { t: oldestSecs, i: 0 }, t: primary.lastApplied.t }) < 0;
}

/** The minimum for any sync source: it answers, has readable data, builds indexes, and is not on the denylist. */
function isUsable(member: SourceCandidate, question: SyncSourceQuestion): boolean {
  if (member.isSelf || !member.up || !isReadable(member.state) || question.isDenylisted(member.host)) return false;
  return member.buildsIndexes || !question.self.buildsIndexes;
}

/** Whether some member passes the strict criteria, and `also`. */
export function findEligible(
  question: SyncSourceQuestion,
  also: (member: SourceCandidate) => boolean = () => true,
): SourceCandidate | undefined {
  return question.members.find((member) => also(member) && isEligible(member, question, 'strict'));
}

/** Whether a source passes the strict criteria of its kind and state, leaving its progress aside. */
export function isOfPreferredKind(source: SourceCandidate, question: SyncSourceQuestion): boolean {
  return isEligible(source, question, 'strictButStale');
}
