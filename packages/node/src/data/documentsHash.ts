import { TRANSACTIONS_NS } from '@replsim/operations';
import type { DataHash, OplogEntry } from '@replsim/protocol';
import type { StorageEngine } from '@replsim/storage';

/** Over all replicated data but the rows of sessions, in which a transaction of several entries leaves word from its first one on. */
export function documentsHash(engine: StorageEngine): DataHash {
  return engine.dataHashWithout(TRANSACTIONS_NS);
}

/** For the trace, where an entry of a transaction is not to change any document: all that are not its last one. */
export function documentsHashAt(
  engine: StorageEngine,
  entry: OplogEntry | undefined,
): { readonly documentsHash?: DataHash } {
  const transaction = entry?.operation.transaction;
  if (!transaction || (entry.applyOps && !transaction.partialTxn)) return {};
  return { documentsHash: documentsHash(engine) };
}
