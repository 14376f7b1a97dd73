import {
  BsonType,
  encodeName,
  findField,
  isNullOpTime,
  type OplogEntry,
  type OplogOperation,
  type OpTime,
  readInt32,
  readInt64,
  type Timestamp,
} from '@replsim/protocol';

/** One change as a stream sees it, wherever it stands: an entry of its own, or one of many in a group or a transaction. */
export interface StreamOperation {
  readonly operation: OplogOperation;
  /** Of a transaction that of its last entry, for all its operations. */
  readonly clusterTime: Timestamp;
  readonly wallMs: number;
  readonly txnOpIndex: number;
  /** By which its image is found: the entry in which it stands, and its place in there. */
  readonly image: { readonly ts: Timestamp; readonly applyOpsIndex: number };
  /** Of the transaction that it belongs to. */
  readonly transaction?: { readonly lsid: Uint8Array; readonly txnNumber: bigint };
}

const LSID = encodeName('lsid');
const TXN_NUMBER = encodeName('txnNumber');
const MULTI_OP_TYPE = encodeName('multiOpType');
const O = encodeName('o');
const PARTIAL = encodeName('partialTxn');
const PREPARE = encodeName('prepare');
/** `multiOpType` of what was written together and is no transaction. */
const APPLIED_SEPARATELY = 1;

/**
 * The changes in one entry that a stream wants, in order. Those of a transaction of several entries come with the last one.
 * Upstream: document_source_change_stream_unwind_transaction.cpp.
 * @param wants whether the stream wants an operation
 * @param entryAt another entry of the oplog; throws where it is gone
 */
export function operationsOf(
  entry: OplogEntry,
  wants: (operation: OplogOperation) => boolean,
  entryAt: (opTime: OpTime) => OplogEntry,
): StreamOperation[] {
  const { opTime, wallMs } = entry;
  if (!entry.applyOps) {
    if (!wants(entry.operation)) return [];
    const image = { ts: opTime.ts, applyOpsIndex: 0 };
    return [{ operation: entry.operation, clusterTime: opTime.ts, wallMs, txnOpIndex: 0, image }];
  }
  const group = groupOf(entry);
  if (group.isUnfinished) return [];
  const operations: StreamOperation[] = [];
  let txnOpIndex = 0;
  for (const link of chainOf(entry, group, entryAt)) {
    for (const [applyOpsIndex, operation] of (link.applyOps ?? []).entries()) {
      const image = { ts: link.opTime.ts, applyOpsIndex };
      const at = { clusterTime: opTime.ts, wallMs, txnOpIndex: txnOpIndex++, image };
      if (wants(operation)) operations.push({ operation, ...at, ...group.told });
    }
  }
  return operations;
}

interface Group {
  /** More of the transaction follows, or whether it is to be carried out. */
  readonly isUnfinished: boolean;
  readonly told: Pick<StreamOperation, 'transaction'>;
}

const NO_TRANSACTION: Group = { isUnfinished: false, told: {} };

/** What a group is besides its operations, as the entry says it. */
function groupOf({ bytes }: OplogEntry): Group {
  const lsid = findField(bytes, LSID);
  const txnNumber = findField(bytes, TXN_NUMBER);
  const multiOpType = findField(bytes, MULTI_OP_TYPE);
  const isSeparate = multiOpType?.type === BsonType.int && readInt32(bytes, multiOpType.offset) === APPLIED_SEPARATELY;
  if (!lsid || !txnNumber || isSeparate) return NO_TRANSACTION;
  const o = findField(bytes, O);
  const says = (name: Uint8Array) => {
    const value = o && findField(bytes, name, o.offset);
    return value?.type === BsonType.bool && bytes[value.offset] === 1;
  };
  const transaction = {
    lsid: bytes.slice(lsid.offset, lsid.offset + lsid.size),
    txnNumber: readInt64(bytes, txnNumber.offset),
  };
  return { isUnfinished: says(PARTIAL) || says(PREPARE), told: { transaction } };
}

/** Undefined for the null one of a first entry. */
function earlierThan({ prevOpTime }: OplogEntry): OpTime | undefined {
  return prevOpTime && !isNullOpTime(prevOpTime) ? prevOpTime : undefined;
}

/** All entries of a transaction, the oldest first. */
function chainOf(last: OplogEntry, group: Group, entryAt: (opTime: OpTime) => OplogEntry): readonly OplogEntry[] {
  const chain = [last];
  for (let earlier = group.told.transaction ? earlierThan(last) : undefined; earlier; ) {
    const entry = entryAt(earlier);
    chain.unshift(entry);
    earlier = earlierThan(entry);
  }
  return chain;
}
