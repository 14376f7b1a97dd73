import { CommandError } from '@replsim/protocol';

/** What a command says of its session and its transaction; undefined where it says nothing. */
export interface SessionFields {
  readonly hasSession: boolean;
  readonly txnNumber: bigint | undefined;
  readonly autocommit: boolean | undefined;
  readonly startTransaction: boolean | undefined;
}

/** The command that says it. */
export interface SentCommand {
  readonly name: string;
  /** It needs no login: `hello`, `ping` and the like. */
  readonly needsNobody: boolean;
  /** It may be sent again with the same number. */
  readonly retryable: boolean;
}

/**
 * Refuses fields that do not go together: each of `lsid`, `txnNumber`, `autocommit`, `startTransaction` needs the one before.
 * Errors: OperationNotSupportedInTransaction 263, Location50889, InvalidOptions 72, IllegalOperation 20,
 * NotARetryableWriteCommand 50768. Upstream: initialize_operation_session_info.cpp; transaction_validation.cpp.
 * @param inSet the member is part of a replica set
 */
export function checkSessionFields(fields: SessionFields, command: SentCommand, inSet: boolean): void {
  const { hasSession, txnNumber, autocommit, startTransaction } = fields;
  if (command.needsNobody && autocommit !== undefined) throw notInTransactions(command.name);
  if (command.needsNobody && txnNumber !== undefined) {
    throw new CommandError(50889, `${command.name} takes no txnNumber`);
  }
  if (txnNumber !== undefined && !hasSession) throw invalid('txnNumber needs an lsid beside it');
  if (txnNumber !== undefined && !inSet) {
    throw new CommandError(
      'IllegalOperation',
      'Transaction numbers are only allowed on a replica set member or mongos',
    );
  }
  if (txnNumber !== undefined && txnNumber < 0n) throw invalid('txnNumber must be 0 or more');
  if (autocommit !== undefined && txnNumber === undefined) throw invalid('autocommit needs a txnNumber beside it');
  if (autocommit) throw invalid('autocommit may only be false; leave it out otherwise');
  if (startTransaction !== undefined && autocommit === undefined) {
    throw invalid('startTransaction needs autocommit: false beside it');
  }
  if (startTransaction === false) throw invalid('startTransaction may only be true; leave it out otherwise');
  if (txnNumber !== undefined && autocommit === undefined && !command.retryable) {
    throw new CommandError(
      'NotARetryableWriteCommand',
      `${command.name} takes no txnNumber outside of a transaction, as it is not a retryable write`,
    );
  }
}

/** What a command gets that no transaction may hold. */
export function notInTransactions(name: string): CommandError {
  const instead = name === 'count' ? '; use an aggregation with $count in it' : '';
  return new CommandError(
    'OperationNotSupportedInTransaction',
    `Cannot run '${name}' in a multi-document transaction${instead}.`,
  );
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
