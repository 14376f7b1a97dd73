import { CommandError, readInt32, type Timestamp } from '@replsim/protocol';
import { Fields } from './fields.ts';

/**
 * The cluster time that a client passes on from another member, so that it can read here what it has seen there.
 * Errors: TypeMismatch 14, NoSuchKey 4. Upstream: vector_clock.cpp, gossipIn. The signature is not looked at, as without auth.
 */
export function clusterTimeOf(command: Fields): Timestamp | undefined {
  const bytes = command.document('$clusterTime');
  if (!bytes) return undefined;
  const value = new Fields(bytes, '$clusterTime').timestamp('clusterTime');
  if (!value) throw new CommandError('NoSuchKey', 'Missing expected field "clusterTime"');
  return { t: readInt32(value.bytes, value.offset + 4) >>> 0, i: readInt32(value.bytes, value.offset) >>> 0 };
}
