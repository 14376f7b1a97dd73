import { CommandError, type OplogOperation } from '@replsim/protocol';

/** The bytes of operations that one entry holds. Upstream: bson_util, BSONObjMaxUserSize. */
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
/** What an entry may have beyond that for itself. Upstream: BSONObjMaxInternalSize. */
const INTERNAL_BYTES = 16 * 1024;

/** How much one entry of a transaction may hold. */
export interface EntryLimits {
  /** The parameter `maxNumberOfTransactionOperationsInSingleOplogEntry`. */
  readonly operations: number;
  readonly bytes?: number;
}

/**
 * In how many entries, and which, a transaction's operations are written: in order, each entry as full as may be. One that is
 * too large for any is TransactionTooLarge 257. Upstream: transaction_operations.cpp, packOperationsIntoApplyOps.
 * @param sizeOf an operation as an element of `applyOps`, in bytes
 */
export function packOperations(
  operations: readonly OplogOperation[],
  sizeOf: (operation: OplogOperation) => number,
  { operations: maxOperations, bytes: maxBytes = MAX_ENTRY_BYTES }: EntryLimits,
): OplogOperation[][] {
  const entries: OplogOperation[][] = [];
  let current: OplogOperation[] = [];
  let bytes = 0;
  for (const operation of operations) {
    const size = sizeOf(operation);
    if (size > maxBytes + INTERNAL_BYTES) {
      throw new CommandError('TransactionTooLarge', `an operation of ${size} bytes fits into no entry of the oplog`);
    }
    if (current.length > 0 && (current.length >= maxOperations || bytes + size > maxBytes)) {
      entries.push(current);
      current = [];
      bytes = 0;
    }
    current.push(operation);
    bytes += size;
  }
  if (current.length > 0) entries.push(current);
  return entries;
}
