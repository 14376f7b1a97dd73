import { compareOpTimes, isReadable, type MemberState, maxOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';

/** A fellow member as a chooser of sync sources knows it. */
export interface SourceCandidate {
  readonly host: string;
  readonly isSelf: boolean;
  /** Its last heartbeat was answered. */
  readonly up: boolean;
  readonly state: MemberState;
  readonly lastApplied: OpTime;
  readonly isVoter: boolean;
  readonly hidden: boolean;
  readonly buildsIndexes: boolean;
  readonly secondaryDelaySecs: number;
  readonly pingMs: number;
  /** Whom it syncs from, by its own word. */
  readonly syncingTo: string | undefined;
}

export interface SyncSourceQuestion {
  readonly members: readonly SourceCandidate[];
  readonly self: Pick<SourceCandidate, 'host' | 'isVoter' | 'buildsIndexes' | 'secondaryDelaySecs'>;
  readonly lastFetched: OpTime;
  readonly primaryHost: string | undefined;
  readonly chainingAllowed: boolean;
  readonly isDenylisted: (host: string) => boolean;
  readonly maxSyncSourceLagSecs: number;
}

/**
 * Whom to fetch from. Upstream: topology_coordinator.cpp, chooseNewSyncSource.
 * @returns a host, or undefined: look again in a second
 */
export function chooseSyncSource(question: SyncSourceQuestion): string | undefined {
  if (!question.chainingAllowed) return primaryOnly(question);
  for (const strict of [true, false]) {
    let best: SourceCandidate | undefined;
    for (const member of question.members) {
      // Of equal pings the later member in the config is taken.
      if (isCandidate(member, question, strict) && (!best || member.pingMs <= best.pingMs)) best = member;
    }
    if (best) return best.host;
  }
  return undefined;
}

function primaryOnly({ members, primaryHost, lastFetched, isDenylisted }: SyncSourceQuestion): string | undefined {
  const primary = members.find(({ host }) => host === primaryHost);
  if (!primary || primary.isSelf || isDenylisted(primary.host)) return undefined;
  return compareOpTimes(primary.lastApplied, lastFetched) < 0 ? undefined : primary.host;
}

function isCandidate(member: SourceCandidate, question: SyncSourceQuestion, strict: boolean): boolean {
  const { self, lastFetched, isDenylisted } = question;
  if (!isUsable(member, self, isDenylisted) || compareOpTimes(member.lastApplied, lastFetched) <= 0) return false;
  if (!strict) return true;
  if (self.isVoter && !member.isVoter) return false;
  if (member.hidden || member.secondaryDelaySecs > self.secondaryDelaySecs) return false;
  const primary = question.members.find(({ host }) => host === question.primaryHost);
  return !primary || member.lastApplied.ts.t >= primary.lastApplied.ts.t - question.maxSyncSourceLagSecs;
}

/** What nobody syncs without: the member answers, has data to read, and was not put aside. */
function isUsable(
  member: SourceCandidate,
  self: SyncSourceQuestion['self'],
  isDenylisted: SyncSourceQuestion['isDenylisted'],
): boolean {
  if (member.isSelf || !member.up || !isReadable(member.state) || isDenylisted(member.host)) return false;
  return member.buildsIndexes || !self.buildsIndexes;
}

/**
 * Whether a source should be given up after a batch, and why. Upstream also looks for a source with a shorter ping.
 * Upstream: topology_coordinator.cpp, shouldChangeSyncSource.
 * @param lastOpApplied the source's own word in its last reply, which may be newer than its heartbeats
 */
export function reasonToChangeSyncSource(
  source: string,
  question: SyncSourceQuestion,
  lastOpApplied: OpTime = NULL_OP_TIME,
): 'notInConfig' | 'chainingDisabled' | 'noSourceAndNotAhead' | 'cycle' | 'lag' | undefined {
  const { members, primaryHost, self, lastFetched, isDenylisted } = question;
  const member = members.find(({ host }) => host === source);
  if (!member) return 'notInConfig';
  if (!question.chainingAllowed && primaryHost !== undefined && primaryHost !== source) return 'chainingDisabled';
  // It holds at least what it sent, whatever its last heartbeat said.
  const position = maxOpTime(maxOpTime(member.lastApplied, lastOpApplied), lastFetched);
  if (compareOpTimes(position, lastFetched) <= 0 && member.state !== 'PRIMARY' && primaryHost !== source) {
    if (member.syncingTo === undefined) return 'noSourceAndNotAhead';
    // A primary in catch-up and its source, each waiting for the other, would wait for ever.
    if (member.syncingTo === self.host && primaryHost === self.host) return 'cycle';
  }
  const limit = position.ts.t + question.maxSyncSourceLagSecs;
  const fresher = members.some(
    (other) =>
      other.host !== source &&
      isUsable(other, self, isDenylisted) &&
      (!self.isVoter || other.isVoter) &&
      other.lastApplied.ts.t > limit,
  );
  return fresher ? 'lag' : undefined;
}
