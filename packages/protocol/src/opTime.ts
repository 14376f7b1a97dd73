import type { Timestamp as BsonTimestamp } from 'bson';

/**
 * A BSON timestamp as the program carries it: seconds since 1970 and an increment, both unsigned 32-bit.
 * The bson class of the same name appears only where something is encoded.
 */
export interface Timestamp {
  readonly t: number;
  readonly i: number;
}

/** An election term; a plain number inside, an int64 in every document. */
export type Term = number;

/** The term of an opTime that was written before any election, such as the first entry of a set. */
export const UNINITIALIZED_TERM: Term = -1;

/**
 * The place of an entry in the oplog's history. Upstream: optime.h, OpTime.
 * Only the pair identifies an entry: two branches may hold the same `ts` with different terms.
 */
export interface OpTime {
  readonly ts: Timestamp;
  readonly t: Term;
}

export const NULL_TIMESTAMP: Timestamp = Object.freeze({ t: 0, i: 0 });
/** Upstream: OpTime(), sorts below every real one. */
export const NULL_OP_TIME: OpTime = Object.freeze({ ts: NULL_TIMESTAMP, t: UNINITIALIZED_TERM });

export function isNullOpTime(opTime: OpTime): boolean {
  return opTime.ts.t === 0 && opTime.ts.i === 0;
}

export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.t - b.t || a.i - b.i;
}

/** By term, then timestamp; by timestamp alone where a term is missing. Upstream: optime.h, operator<. */
export function compareOpTimes(a: OpTime, b: OpTime): number {
  if (a.t !== b.t && a.t !== UNINITIALIZED_TERM && b.t !== UNINITIALIZED_TERM) return a.t - b.t;
  return a.ts.t - b.ts.t || a.ts.i - b.ts.i;
}

/** The same entry: equal timestamp and equal term. */
export function sameOpTime(a: OpTime, b: OpTime): boolean {
  return a.ts.i === b.ts.i && a.ts.t === b.ts.t && a.t === b.t;
}

export function maxOpTime(a: OpTime, b: OpTime): OpTime {
  return compareOpTimes(a, b) >= 0 ? a : b;
}

export function minOpTime(a: OpTime, b: OpTime): OpTime {
  return compareOpTimes(a, b) <= 0 ? a : b;
}

/** A timestamp as a bson value, through the class that the caller imports, so that this file needs no runtime part. */
export function toBsonTimestamp(ts: Timestamp, Class: typeof BsonTimestamp): BsonTimestamp {
  return new Class({ t: ts.t, i: ts.i });
}

/**
 * How transcripts write an opTime: seconds are long and alike, so they are counted from the run's epoch.
 * @param epochSecs seconds since 1970 of time zero
 */
export function formatOpTime(opTime: OpTime, epochSecs: number): string {
  const term = opTime.t === UNINITIALIZED_TERM ? 'no term' : `t${opTime.t}`;
  return isNullOpTime(opTime) ? '(none)' : `(${opTime.ts.t - epochSecs},${opTime.ts.i} ${term})`;
}
