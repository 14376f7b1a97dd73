/**
 * LevelDB's log, which holds what was written last. LevelDB itself passes over records that are not what was written, and over all that
 * follows them in the same block, without a word: a crash leaves such a record at the end. Where sound ones follow, no crash has made it,
 * and what was acknowledged would be lost.
 * Upstream: google/leveldb, doc/log_format.
 */

const BLOCK_BYTES = 32_768;
/** Four bytes of checksum, two of length, one of type; little-endian. */
const HEADER_BYTES = 7;
const [FULL, FIRST] = [1, 2];
const MASK_DELTA = 0xa2_82_ea_d8;

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

/** Where the record ends that begins here; undefined if it is not what was written. */
function endOfSound(log: Uint8Array, at: number): number | undefined {
  const length = log[at + 4]! | (log[at + 5]! << 8);
  const end = at + HEADER_BYTES + length;
  if (end > log.length || end > at + BLOCK_BYTES - (at % BLOCK_BYTES)) return undefined;
  const expected = new DataView(log.buffer, log.byteOffset + at).getUint32(0, true);
  return masked(crc32c(log.subarray(at + 6, end))) === expected ? end : undefined;
}

function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

const POLYNOMIAL = 0x82_f6_3b_78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

function crc32c(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!;
  return ~crc;
}
