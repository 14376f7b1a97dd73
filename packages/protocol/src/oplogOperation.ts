import type { OpTime } from './opTime.ts';

/** A stored document as entries share it: one object for all members; storage keeps more beside the bytes. */
export interface SharedDocument {
  readonly bytes: Uint8Array;
}

/** `i`nsert, `u`pdate, `d`elete, `c`ommand, `n`o-op. Upstream: oplog_entry.idl, OpTypeEnum. */
export type OpType = 'i' | 'u' | 'd' | 'c' | 'n';

/**
 * Which statement of a client's retryable write an operation carries out; a retry is answered from it.
 * Upstream: oplog_entry.idl with OperationSessionInfo and stmtId.
 */
export interface StatementLink {
  /** `{ id, uid }`, BSON. */
  readonly lsid: Uint8Array;
  readonly txnNumber: bigint;
  readonly stmtId: number;
  /** The image that every member keeps aside while it applies the operation: what findAndModify has shown. */
  readonly needsRetryImage?: 'preImage' | 'postImage';
}

/**
 * Which multi-document transaction an entry belongs to, one of a chain where it did not fit into one.
 * Upstream: oplog_entry.idl with OperationSessionInfo; apply_ops_command_info.idl.
 */
export interface TransactionLink {
  /** `{ id, uid }`, BSON. */
  readonly lsid: Uint8Array;
  readonly txnNumber: bigint;
  /** More entries follow: nothing of it is in the data before the last. */
  readonly partialTxn?: boolean;
  /** How many operations the whole transaction has; at the end of a chain. */
  readonly count?: number;
}

/**
 * One replicated change, alone or inside `applyOps`. `o` and `o2` are BSON documents.
 * Upstream: oplog_entry.idl, DurableReplOperation.
 */
export interface OplogOperation {
  readonly op: OpType;
  readonly ns: string;
  /** The collection's UUID, 16 bytes. */
  readonly ui?: Uint8Array;
  readonly o: Uint8Array;
  readonly o2?: Uint8Array | undefined;
  /** What an insert or update leaves, what a delete removes: shared, so that no member builds it again. */
  readonly document?: SharedDocument;
  /** What an update changed: a member that holds this very object need not apply the diff. */
  readonly before?: SharedDocument;
  /** Set for the operations of a retryable write. */
  readonly statement?: StatementLink | undefined;
  /** Set for the `applyOps`, or the `abortTransaction`, of a transaction. */
  readonly transaction?: TransactionLink | undefined;
}

/** What an entry says, whether it is there as bytes or not. Upstream: oplog_entry.idl, OplogEntryBase. */
export interface OplogEntryFields {
  readonly operation: OplogOperation;
  readonly opTime: OpTime;
  /** The writer's wall clock, ms since 1970. */
  readonly wallMs: number;
  /** The operations of an `applyOps` command, which are applied one by one. */
  readonly applyOps: readonly OplogOperation[] | undefined;
  /** The entry before it of the same retryable write or transaction, null for the first; undefined for all others. */
  readonly prevOpTime: OpTime | undefined;
}
