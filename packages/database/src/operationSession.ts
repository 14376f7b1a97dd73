import { CommandError } from '@replsim/protocol';
import type { CommandDefinition } from './definition.ts';
import type { CommandArguments } from './fields/arguments.ts';
import { parseSessionId, type SessionId } from './fields/sessionId.ts';
import { int64Of } from './fields/values.ts';

/** What a command says of its session. */
export interface OperationSession {
  readonly lsid: SessionId | undefined;
  /** Of a retryable write. */
  readonly txnNumber: bigint | undefined;
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
    throw invalid('txnNumber needs an lsid beside it');
  }
  if (txnNumber !== undefined && !inSet) {
    throw new CommandError(
      'IllegalOperation',
      'Transaction numbers are only allowed on a replica set member or mongos',
    );
  }
  if (txnNumber !== undefined && txnNumber < 0n) throw invalid('txnNumber must be 0 or more');
  refuseTransactions(args, txnNumber);
  if (txnNumber !== undefined && !command.retryable) {
    throw new CommandError(
      'NotARetryableWriteCommand',
      `${command.name} takes no txnNumber outside of a transaction, as it is not a retryable write`,
    );
  }
  return { lsid, txnNumber };
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
    throw invalid('startTransaction needs autocommit: false beside it');
  }
  if (txnNumber === undefined) throw invalid('autocommit needs a txnNumber beside it');
  if (autocommit) throw invalid('autocommit may only be false; leave it out otherwise');
  if (startTransaction === false) throw invalid('startTransaction may only be true; leave it out otherwise');
  throw new CommandError('CommandNotSupported', 'multi-document transactions are not supported by replsim yet');
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
