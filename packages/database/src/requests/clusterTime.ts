import { Fields } from '@replsim/pipeline';
import { BsonType, CommandError, encodeName, findField, readTimestamp, type Timestamp } from '@replsim/protocol';

const CLUSTER_TIME = encodeName('clusterTime');

/**
 * The cluster time that a client passes on from another member, so that it can read here what it has seen there.
 * Errors: TypeMismatch 14, NoSuchKey 4. Upstream: vector_clock.cpp, gossipIn. The signature is not looked at, as without auth.
 */
export function clusterTimeOf(command: Fields): Timestamp | undefined {
  const bytes = command.document('$clusterTime');
  if (!bytes) return undefined;
  // Every command carries it, and drivers write it alike.
  const first = findField(bytes, CLUSTER_TIME);
  if (first?.type === BsonType.timestamp) return readTimestamp(first);
  const value = new Fields(bytes, '$clusterTime').timestamp('clusterTime');
  if (!value) throw new CommandError('NoSuchKey', 'Missing expected field "clusterTime"');
  return readTimestamp(value);
}
