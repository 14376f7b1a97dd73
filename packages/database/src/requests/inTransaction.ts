import {
  type OpenConnection,
  type Operation,
  parseReadConcern,
  parseWriteConcern,
  pauseWhileSet,
  type ReadConcernRequest,
  type Session,
  type WriteConcernRequest,
  writeOutcome,
} from '@replsim/operations';
import { type CommandArguments, checkSameApi, type Reply, type SessionId } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { checkReadConcern, type StatementKind } from '@replsim/transactions';
import { isWriteConflict } from '../crud/writeConflicts.ts';
import type { CommandDefinition } from '../definition.ts';
import type { CommandHost, ConcernServices } from '../member.ts';

/** A statement of a transaction. */
export interface TransactionStatement {
  readonly command: string;
  /** What it says of the Stable API. */
  readonly api: string;
  readonly lsid: SessionId;
  readonly txnNumber: bigint;
  readonly starts: boolean;
  /** What it reads or writes. */
  readonly namespaces: readonly string[];
  readonly kind: StatementKind;
  readonly connection: OpenConnection | undefined;
  /** Of the first statement. */
  readonly readConcern: ReadConcernRequest;
  /** Of a commit or an abort, where the client sent one. */
  readonly writeConcern: WriteConcernRequest | undefined;
}

/** What a statement says of its concerns. Errors: InvalidOptions 72, those of the concerns. */
export function concernsInTransaction(
  args: CommandArguments,
  { name, ownWriteConcern }: CommandDefinition,
  isFirst: boolean,
  member: ConcernServices,
): Pick<TransactionStatement, 'kind' | 'readConcern' | 'writeConcern'> {
  const kind = kindOf(name);
  const readConcern = isFirst ? parseReadConcern(args, member.defaults.readConcern) : parseReadConcern(args);
  const { level, afterOpTime } = readConcern;
  const sent = args.document('readConcern');
  // Five bytes are an empty document.
  const isNonEmpty = sent !== undefined && sent.length > 5;
  checkReadConcern({ isFirst, isNonEmpty, level, hasAfterOpTime: afterOpTime !== undefined });
  if (kind === 'other' && ownWriteConcern !== true && args.has('writeConcern')) {
    throw new CommandError('InvalidOptions', 'writeConcern is not allowed within a multi-statement transaction');
  }
  return { kind, readConcern, writeConcern: kind === 'other' ? undefined : parseWriteConcern(args) };
}

function kindOf(name: string): StatementKind {
  return name === 'commitTransaction' ? 'commit' : name === 'abortTransaction' ? 'abort' : 'other';
}

/**
 * Runs one statement: takes the session, begins or goes on, and afterwards puts the transaction aside until the next one comes.
 * Whatever fails from the snapshot on gives the whole transaction up. Upstream: service_entry_point, CheckoutSessionAndInvokeCommand.
 * @param run the command itself, with the session in its hands
 */
export function* runInTransaction(
  member: CommandHost,
  statement: TransactionStatement,
  run: (session: Session) => Operation<Reply>,
): Operation<Reply> {
  const { api, lsid, txnNumber, starts, kind, writeConcern } = statement;
  let reply: Reply;
  try {
    const session = yield* member.sessions.checkOutTransaction(lsid, txnNumber, starts);
    try {
      if (starts) session.apiParameters = api;
      checkSameApi(statement.command, api, session.apiParameters, "the transaction's first command");
      session.participant.checkRunnable(kind);
      reply = yield* runCheckedOut(member, statement, session, run);
    } finally {
      member.sessions.checkIn(lsid);
    }
  } catch (error) {
    throw yield* withNoop(member, statement, error);
  }
  if (kind === 'other' || writeConcern?.w === 0) return reply;
  const failure = yield* member.awaitWriteConcern(writeConcern);
  return failure ? { ...reply, writeConcernError: failure } : reply;
}

function* runCheckedOut(
  member: CommandHost,
  { command, lsid, txnNumber, starts, readConcern, kind, namespaces, connection }: TransactionStatement,
  session: Session,
  run: (session: Session) => Operation<Reply>,
): Operation<Reply> {
  if (session.participant.isOpen) session.unstash(connection);
  try {
    if (starts) {
      session.attach(yield* openTransaction(member, { lsid, txnNumber, readConcern }));
      yield* pauseWhileSet(member, 'hangAfterPreallocateSnapshot', { uninterrupted: true });
    }
    if (kind === 'other') yield* lockCollections(member, session, namespaces);
    member.counters.readConcerns.transactionOps.count(command, session.open?.identity.readConcern);
    const reply = yield* run(session);
    if (kind === 'other') session.open?.traceRead();
    session.times.add(writeOutcome(command, reply, member.debug));
    if (hasErrors(reply)) session.abort(member.debug);
    return reply;
  } catch (error) {
    if (isWriteConflict(error)) {
      session.times.writeConflicts += 1;
      member.counters.writeConflicts += 1;
    }
    session.abort(member.debug);
    throw error;
  } finally {
    session.stash(member.debug);
  }
}

/** Waits for what a causal session has seen. Whether what is read is majority-committed is for the commit to find out. */
function* openTransaction(
  member: CommandHost,
  identity: Pick<TransactionStatement, 'lsid' | 'txnNumber' | 'readConcern'>,
): Operation<NonNullable<Session['open']>> {
  const { afterClusterTime, atClusterTime } = identity.readConcern;
  if (atClusterTime) yield* member.awaitReadConcern(identity.readConcern);
  else yield* member.awaitReadConcern({ level: 'local', ...(afterClusterTime && { afterClusterTime }) });
  return member.transactions.open(identity);
}

function* lockCollections(member: CommandHost, { open }: Session, namespaces: readonly string[]): Operation<void> {
  const fresh = namespaces.filter((ns) => !open?.touches((touched) => touched === ns));
  const limitMs = member.parameters.number('maxTransactionLockRequestTimeoutMillis');
  const deadlineMicros = limitMs < 0 ? Infinity : member.now.monotonicMicros + limitMs * 1000;
  if (fresh.length > 0) yield* member.sessions.locks.shared(fresh, deadlineMicros);
}

/** A statement that failed in part, though the command is ok. Upstream: write_ops_exec.cpp, handleError. */
function hasErrors({ writeErrors, nErrors }: Reply): boolean {
  return writeErrors !== undefined || (typeof nErrors === 'number' && nErrors > 0);
}

function noopFailed(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'failTransactionNoopWrite fail point enabled');
}

/**
 * That there is no such transaction is certain only once nothing can be rolled back that would have told of one: a no-op is written
 * and waited for. Upstream: service_entry_point, performNoopWrite.
 */
function* withNoop(
  member: CommandHost,
  { kind, writeConcern }: TransactionStatement,
  error: unknown,
): Operation<unknown> {
  if (!(error instanceof CommandError) || error.codeName !== 'NoSuchTransaction' || kind === 'other') return error;
  if (!member.acceptsWritesFor('admin')) return error;
  if (member.failPoints.enter('failTransactionNoopWrite')) return noopFailed();
  member.transactions.writeNoop('NoSuchTransaction error', writeConcern);
  const failure = yield* member.awaitWriteConcern(writeConcern);
  return failure ? new CommandError(error.code, error.message, { writeConcernError: failure }) : error;
}
