import type { MemberConfig, ReplSetConfig } from '@replsim/protocol';

// Counted here once more, and not by the functions that members use: a verdict shares no code with what it judges.

/** The members of a config that elect and commit; of one that is newly added the config in force says `votes: 0`. */
export function votersOf({ members }: ReplSetConfig): readonly MemberConfig[] {
  return members.filter((member) => member.votes === 1);
}

/** How many voters elect a primary or commit a config. */
export function voteMajorityOf(config: ReplSetConfig): number {
  return Math.floor(votersOf(config).length / 2) + 1;
}

/** How many voters with data commit an entry: a majority, or all where arbiters leave fewer. */
export function writeMajorityOf(config: ReplSetConfig): number {
  const bearing = votersOf(config).filter(({ arbiterOnly }) => !arbiterOnly).length;
  return Math.min(voteMajorityOf(config), bearing);
}

/** The name under which the trace speaks of the member with this host. */
export function memberOf(host: string): string {
  return host.slice(0, host.lastIndexOf(':'));
}
