import type { SessionId } from '@replsim/pipeline';
import type { Timestamp } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import type { ReadConcernRequest, WriteConcernRequest } from '../concernRequests.ts';
import type { WriteServices } from '../writes.ts';

/** Which transaction it is, and what its first statement said of it. */
export interface TransactionIdentity {
  readonly lsid: SessionId;
  readonly txnNumber: bigint;
  readonly readConcern: ReadConcernRequest;
}

/** What an open transaction has on its member: the data that it sees, and where its writes go. */
export interface OpenTransaction {
  readonly identity: TransactionIdentity;
  /** The time as of which it reads, if it is one: with read concern `snapshot`. */
  readonly readTimestamp: Timestamp | undefined;
  readonly data: ReadView;
  readonly writes: WriteServices;
  /**
   * Makes all that it wrote part of the data, as one entry of the oplog or a chain of them. One that wrote nothing leaves a
   * no-op, if a write concern is in force that could wait for it. Throws WriteConflict 112, TransactionTooLarge 257.
   */
  commit(writeConcern: WriteConcernRequest | undefined): void;
  abort(): void;
  /** Says in the trace what a statement has seen. */
  traceRead(): void;
  /** Whether it has looked at such a collection, or written there. */
  touches(choose: (ns: string) => boolean): boolean;
  /** Whether it has made the collection itself. */
  hasCreated(ns: string): boolean;
}

/** What a member does for transactions beside that. */
export interface TransactionServices {
  /** Begins one: what it sees are the data of this instant, or of the time that its read concern names. */
  open(identity: TransactionIdentity): OpenTransaction;
  /** Writes a no-op for a write concern to wait for, if one is in force. */
  writeNoop(msg: string, writeConcern: WriteConcernRequest | undefined): void;
}
