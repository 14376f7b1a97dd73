import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { numberOf, typeName } from '../fields/values.ts';

/** Who has to be ready before a primary commits a build: so many members, `votingMembers`, `majority`, or a mode of tags; 0: nobody is asked. */
export type CommitQuorum = number | string;

/** All voters that hold data. Upstream: commit_quorum_options.h, kVotingMembers; the default of createIndexes. */
export const VOTING_MEMBERS = 'votingMembers';
/** Upstream: commit_quorum_options.cpp, which takes the limit of a set's members. */
const MAX_MEMBERS = 50;

/** Throws FailedToParse 9. Upstream: CommitQuorumOptions::parse. */
export function parseCommitQuorum(value: BsonValue): CommitQuorum {
  if (value.type === BsonType.string) return readString(value);
  const number = numberOf(value);
  if (Number.isNaN(number)) {
    throw new CommandError('FailedToParse', `commitQuorum has to be a number or a string, not ${typeName(value.type)}`);
  }
  if (number < 0 || number > MAX_MEMBERS) {
    throw new CommandError('FailedToParse', `commitQuorum has to be from 0 to ${MAX_MEMBERS}`);
  }
  return Math.trunc(number);
}
