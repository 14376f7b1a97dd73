import { cappedLimits, splitNs, timeseriesCollection } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';

/**
 * Refuses writes that a transaction may not hold. Errors: OperationNotSupportedInTransaction 263 for capped and time-series
 * collections, IllegalOperation 20 for deletes from capped ones, Location50791 and, of findAndModify, 50781 for system
 * collections. Upstream: write_ops_exec.cpp; insert.cpp; delete_stage.cpp; find_and_modify.cpp.
 */
export function checkTransactionalWrite(
  { transaction, data }: CommandContext,
  ns: string,
  by: 'insert' | 'update' | 'delete' | 'findAndModify',
): void {
  if (!transaction) return;
  if (splitNs(ns)[1].startsWith('system.')) {
    throw new CommandError(by === 'findAndModify' ? 50781 : 50791, `a transaction cannot write to ${ns}`);
  }
  if (timeseriesCollection(data, ns)) {
    throw notSupported(`Cannot ${by} into a time-series collection in a multi-document transaction: ${ns}`);
  }
  const collection = data.collection(ns);
  if (!collection || !cappedLimits(collection)) return;
  if (by === 'delete') {
    throw new CommandError(
      'IllegalOperation',
      `Cannot remove from a capped collection in a multi-document transaction: ${ns}`,
    );
  }
  throw notSupported(`Collection '${ns}' is a capped collection. Writes in transactions are not allowed on it.`);
}

function notSupported(errmsg: string): CommandError {
  return new CommandError('OperationNotSupportedInTransaction', errmsg);
}
