/** Values that carry a checksum. */
import { readInt32 } from '@replsim/protocol';
import { hashBytes } from '../collection/contentHash.ts';
import { CorruptDiskError } from './damage.ts';

const CHECKSUM_BYTES = 4;

/** A copy of `bytes` with a checksum behind it. */
export function seal(bytes: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(bytes.length + CHECKSUM_BYTES);
  sealed.set(bytes);
  new DataView(sealed.buffer).setInt32(bytes.length, hashBytes(bytes).a, true);
  return sealed;
}

/** What was sealed. Throws CorruptDiskError if it is no longer what it was; `what` says what it is. */
export function unseal(sealed: Uint8Array, what: string): Uint8Array {
  const length = sealed.length - CHECKSUM_BYTES;
  const bytes = sealed.subarray(0, Math.max(length, 0));
  if (length < 0 || hashBytes(bytes).a !== readInt32(sealed, length)) {
    throw new CorruptDiskError(`checksum error in ${what}`);
  }
  return bytes;
}
