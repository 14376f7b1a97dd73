import { CommandError, type MemberConfig, type ReplSetSettings } from '@replsim/protocol';

/**
 * What one member's entry can break by itself. Throws BadValue 2; the commands wrap it in InvalidReplicaSetConfig 93.
 * Upstream: member_config.cpp.
 */
export function checkMember(member: MemberConfig): void {
  const { host, priority } = member;
  const bad = (reason: string): never => {
    throw new CommandError('BadValue', `${reason}: ${host}`);
  };
  if (member.arbiterOnly) {
    if (priority !== 0) bad('Arbiter priority must be 0');
    if (member.votes !== 1) bad('Arbiter must vote (cannot have 0 votes)');
    if (Object.keys(member.tags).length > 0) bad('Cannot set tags on arbiters');
  }
  if (priority === 0) return;
  if (member.votes === 0) bad('priority must be 0 when non-voting (votes:0)');
  if (member.secondaryDelaySecs > 0) bad('priority must be 0 when secondaryDelaySecs is used');
  if (member.hidden) bad('priority must be 0 when hidden=true');
  if (!member.buildIndexes) bad('priority must be 0 when buildIndexes=false');
}

/** A mode may only speak of tags that some member carries: NoSuchKey 4. Upstream: ReplSetTagConfig::addTagCountConstraintToPattern. */
export function checkModes(modes: ReplSetSettings['getLastErrorModes'], members: readonly MemberConfig[]): void {
  const tags = new Set(members.flatMap((member) => Object.keys(member.tags)));
  for (const [mode, counts] of Object.entries(modes)) {
    for (const tag of Object.keys(counts)) {
      if (tags.has(tag)) continue;
      throw new CommandError('NoSuchKey', `getLastErrorModes.${mode} names the tag ${tag}, which no member has`);
    }
  }
}
