import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import type { Timestamp } from '@replsim/protocol';
import { sameSecret } from './scram/bytes.ts';

/** One proof is for all times of a second up to this increment, so that few have to be made. Upstream: time_proof_service.cpp, kRangeMask. */
const RANGE = 0xffff;

/** What shows that a cluster time comes from somebody who knows the key. Upstream: time_proof_service.cpp, getProof. */
export function timeProof(key: Uint8Array, { t, i }: Timestamp): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, (i | RANGE) >>> 0, true);
  bytes.setUint32(4, t, true);
  return hmac(sha1, key, new Uint8Array(bytes.buffer));
}

/** Whether one proof is for both. */
export function haveOneProof(a: Timestamp, b: Timestamp): boolean {
  return a.t === b.t && (a.i | RANGE) === (b.i | RANGE);
}

export function isProofOf(key: Uint8Array, time: Timestamp, proof: Uint8Array): boolean {
  return sameSecret(timeProof(key, time), proof);
}
