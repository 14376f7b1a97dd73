import { Fields } from '@replsim/pipeline';
import { BsonType, CommandError, encodeName, findField, readTimestamp, type Timestamp } from '@replsim/protocol';

const CLUSTER_TIME = encodeName('clusterTime');

/** A cluster time, and `$clusterTime` as it came. */
interface HeardTime {
  readonly time: Timestamp;
  readonly given: Uint8Array;
}

/**
 * The cluster time that a client passes on from another member, so that it can read here what it has seen there.
 * Errors: TypeMismatch 14, NoSuchKey 4. Upstream: vector_clock.cpp, gossipIn.
 */
export function clusterTimeOf(command: Fields): HeardTime | undefined {
  const given = command.document('$clusterTime');
  if (!given) return undefined;
  // Every command carries it, and drivers write it alike.
  const first = findField(given, CLUSTER_TIME);
  if (first?.type === BsonType.timestamp) return { time: readTimestamp(first), given };
  const value = new Fields(given, '$clusterTime').timestamp('clusterTime');
  if (!value) throw new CommandError('NoSuchKey', 'Missing expected field "clusterTime"');
  return { time: readTimestamp(value), given };
}
