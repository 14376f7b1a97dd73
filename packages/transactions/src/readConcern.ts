import { CommandError } from '@replsim/protocol';

/** Levels at which a transaction may read. Upstream: transaction_validation.cpp, isReadConcernLevelAllowedInTransaction. */
const LEVELS: ReadonlySet<string> = new Set(['local', 'majority', 'snapshot']);

/**
 * A transaction has one read concern, which comes with its first statement. Errors: InvalidOptions 72.
 * @param isNonEmpty the statement says something of it
 */
export function checkReadConcern(sent: {
  readonly isFirst: boolean;
  readonly isNonEmpty: boolean;
  readonly level: string;
  readonly hasAfterOpTime: boolean;
}): void {
  if (!sent.isFirst) {
    if (!sent.isNonEmpty) return;
    throw invalid('Only the first command in a transaction may specify a readConcern');
  }
  if (!LEVELS.has(sent.level)) {
    throw invalid(`The readConcern level must be local, majority or snapshot in a transaction, not ${sent.level}`);
  }
  if (sent.hasAfterOpTime) throw invalid('afterOpTime does not go with a transaction');
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
