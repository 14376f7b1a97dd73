/** The checksum of LevelDB's files. Upstream: google/leveldb, util/crc32c. */
const MASK_DELTA = 0xa2_82_ea_d8;
const POLYNOMIAL = 0x82_f6_3b_78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** Whether `bytes` have the checksum that is written down at an offset of a file. */
export function isChecked(bytes: Uint8Array, file: Uint8Array, at: number): boolean {
  return new DataView(file.buffer, file.byteOffset + at).getUint32(0, true) === masked(crc32c(bytes));
}

function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

function crc32c(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc;
}
