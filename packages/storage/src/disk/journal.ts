/** Journal segments: what one flush writes, as one value. */
import { OplogEntry, readInt32 } from '@replsim/protocol';
import { hashBytes, mix } from '../collection/contentHash.ts';

/** What the journal keeps for its owner, who alone knows what it means. */
export interface JournalRecord {
  /** 0..255. */
  readonly kind: number;
  readonly payload: Uint8Array;
}

/**
 * What a flush is given. An oplog entry stands for its own record: its bytes are asked for late, on a disk in memory perhaps
 * never, and a million entries need no million records in each member.
 */
export type Journalled = JournalRecord | OplogEntry;

/** The kind of record that an oplog entry becomes. */
export const ENTRY_KIND = 1;

export function recordOf(journalled: Journalled): JournalRecord {
  return journalled instanceof OplogEntry ? { kind: ENTRY_KIND, payload: journalled.bytes } : journalled;
}

/** Under which prefix journal segments lie; their keys are in the order of their numbers. */
export const JOURNAL_PREFIX = 'j/';

/** What one flush wrote. */
export interface JournalSegment {
  /** Ascending without gaps. */
  readonly number: number;
  readonly records: readonly JournalRecord[];
}

/** Four bytes of checksum over all that follows, one of kind, four of length; little-endian. */
const HEADER_BYTES = 9;

/** Records as one run of bytes. */
export function encodeSegment(journalled: readonly Journalled[]): Uint8Array {
  const records = journalled.map(recordOf);
  const size = records.reduce((sum, { payload }) => sum + HEADER_BYTES + payload.length, 0);
  const bytes = new Uint8Array(size);
  const numbers = new DataView(bytes.buffer);
  let at = 0;
  for (const { kind, payload } of records) {
    numbers.setInt32(at, checksumOf(kind, payload), true);
    bytes[at + 4] = kind;
    numbers.setUint32(at + 5, payload.length, true);
    bytes.set(payload, at + HEADER_BYTES);
    at += HEADER_BYTES + payload.length;
  }
  return bytes;
}

/** The records of a segment up to where it is damaged. */
export interface DecodedSegment {
  readonly records: readonly JournalRecord[];
  /**
   * `torn`: the last record is incomplete, or is not what was written, which is what a crash in the middle of a write
   * leaves. `corrupt`: sound records follow the damaged one, so that no crash can have made it.
   */
  readonly damage: 'none' | 'torn' | 'corrupt';
}

export function decodeSegment(bytes: Uint8Array): DecodedSegment {
  const records: JournalRecord[] = [];
  let at = 0;
  while (at < bytes.length) {
    const found = recordAt(bytes, at);
    if (!found.record) return { records, damage: soundBehind(bytes, found.end) ? 'corrupt' : 'torn' };
    records.push(found.record);
    at = found.end;
  }
  return { records, damage: 'none' };
}

/** The record that begins at `at`, if it is sound, and where it ends if its length can be believed. */
function recordAt(bytes: Uint8Array, at: number): { readonly record?: JournalRecord; readonly end: number } {
  const start = at + HEADER_BYTES;
  if (start > bytes.length) return { end: bytes.length };
  const end = start + (readInt32(bytes, at + 5) >>> 0);
  if (end > bytes.length) return { end: bytes.length };
  const kind = bytes[at + 4]!;
  const payload = bytes.subarray(start, end);
  return checksumOf(kind, payload) === readInt32(bytes, at) ? { record: { kind, payload }, end } : { end };
}

function soundBehind(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && recordAt(bytes, at).record !== undefined;
}

function checksumOf(kind: number, payload: Uint8Array): number {
  // The length is part of the hash.
  return mix(hashBytes(payload).a ^ (kind + 1));
}
