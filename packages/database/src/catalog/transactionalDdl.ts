import type { Session } from '@replsim/operations';
import type { CommandArguments } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';

/** What changes the catalog in a transaction reads no snapshot of before. Errors: InvalidOptions 72. Upstream: supportsReadConcern. */
export function checkReadConcernOfDdl(args: CommandArguments, transaction: Session | undefined): void {
  const level = transaction?.open?.identity.readConcern.level;
  if (level === undefined || level === 'local') return;
  throw new CommandError(
    'InvalidOptions',
    `Command ${args.name} does not support this transaction's readConcern { level: "${level}" }`,
  );
}

/** Errors: OperationNotSupportedInTransaction 263. Upstream: create_collection.cpp; create_indexes_cmd.cpp. */
export function checkNotSystem({ name, ns, collection }: CommandArguments): void {
  if (!collection.startsWith('system.')) return;
  const what = name === 'create' ? 'create' : 'write to';
  throw new CommandError(
    'OperationNotSupportedInTransaction',
    `Cannot ${what} system collection ${ns} within a transaction.`,
  );
}

/**
 * Indexes are made in a transaction only on a collection that it has made itself and that is still empty.
 * Errors: OperationNotSupportedInTransaction 263. Upstream: create_indexes_cmd.cpp, runCreateIndexesInMultiDocumentTransaction.
 */
export function checkIndexable(
  { ns, count }: CollectionView,
  missing: readonly IndexSpec[],
  transaction: Session,
): void {
  const isNew = transaction.open?.hasCreated(ns) === true;
  if (missing.length === 0 || (isNew && count === 0)) return;
  const what = isNew ? 'non-empty collection' : 'existing collection';
  throw new CommandError(
    'OperationNotSupportedInTransaction',
    `Cannot create new indexes on ${what} ${ns} in a multi-document transaction.`,
  );
}
