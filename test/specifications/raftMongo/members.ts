import { maxOpTime, NULL_OP_TIME, type OpTime, type ReplSetConfig, type Term } from '@replsim/protocol';
import { EMPTY_LOG, type Entry, holds } from './entries.ts';
import type { Of } from './run.ts';

/** One server of the specification, with what RaftMongo says of it, and what the trace must have told to judge its steps. */
export interface Member {
  readonly name: string;
  currentTerm: Term;
  state: 'Follower' | 'Leader';
  log: Entry;
  commitPoint: Entry;
  /** RaftMongo has one constant set of servers; here it is who votes in the config of whoever acts. */
  config: ReplSetConfig | undefined;
  /** It has stood for election since its term was last raised. */
  stands: boolean;
  /** Between the beginning of an initial sync and its end. */
  copying: boolean;
  /** Where its log once ended before it was cut; what was said of it may still be under way. */
  readonly formerLogs: Entry[];
  readonly formerCommitPoints: Set<Entry>;
  /** By member: the newest entries that it is known to have, and to have in its journal. */
  readonly received: Map<string, { readonly written: OpTime; readonly durable: OpTime }>;
  highestTerm: Term;
  /** The host by whose log it rolls back. */
  rollbackSource: string | undefined;
}

export function newMember(name: string): Member {
  return {
    name,
    currentTerm: 0,
    state: 'Follower',
    log: EMPTY_LOG,
    commitPoint: EMPTY_LOG,
    config: undefined,
    stands: false,
    copying: false,
    formerLogs: [],
    formerCommitPoints: new Set([EMPTY_LOG]),
    received: new Map(),
    highestTerm: 0,
    rollbackSource: undefined,
  };
}

export function raiseTerm(member: Member, term: Term): void {
  member.currentTerm = term;
  member.stands = false;
  member.highestTerm = Math.max(member.highestTerm, term);
}

export function learn(member: Member, commitPoint: Entry): void {
  member.commitPoint = commitPoint;
  member.formerCommitPoints.add(commitPoint);
}

/** Takes over what somebody says of itself and of those behind it; nobody's position goes back. */
export function receive({ config, received }: Member, optimes: Of<'positionsReceived'>['optimes']): void {
  for (const { memberId, writtenOpTime, durableOpTime } of optimes) {
    const host = config?.members.find(({ _id }) => _id === memberId)?.host;
    if (host === undefined) continue;
    const name = nameOf(host);
    const { written, durable } = received.get(name) ?? { written: NULL_OP_TIME, durable: NULL_OP_TIME };
    received.set(name, { written: maxOpTime(written, writtenOpTime), durable: maxOpTime(durable, durableOpTime) });
  }
}

/** Cuts a log; what it held may have been told to others. */
export function cut(member: Member, log: Entry): void {
  member.formerLogs.push(member.log);
  member.log = log;
}

/** Whether it holds an entry, or held it once. */
export function hasHeld(member: Member, entry: Entry): boolean {
  return holds(member.log, entry) || member.formerLogs.some((log) => holds(log, entry));
}

/** RaftMongo's order of commit points. */
export function isCommitPointLess(a: Entry, b: Entry): boolean {
  return a.term < b.term || (a.term === b.term && a.index < b.index);
}

/** RaftMongo's NotBehind: whether whoever has the log `mine` may ask the one with the log `other` for a vote. */
export function notBehind(mine: Entry, other: Entry): boolean {
  return mine.term > other.term || (mine.term === other.term && mine.index >= other.index);
}

export function votersOf(config: ReplSetConfig): string[] {
  return config.members.filter(({ votes }) => votes === 1).map(({ host }) => nameOf(host));
}

export function dataBearingVotersOf(config: ReplSetConfig): string[] {
  return config.members.filter(({ votes, arbiterOnly }) => votes === 1 && !arbiterOnly).map(({ host }) => nameOf(host));
}

/** RaftMongo's IsMajority: of all servers, those without data included. */
export function isMajority(names: Iterable<string>, config: ReplSetConfig): boolean {
  const voters = votersOf(config);
  const among = new Set(names);
  return voters.filter((name) => among.has(name)).length * 2 > voters.length;
}

export function isArbiter({ name, config }: Member): boolean {
  return config?.members.some(({ host, arbiterOnly }) => arbiterOnly && nameOf(host) === name) ?? false;
}

/** The name by which the trace speaks of the member with this host. */
export function nameOf(host: string): string {
  return host.slice(0, host.lastIndexOf(':'));
}
