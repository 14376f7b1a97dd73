import { coversTags, quorumOf } from '@replsim/oplog';
import { BsonType, type BsonValue, CommandError, type ReplSetConfig, writeMajority } from '@replsim/protocol';
import { numberOf, stringOf, typeName } from '../commands/values.ts';

/** Who has to be ready before a primary commits a build: so many members, `votingMembers`, `majority`, or a mode of tags; 0: nobody is asked. */
export type CommitQuorum = number | string;

/** All voters that hold data. Upstream: commit_quorum_options.h, kVotingMembers; the default of createIndexes. */
export const VOTING_MEMBERS = 'votingMembers';
/** Upstream: commit_quorum_options.cpp, which takes the limit of a set's members. */
const MAX_MEMBERS = 50;

/** Throws FailedToParse 9. Upstream: CommitQuorumOptions::parse. */
export function parseCommitQuorum(value: BsonValue): CommitQuorum {
  if (value.type === BsonType.string) return stringOf(value);
  const number = numberOf(value);
  if (Number.isNaN(number)) {
    throw new CommandError('FailedToParse', `commitQuorum has to be a number or a string, not ${typeName(value.type)}`);
  }
  if (number < 0 || number > MAX_MEMBERS) {
    throw new CommandError('FailedToParse', `commitQuorum has to be from 0 to ${MAX_MEMBERS}`);
  }
  return Math.trunc(number);
}

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
