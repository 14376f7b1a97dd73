import type { DataHash } from '@replsim/protocol';

/** As unsigned lanes, whatever the sign they came with. */
export function sameHash(a: DataHash, b: DataHash): boolean {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1])) === 0;
}

/** 16 hex digits. */
export function formatHash(hash: DataHash): string {
  return hash.map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
}
