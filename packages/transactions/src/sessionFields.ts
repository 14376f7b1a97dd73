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
    throw new CommandError(50889, `It is illegal to provide a txnNumber for command ${command.name}`);
  }
  if (txnNumber !== undefined && !hasSession)
    throw invalid('Transaction number requires a session ID to also be specified');
  if (txnNumber !== undefined && !inSet) {
    throw new CommandError(
      'IllegalOperation',
      'Transaction numbers are only allowed on a replica set member or mongos',
    );
  }
  if (txnNumber !== undefined && txnNumber < 0n) throw invalid('Transaction number cannot be negative');
  if (autocommit !== undefined && txnNumber === undefined) {
    throw invalid("'autocommit' field requires a transaction number to also be specified");
  }
  if (autocommit) throw invalid('Specifying autocommit=true is not allowed.');
  if (startTransaction !== undefined && autocommit === undefined) {
    throw invalid("'startTransaction' field requires 'autocommit' field to also be specified");
  }
  if (startTransaction === false) throw invalid('Specifying startTransaction=false is not allowed.');
  if (txnNumber !== undefined && autocommit === undefined && !command.retryable) {
    throw new CommandError(
      'NotARetryableWriteCommand',
      `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
    );
  }
}

/** What a command gets that no transaction may hold. */
export function notInTransactions(name: string): CommandError {
  const instead = name === 'count' ? '. Use an aggregation with $count in it' : '';
  return new CommandError(
    'OperationNotSupportedInTransaction',
    `Cannot run '${name}' in a multi-document transaction${instead}.`,
  );
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
