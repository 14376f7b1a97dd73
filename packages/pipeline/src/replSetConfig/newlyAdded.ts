import type { MemberConfig, ReplSetConfig } from '@replsim/protocol';
import { asNewlyAdded } from './parseConfig.ts';

/**
 * Every new voter that will hold data begins without its vote, and so does whoever has not got it yet: a voter that copies
 * its data for hours must not count for majorities. A known member whose votes go from 0 to 1 has its data.
 * Upstream: ReplicationCoordinatorImpl::processReplSetReconfig.
 */
export function withNewlyAdded(old: ReplSetConfig, config: ReplSetConfig): ReplSetConfig {
  const before = new Map(old.members.map((member) => [member._id, member]));
  const isNew = (member: MemberConfig) => {
    const known = before.get(member._id);
    return !member.arbiterOnly && (known ? known.newlyAdded !== undefined : member.votes === 1);
  };
  return { ...config, members: config.members.map((member) => (isNew(member) ? asNewlyAdded(member) : member)) };
}

/** A member with the vote and priority that were configured for it. */
function settled({ newlyAdded, ...member }: MemberConfig): MemberConfig {
  return { ...member, ...newlyAdded };
}

/** The config as it will be once everybody has the vote that was configured for it. */
export function withAllVotes(config: ReplSetConfig): ReplSetConfig {
  return { ...config, members: config.members.map(settled) };
}

/** The same config, one version on, in which this member has the vote and priority that were configured. */
export function withoutNewlyAdded(config: ReplSetConfig, memberId: number): ReplSetConfig {
  const members = config.members.map((member) => (member._id === memberId ? settled(member) : member));
  return { ...config, version: config.version + 1, members };
}
