/** The Castagnoli polynomial, bits reversed. Source: RFC 3720, appendix B.4. */
const POLYNOMIAL = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});

/** The CRC-32C of the first `length` bytes, as an unsigned number: the checksum that an OP_MSG may end with. */
export function crc32c(bytes: Uint8Array, length = bytes.length): number {
  let remainder = 0xffffffff;
  for (let at = 0; at < length; at++) remainder = (remainder >>> 8) ^ table[(remainder ^ bytes[at]!) & 0xff]!;
  return ~remainder >>> 0;
}
