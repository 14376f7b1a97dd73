/** Journal segments: what one flush writes, as one value. */
import { readInt32 } from '@replsim/protocol';

/** What the journal keeps for its owner, who alone knows what it means. */
export interface JournalRecord {
  /** 0..255. */
  readonly kind: number;
  readonly payload: Uint8Array;
}

/** One byte of kind, four of length (little-endian). */
const HEADER_BYTES = 5;

/** Records as one run of bytes. */
export function encodeSegment(records: readonly JournalRecord[]): Uint8Array {
  const size = records.reduce((sum, { payload }) => sum + HEADER_BYTES + payload.length, 0);
  const bytes = new Uint8Array(size);
  const lengths = new DataView(bytes.buffer);
  let at = 0;
  for (const { kind, payload } of records) {
    bytes[at] = kind;
    lengths.setUint32(at + 1, payload.length, true);
    bytes.set(payload, at + HEADER_BYTES);
    at += HEADER_BYTES + payload.length;
  }
  return bytes;
}

/** The records of a segment up to where it is torn; `torn` is true if it does not end with a record's end. */
export function decodeSegment(bytes: Uint8Array): { readonly records: JournalRecord[]; readonly torn: boolean } {
  const records: JournalRecord[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const start = at + HEADER_BYTES;
    const end = start + (readInt32(bytes, at + 1) >>> 0);
    if (end > bytes.length) break;
    records.push({ kind: bytes[at]!, payload: bytes.subarray(start, end) });
    at = end;
  }
  return { records, torn: at !== bytes.length };
}
