/** Hashes that show whether two members hold the same data: fast, and good enough against accidents, not against intent. */
import { readInt32 } from '@replsim/protocol';

/** Two independent lanes of 32 bits, signed. */
export interface ContentHash {
  readonly a: number;
  readonly b: number;
}

/** Hashes bytes, four at a time in two lanes. */
export function hashBytes(bytes: Uint8Array): ContentHash {
  const { length } = bytes;
  let a = length ^ 0x9747b28c;
  let b = length ^ 0x3c6ef372;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const word = readInt32(bytes, i);
    a = Math.imul(a ^ word, 0x9e3779b1);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b + word, 0x85ebca6b) ^ (b >>> 15);
  }
  for (; i < length; i++) {
    a = Math.imul(a ^ bytes[i]!, 0x9e3779b1);
    b = Math.imul(b + bytes[i]!, 0x85ebca6b) ^ (b >>> 15);
  }
  return { a: mix(a), b: mix(b ^ a) };
}

/** Hashes a name, such as a namespace. */
export function hashText(text: string): ContentHash {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b + text.charCodeAt(i), 0x85ebca6b) ^ (b >>> 13);
  }
  return { a: mix(a), b: mix(b) };
}

/** The finaliser of MurmurHash3: every input bit moves every output bit, so that sums of hashes hide no difference. */
export function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
