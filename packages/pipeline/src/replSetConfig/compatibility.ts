import {
  CommandError,
  isNewerConfig,
  type MemberConfig,
  type ReplSetConfig,
  showConfigVersion,
  votingMembers,
} from '@replsim/protocol';

/**
 * Whether `config` may follow `old`. Throws NewReplicaSetConfigurationIncompatible 103.
 * Upstream: repl_set_config_checks.cpp, validateOldAndNewConfigsCompatible and validateSingleNodeChange.
 */
export function checkCompatible(old: ReplSetConfig, config: ReplSetConfig, force: boolean): void {
  if (!isNewerConfig(config, old)) {
    incompatible(
      `New replica set configuration version and term must be greater than old, but ${showConfigVersion(config)} is not greater than ${showConfigVersion(old)}`,
    );
  }
  if (config._id !== old._id) incompatible('New and old configurations differ in replica set name');
  if (config.settings.replicaSetId !== old.settings.replicaSetId) {
    incompatible(
      `New and old configurations differ in replica set ID; old was ${old.settings.replicaSetId}, and new is ${config.settings.replicaSetId}`,
    );
  }
  if (old.configsvr && !config.configsvr) incompatible('Cannot remove "configsvr" from replica set configuration');
  for (const member of config.members) for (const before of old.members) checkSameMember(before, member);
  checkRollbackOfCommittedWrites(old, config);
  if (!force) checkSingleVotingChange(old, config);
}

function incompatible(reason: string): never {
  throw new CommandError('NewReplicaSetConfigurationIncompatible', reason);
}

/** A host keeps its `_id`, and an `_id` what its data or its lack of them depend on. */
function checkSameMember(before: MemberConfig, member: MemberConfig): void {
  if (before._id !== member._id) {
    if (before.host !== member.host) return;
    incompatible(
      `New and old configurations both have members with host of ${member.host} but in the new configuration the _id field is ${member._id} and in the old configuration it is ${before._id}`,
    );
  }
  for (const field of ['buildIndexes', 'arbiterOnly'] as const) {
    if (before[field] === member[field]) continue;
    incompatible(
      `New and old configurations differ in the setting of the ${field} field for member ${before.host}; to make this change, remove then re-add the member`,
    );
  }
}

/**
 * The PSA rule. Where elections and writes of the old config need not share a member, its one data-bearing voter may have
 * committed writes alone; a second electable member beside an arbiter could be elected without them. The way out is two
 * steps: the vote with priority 0, and once it has caught up the priority. Forced or not.
 */
function checkRollbackOfCommittedWrites(old: ReplSetConfig, config: ReplSetConfig): void {
  const voters = old.members.filter((member) => (member.newlyAdded ?? member).votes === 1).length;
  const arbiters = old.members.filter(({ arbiterOnly }) => arbiterOnly).length;
  if (Math.floor(voters / 2) + 1 <= voters - arbiters) return;
  const isPsa = config.members.length === 3 && config.members.filter(({ arbiterOnly }) => arbiterOnly).length === 1;
  const electable = config.members.filter((member) => (member.newlyAdded ?? member).priority > 0).length;
  if (!isPsa || electable < 2) return;
  incompatible(
    'Rejecting reconfig where the new config has a PSA topology and the secondary is electable, but the old config contains only one writable node; see rs.reconfigForPSASet()',
  );
}

/**
 * Any majority of the old voters and any of the new must share a voter, which holds as long as one comes or goes.
 * A newly added member has no vote yet, so several may be added at once: they get their votes one by one.
 * Upstream: repl_set_config_checks.cpp, validateSingleNodeChange.
 */
function checkSingleVotingChange(old: ReplSetConfig, config: ReplSetConfig): void {
  const before = new Set(votingMembers(old).map(({ _id }) => _id));
  const after = new Set(votingMembers(config).map(({ _id }) => _id));
  const gone = [...before].filter((id) => !after.has(id)).length;
  const come = [...after].filter((id) => !before.has(id)).length;
  if (gone + come > 1) {
    incompatible('Non force replica set reconfig can only add or remove at most 1 voting member.');
  }
}
