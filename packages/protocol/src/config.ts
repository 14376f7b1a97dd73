import type { Term } from './opTime.ts';

/** One member of a replica set's configuration, all defaults filled in. Upstream: member_config.idl. */
export interface MemberConfig {
  readonly _id: number;
  readonly host: string;
  readonly arbiterOnly: boolean;
  readonly buildIndexes: boolean;
  readonly hidden: boolean;
  readonly priority: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly secondaryDelaySecs: number;
  readonly votes: 0 | 1;
}

/** Upstream: repl_set_config.idl, ReplSetConfigSettings. */
export interface ReplSetSettings {
  readonly chainingAllowed: boolean;
  readonly heartbeatIntervalMillis: number;
  readonly heartbeatTimeoutSecs: number;
  readonly electionTimeoutMillis: number;
  readonly catchUpTimeoutMillis: number;
  readonly catchUpTakeoverDelayMillis: number;
  readonly getLastErrorModes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** 12 bytes, hex. */
  readonly replicaSetId: string;
}

/** The replicated, ordered value that says who is in the set. Upstream: repl_set_config.idl. */
export interface ReplSetConfig {
  readonly _id: string;
  readonly version: number;
  readonly term: Term;
  readonly members: readonly MemberConfig[];
  readonly writeConcernMajorityJournalDefault: boolean;
  readonly settings: ReplSetSettings;
}

/** Upstream: member_config.idl; the arbiter's priority is 0. */
export const DEFAULT_MEMBER_CONFIG = {
  arbiterOnly: false,
  buildIndexes: true,
  hidden: false,
  priority: 1,
  tags: {},
  secondaryDelaySecs: 0,
  votes: 1,
} as const;

/** Upstream: repl_set_config.idl; milliseconds and seconds as the names say. */
export const DEFAULT_SETTINGS = {
  chainingAllowed: true,
  heartbeatIntervalMillis: 2000,
  heartbeatTimeoutSecs: 10,
  electionTimeoutMillis: 10_000,
  catchUpTimeoutMillis: -1,
  catchUpTakeoverDelayMillis: 30_000,
  getLastErrorModes: {},
} as const;

/** Orders two configs: by term and version, by version alone where one was forced (term -1). */
export function isNewerConfig(
  a: { readonly version: number; readonly term: Term },
  b: { readonly version: number; readonly term: Term },
): boolean {
  if (a.term === -1 || b.term === -1 || a.term === b.term) return a.version > b.version;
  return a.term > b.term;
}

/** Half of the voters, rounded down, and one: elections, liveness, quorums. Upstream: majorityVoteCount. */
export function majorityVoteCount(config: ReplSetConfig): number {
  return Math.floor(config.members.filter((member) => member.votes === 1).length / 2) + 1;
}

/** How many data-bearing voters make a write majority-committed. Upstream: writeMajority. */
export function writeMajority(config: ReplSetConfig): number {
  const writable = config.members.filter((member) => member.votes === 1 && !member.arbiterOnly).length;
  return Math.min(majorityVoteCount(config), writable);
}

/** "majority", unless arbiters leave too few members that could acknowledge. Upstream: repl_set_config.cpp. */
export function implicitDefaultWriteConcern(config: ReplSetConfig): 'majority' | 1 {
  const voters = config.members.filter((member) => member.votes === 1);
  const arbiters = voters.filter((member) => member.arbiterOnly).length;
  return arbiters === 0 || voters.length - arbiters > majorityVoteCount(config) ? 'majority' : 1;
}
