import { CommandError } from '@replsim/protocol';
import { notInTransactions } from './sessionFields.ts';

/** Commands that may run in a transaction. Upstream: commands.h, allowedInTransactions. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['find', 'getMore', 'killCursors', 'aggregate', 'distinct'],
  ...['insert', 'update', 'delete', 'findAndModify', 'bulkWrite', 'create', 'createIndexes'],
  ...['commitTransaction', 'abortTransaction', 'prepareTransaction', 'coordinateCommitTransaction'],
]);

/** Of these, those that cannot be the first statement. */
const NEVER_FIRST: ReadonlySet<string> = new Set([
  ...['killCursors', 'commitTransaction', 'abortTransaction', 'prepareTransaction'],
]);

/** What belongs to a member rather than to its set, or tells of the catalog. */
const BANNED_DATABASES: ReadonlySet<string> = new Set(['local', 'config']);
const BANNED_COLLECTIONS: ReadonlySet<string> = new Set(['system.profile', 'system.views']);

/** A statement, as far as it decides whether it may run in a transaction. */
export interface Statement {
  readonly command: string;
  readonly isFirst: boolean;
  /** What it reads or writes, `db.collection`; a database alone for those that name none. */
  readonly namespaces: readonly string[];
}

/** Errors: OperationNotSupportedInTransaction 263. Upstream: transaction_validation.cpp; commands.cpp, canUseTransactions. */
export function checkAllowed({ command, isFirst, namespaces }: Statement): void {
  if (!ALLOWED.has(command)) throw notInTransactions(command);
  for (const ns of namespaces) checkNamespace(ns);
  if (isFirst && NEVER_FIRST.has(command)) {
    throw new CommandError('OperationNotSupportedInTransaction', `Cannot start a transaction with '${command}'.`);
  }
}

function checkNamespace(ns: string): void {
  const dot = ns.indexOf('.');
  const db = dot < 0 ? ns : ns.slice(0, dot);
  const collection = dot < 0 ? '' : ns.slice(dot + 1);
  if (BANNED_DATABASES.has(db)) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot run a command against the '${db}' database in a transaction`,
    );
  }
  if (BANNED_COLLECTIONS.has(collection)) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot run a command against the '${ns}' collection in a transaction`,
    );
  }
}
