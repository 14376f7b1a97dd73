import { CommandError } from '@replsim/protocol';
import type { CommandArguments } from '../commands/arguments.ts';
import type { CommandDefinition } from '../commands/command.ts';
import { int64Of } from '../commands/values.ts';
import { parseSessionId, type SessionId } from './sessionId.ts';

/** What a command says of its session. */
export interface OperationSession {
  readonly lsid?: SessionId;
  /** Of a retryable write. */
  readonly txnNumber?: bigint;
}

/**
 * Reads `lsid`, `txnNumber`, `autocommit` and `startTransaction`, and refuses what does not go together.
 * Errors: InvalidOptions 72, IllegalOperation 20, NotARetryableWriteCommand 50768, those of `lsid`; CommandNotSupported 115
 * for transactions, which this program does not have. Upstream: initialize_operation_session_info.cpp.
 * @param inSet the member is part of a replica set
 */
export function operationSession(
  args: CommandArguments,
  command: Pick<CommandDefinition, 'name' | 'retryable'>,
  inSet: boolean,
): OperationSession {
  const id = args.document('lsid');
  const lsid = id && parseSessionId(id, 'lsid');
  const txnNumber = txnNumberOf(args);
  if (txnNumber !== undefined && !lsid) {
    throw invalid('Transaction number requires a session ID to also be specified');
  }
  if (txnNumber !== undefined && !inSet) {
    throw new CommandError(
      'IllegalOperation',
      'Transaction numbers are only allowed on a replica set member or mongos',
    );
  }
  if (txnNumber !== undefined && txnNumber < 0n) throw invalid('Transaction number cannot be negative');
  refuseTransactions(args, txnNumber);
  if (txnNumber !== undefined && !command.retryable) {
    throw new CommandError(
      'NotARetryableWriteCommand',
      'txnNumber may only be provided for multi-document transactions and retryable write commands. ' +
        `autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
    );
  }
  return { ...(lsid && { lsid }), ...(txnNumber !== undefined && { txnNumber }) };
}

function txnNumberOf(args: CommandArguments): bigint | undefined {
  const value = args.numeric('txnNumber');
  return value && int64Of(value);
}

function refuseTransactions(args: CommandArguments, txnNumber: bigint | undefined): void {
  const autocommit = args.strictBool('autocommit');
  const startTransaction = args.strictBool('startTransaction');
  if (autocommit === undefined) {
    if (startTransaction === undefined) return;
    throw invalid("'startTransaction' field requires 'autocommit' field to also be specified");
  }
  if (txnNumber === undefined) throw invalid("'autocommit' field requires a transaction number to also be specified");
  if (autocommit) throw invalid('Specifying autocommit=true is not allowed.');
  if (startTransaction === false) throw invalid('Specifying startTransaction=false is not allowed.');
  throw new CommandError('CommandNotSupported', 'multi-document transactions are not supported by replsim yet');
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
