import type { Term } from './opTime.ts';

/**
 * One member of a replica set config, with all defaults filled in. `priority` and `votes` are the values in force now, so code that
 * needs voters, majorities or electable members can ignore `newlyAdded`. Upstream: member_config.idl.
 */
export interface MemberConfig {
  /** At least 0. A reconfig may not change the `_id` of a host. */
  readonly _id: number;
  /** `name:port`. */
  readonly host: string;
  /** It votes and holds no data. */
  readonly arbiterOnly: boolean;
  /** For a voter that has not finished its initial sync: the values that it will get. Until then both are 0. */
  readonly newlyAdded?: { readonly priority: number; readonly votes: 0 | 1 };
  /** False: it has no index but that of `_id`, and its priority must be 0. */
  readonly buildIndexes: boolean;
  /** `hello` does not list it, so drivers do not find it; its priority must be 0. */
  readonly hidden: boolean;
  /** From 0 (never primary) to 1000, fractions included. */
  readonly priority: number;
  /** What read preferences and write concern modes choose members by. */
  readonly tags: Readonly<Record<string, string>>;
  /** Maps the name of each horizon to `name:port`; absent if the member has none. */
  readonly horizons?: Readonly<Record<string, string>>;
  /** It applies each entry so long after the primary wrote it; above 0 its priority must be 0. `slaveDelay` before 5.0. */
  readonly secondaryDelaySecs: number;
  readonly votes: 0 | 1;
}

/** `settings` of a replica set config. Upstream: repl_set_config.idl, ReplSetConfigSettings. */
export interface ReplSetSettings {
  /** Secondaries may fetch from other secondaries. */
  readonly chainingAllowed: boolean;
  readonly heartbeatIntervalMillis: number;
  /** A heartbeat that is not answered for so long has failed. */
  readonly heartbeatTimeoutSecs: number;
  /** A member that has not heard from a primary for so long stands for election; a primary that has lost its majority for so long steps down. */
  readonly electionTimeoutMillis: number;
  /** How long a new primary may fetch what others have before it accepts writes; -1: without limit, 0: not at all. */
  readonly catchUpTimeoutMillis: number;
  /** How long a member that is ahead of a primary that catches up waits before it takes over; -1: it never does. */
  readonly catchUpTakeoverDelayMillis: number;
  /** For each mode, maps tags to how many different values of the tag must acknowledge a write. */
  readonly getLastErrorModes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** 12 bytes, hex. */
  readonly replicaSetId: string;
}

/** The replicated, ordered value that says who is in the set. Upstream: repl_set_config.idl. */
export interface ReplSetConfig {
  readonly _id: string;
  readonly version: number;
  /** -1 on a config that was forced. */
  readonly term: Term;
  readonly members: readonly MemberConfig[];
  /** Present on the config of a config server's set. */
  readonly configsvr?: true;
  readonly writeConcernMajorityJournalDefault: boolean;
  readonly settings: ReplSetSettings;
}

/** The most members that a set may have, arbiters and hidden ones included. Upstream: repl_set_config.h, kMaxMembers. */
export const MAX_MEMBERS = 50;
/** The most members with a vote. Upstream: repl_set_config.h, kMaxVotingMembers. */
export const MAX_VOTING_MEMBERS = 7;

/** What orders configs. */
export interface ConfigVersionAndTerm {
  readonly version: number;
  readonly term: Term;
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

/** The only value of `settings.getLastErrorDefaults` since 5.0, so no config need hold it. */
export const GET_LAST_ERROR_DEFAULTS = { w: 1, wtimeout: 0 } as const;

/**
 * Orders two configs: by term, then by version. A primary that was deposed may have gone on counting versions, so a later term wins
 * whatever they say; a forced config (term -1) is nobody's, and has its version alone, which is why that one jumps.
 */
export function isNewerConfig(a: ConfigVersionAndTerm, b: ConfigVersionAndTerm): boolean {
  if (a.term === -1 || b.term === -1 || a.term === b.term) return a.version > b.version;
  return a.term > b.term;
}

/** Same version and same term. */
export function sameConfigVersion(a: ConfigVersionAndTerm, b: ConfigVersionAndTerm): boolean {
  return a.version === b.version && a.term === b.term;
}

/** `{version: 2, term: 1}`, as messages of mongod spell it. Upstream: ConfigVersionAndTerm::toString. */
export function showConfigVersion({ version, term }: ConfigVersionAndTerm): string {
  return `{version: ${version}, term: ${term}}`;
}

/** Who has a vote now. Upstream: ReplSetConfig::votingMembers. */
export function votingMembers({ members }: Pick<ReplSetConfig, 'members'>): MemberConfig[] {
  return members.filter(({ votes }) => votes === 1);
}

/** Who could become primary under this config. Upstream: MemberConfig::isElectable. */
export function isElectable({ arbiterOnly, priority }: MemberConfig): boolean {
  return !arbiterOnly && priority > 0;
}

/** Half of the voters, rounded down, and one: elections, liveness, quorums. Upstream: majorityVoteCount. */
export function majorityVoteCount(config: Pick<ReplSetConfig, 'members'>): number {
  return Math.floor(votingMembers(config).length / 2) + 1;
}

/** Voters that hold data. Upstream: getWritableVotingMembersCount. */
export function writableVotingMembers(config: Pick<ReplSetConfig, 'members'>): number {
  return votingMembers(config).filter(({ arbiterOnly }) => !arbiterOnly).length;
}

/**
 * How many data-bearing voters make a write majority-committed: a majority of all voters, but never more than can hold data. Where
 * arbiters are half of the voters, nothing could be committed otherwise. Upstream: ReplSetConfig::_calculateMajorities.
 */
export function writeMajority(config: Pick<ReplSetConfig, 'members'>): number {
  return Math.min(majorityVoteCount(config), writableVotingMembers(config));
}

/**
 * "majority", unless arbiters leave too few members that could acknowledge: with a primary, a secondary and an arbiter the arbiter's
 * vote keeps the primary in office when the secondary dies, and every write that says nothing would then wait for ever.
 * Upstream: ReplSetConfig::isImplicitDefaultWriteConcernMajority.
 */
export function implicitDefaultWriteConcern(config: Pick<ReplSetConfig, 'members'>): 'majority' | 1 {
  const arbiters = config.members.some(({ arbiterOnly }) => arbiterOnly);
  return !arbiters || writableVotingMembers(config) > majorityVoteCount(config) ? 'majority' : 1;
}

/**
 * How many voters, arbiters included, must have a config before the next one may follow.
 * @param quirk counts as upstream's tag pattern is coded, which from four voters on is less than a majority: the
 *   design papers and the TLA+ specification say majority, and a set that runs with the quirk can lose its safety.
 *   Upstream: repl_set_config.cpp, _addInternalWriteConcernModes.
 */
export function configCommitmentCount(config: Pick<ReplSetConfig, 'members'>, quirk = false): number {
  const majority = majorityVoteCount(config);
  return quirk ? Math.floor(majority / 2) + 1 : majority;
}

/** What a forced config's version jumps by at least; no ordinary one gets that far by itself. */
export const FORCED_JUMP = 10_000;
