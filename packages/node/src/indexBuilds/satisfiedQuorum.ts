import { coversTags, quorumOf } from '@replsim/oplog';
import { type CommitQuorum, VOTING_MEMBERS } from '@replsim/pipeline';
import { CommandError, type ReplSetConfig, writeMajority } from '@replsim/protocol';

/**
 * Throws UnsatisfiableCommitQuorum 278 if all members together would not do: those of `buildIndexes: false` never build
 * any, and `votingMembers` means every voter. Throws UnknownReplWriteConcern 79 for a mode that the config does not know.
 * Upstream: ReplicationCoordinatorImpl::_checkIfCommitQuorumCanBeSatisfied.
 */
export function checkSatisfiable(config: ReplSetConfig, quorum: CommitQuorum): void {
  checkMode(config, quorum);
  const builders = config.members.filter(({ arbiterOnly, buildIndexes }) => !arbiterOnly && buildIndexes);
  if (isSatisfied(config, quorum, new Set(builders.map(({ host }) => host)))) return;
  throw new CommandError(
    'UnsatisfiableCommitQuorum',
    `the set has too few members for the commit quorum ${JSON.stringify(quorum)}`,
  );
}

/** Whether those who are ready are enough. Upstream: ReplicationCoordinatorImpl::isCommitQuorumSatisfied. */
export function isSatisfied(config: ReplSetConfig, quorum: CommitQuorum, ready: ReadonlySet<string>): boolean {
  const bearing = config.members.filter(({ arbiterOnly }) => !arbiterOnly);
  const voters = bearing.filter(({ votes }) => votes === 1);
  const those = bearing.filter(({ host }) => ready.has(host));
  if (typeof quorum === 'number') return those.length >= quorum;
  if (quorum === VOTING_MEMBERS) return voters.every(({ host }) => ready.has(host));
  if (quorum === 'majority') return those.filter(({ votes }) => votes === 1).length >= writeMajority(config);
  const wanted = quorumOf(config, quorum);
  return 'of' in wanted && wanted.of === 'tags' && coversTags(those, wanted.counts);
}

function checkMode(config: ReplSetConfig, quorum: CommitQuorum): void {
  if (typeof quorum === 'number' || quorum === VOTING_MEMBERS || quorum === 'majority') return;
  const wanted = quorumOf(config, quorum);
  if ('code' in wanted && wanted.code === 'UnknownReplWriteConcern') throw new CommandError(wanted.code, wanted.errmsg);
}
