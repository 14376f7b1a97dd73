/**
 * LevelDB's log, which holds what was written last. LevelDB itself passes over records that are not what was written, and over all that
 * follows them in the same block, without a word: a crash leaves such a record at the end. Where sound ones follow, no crash has made it,
 * and what was acknowledged would be lost.
 * Upstream: google/leveldb, doc/log_format.
 */
import { isChecked } from './crc32c.ts';

const BLOCK_BYTES = 32_768;
/** Four bytes of checksum, two of length, one of type; little-endian. */
const HEADER_BYTES = 7;
const [FULL, FIRST, LAST] = [1, 2, 4];

/** @returns the offset of the first record that is damaged though sound ones follow; undefined if there is none */
export function damageIn(log: Uint8Array): number | undefined {
  for (let at = 0; at + HEADER_BYTES <= log.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const end = endOfSound(log, at);
    if (end === undefined) return beginsBehind(log, at) ? at : undefined;
    at = end;
  }
  return undefined;
}

/** Whether a sound record begins anywhere behind: the length of a damaged one cannot be believed. What continues a record is part of it. */
function beginsBehind(log: Uint8Array, damaged: number): boolean {
  for (let at = damaged + 1; at + HEADER_BYTES <= log.length; at++) {
    const type = log[at + 6];
    if ((type === FULL || type === FIRST) && endOfSound(log, at) !== undefined) return true;
  }
  return false;
}

/**
 * What was written to a file of that format: the payloads of its records, up to the first that is incomplete.
 * @returns undefined if the record behind them is all there, and is not what was written
 */
export function payloadsIn(log: Uint8Array): Uint8Array[] | undefined {
  const payloads: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  for (let at = 0; at + HEADER_BYTES <= log.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const end = endOfSound(log, at);
    if (end === undefined) return endOf(log, at) > log.length ? payloads : undefined;
    const type = log[at + 6];
    if (type === FULL || type === FIRST) parts = [];
    parts.push(log.subarray(at + HEADER_BYTES, end));
    if (type === FULL || type === LAST) payloads.push(joined(parts));
    at = end;
  }
  return payloads;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Where the record ends that begins here; undefined if it is not what was written. */
function endOfSound(log: Uint8Array, at: number): number | undefined {
  const end = endOf(log, at);
  if (end > log.length || end > at + BLOCK_BYTES - (at % BLOCK_BYTES)) return undefined;
  return isChecked(log.subarray(at + 6, end), log, at) ? end : undefined;
}

/** Where it would end by its own account. */
function endOf(log: Uint8Array, at: number): number {
  return at + HEADER_BYTES + (log[at + 4]! | (log[at + 5]! << 8));
}
