import { type CommandArguments, Fields, int64Of, parseSessionId, type SessionId } from '@replsim/pipeline';
import { BsonType, CommandError, readString } from '@replsim/protocol';
import { checkAllowed, checkSessionFields } from '@replsim/transactions';
import { type CommandDefinition, isOpen } from '../definition.ts';

/** What a command says of its session. */
export interface OperationSession {
  readonly lsid: SessionId | undefined;
  /** Of a retryable write, or of a transaction. */
  readonly txnNumber: bigint | undefined;
  /** Whether it is a statement of a transaction, and if so whether the first. */
  readonly transaction: 'none' | 'starts' | 'continues';
  /** What such a statement reads or writes, `db.collection`. */
  readonly namespaces: readonly string[];
}

const NONE: readonly string[] = [];

/** Of a command without a session. */
export const NO_SESSION: OperationSession = {
  lsid: undefined,
  txnNumber: undefined,
  transaction: 'none',
  namespaces: NONE,
};

/**
 * Reads `lsid`, `txnNumber`, `autocommit` and `startTransaction`, and refuses what does not go together, and what may not run in
 * a transaction. Errors: those of `lsid`, of `checkSessionFields` and of `checkAllowed`.
 * Upstream: initialize_operation_session_info.cpp.
 * @param inSet the member is part of a replica set
 */
export function operationSession(args: CommandArguments, command: CommandDefinition, inSet: boolean): OperationSession {
  const id = args.document('lsid');
  const lsid = id && parseSessionId(id, 'lsid', args.uid);
  const number = args.numeric('txnNumber');
  const isPlain = number === undefined && !args.inTransaction && !args.has('startTransaction');
  if (isPlain) return { ...NO_SESSION, lsid };
  const txnNumber = number && int64Of(number);
  const autocommit = args.strictBool('autocommit');
  const startTransaction = args.strictBool('startTransaction');
  if (args.has('txnRetryCounter'))
    throw new CommandError('InvalidOptions', 'txnRetryCounter is not for clients to send');
  const { name } = command;
  const retryable = command.kind === 'write' && command.retryable === true;
  const fields = { hasSession: lsid !== undefined, txnNumber, autocommit, startTransaction };
  checkSessionFields(fields, { name, needsNobody: isOpen(command), retryable }, inSet);
  if (autocommit === undefined) return { lsid, txnNumber, transaction: 'none', namespaces: NONE };
  const isFirst = startTransaction === true;
  const namespaces = namespacesOf(args);
  checkAllowed({ command: name, isFirst, namespaces });
  return { lsid, txnNumber, transaction: isFirst ? 'starts' : 'continues', namespaces };
}

/** What a statement is about, whether it may be or not. */
function namespacesOf(args: CommandArguments): string[] {
  if (args.name === 'bulkWrite') {
    const listed = args.documents('nsInfo') ?? [];
    return listed.map((bytes) => new Fields(bytes, 'bulkWrite.nsInfo').string('ns') ?? args.db);
  }
  const named = args.rawValue(args.name === 'getMore' ? 'collection' : args.name);
  return [named?.type === BsonType.string ? `${args.db}.${readString(named)}` : args.db];
}
