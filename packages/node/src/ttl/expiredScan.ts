import type { RecordId, StoredDocument } from '@replsim/storage';

/** A document that was found to be due, as it was then. */
export interface Found {
  readonly recordId: RecordId;
  readonly document: StoredDocument;
}

/**
 * Where a visit gets what has expired from: a range of an index or of a collection, with the limit fixed that held when
 * the visit began. It may be read on while documents come and go.
 */
export interface ExpiredScan {
  /** What the log and the trace call it: the index's name, or `_id_` for a collection that expires as a whole. */
  readonly index: string;
  /** As `IXSCAN { a: 1 }`, for `currentOp`. */
  readonly planSummary: string;
  readonly expireAfterSeconds: number;
  /** The latest date that is due, ms since 1970. */
  readonly limitMs: number;
  /** The earliest date that can ever be due, ms since 1970; absent where all can. */
  readonly fromMs?: number;
  /** One document may be found several times, as it is through an index on an array. */
  readonly repeats: boolean;
  /** Of a time series with times before 1970 or after 2038, for the log. */
  readonly extendedRange?: boolean;
  /** Whether the index still exists; asked after each pause, as a drop ends the deletion. That of the collection is seen to. */
  isThere(): boolean;
  /** The next document that is due, oldest first; undefined at the end of the range. */
  next(): Found | undefined;
  /** How many keys or records were examined since this was asked last. */
  takeExamined(): number;
  /** The date that makes a document due, ms since 1970; undefined for one that stays. Asked again before each deletion. */
  dueDate(document: StoredDocument): number | undefined;
}
