import type { ActionType } from '@replsim/access';
import { type Operation, type RetryableWrite, spend } from '@replsim/operations';
import type { CommandArguments, Reply } from '@replsim/pipeline';
import { CommandError, type OplogEntry, type OpType } from '@replsim/protocol';
import { Meter } from '@replsim/query';
import { endsCommand, isTransientInTransaction } from '../replies/errorLabels.ts';

/** Statements in one command. Upstream: write_ops.h, kMaxWriteBatchSize. */
const MAX_STATEMENTS = 100_000;

/** What a write needs besides that passes over validators. */
export function bypassing(args: CommandArguments): readonly ActionType[] {
  return args.bool('bypassDocumentValidation') ? ['bypassDocumentValidation'] : [];
}

/** Throws InvalidLength 16 unless a write command has between one and 100,000 statements. */
export function checkStatementCount(count: number): void {
  if (count >= 1 && count <= MAX_STATEMENTS) return;
  throw new CommandError(
    'InvalidLength',
    `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${count} operations.`,
  );
}

/** Looks at each statement of a command before any is carried out, in turns with others: there may be many. */
export function* lookInTurns(
  statements: readonly Uint8Array[],
  look: (statement: Uint8Array) => void,
): Operation<void> {
  const meter = new Meter();
  for (const statement of statements) {
    look(statement);
    yield* count(meter, 1);
  }
}

/** So many bytes of a document are a step. Unit: powers of 2. */
const COPIED_BYTES_SHIFT = 9;

/** A long document takes its time, however little of it changes: it is written whole. */
export function* payForBytes(meter: Meter | undefined, { length }: Uint8Array): Operation<void> {
  yield* count(meter, length >>> COPIED_BYTES_SHIFT);
}

function* count(meter: Meter | undefined, steps: number): Operation<void> {
  meter?.add(steps);
  if (meter?.isDue) yield* spend(meter.take());
}

/**
 * The number of each statement in a retryable write: what the client sent, or its place after `stmtId`.
 * Errors: TypeMismatch 14, InvalidLength 16, InvalidOptions 72. Upstream: write_ops.cpp, getStmtIdForWriteAt.
 */
export function statementIds(args: CommandArguments, count: number): (index: number) => number {
  const first = args.int32('stmtId');
  const listed = args.int32s('stmtIds');
  if (!listed) return (index) => (first ?? 0) + index;
  if (first !== undefined) {
    throw new CommandError('InvalidOptions', 'a write has stmtId or stmtIds, not both');
  }
  if (listed.length !== count) {
    throw new CommandError(
      'InvalidLength',
      `stmtIds must be as many as there are statements: ${count}, not ${listed.length}`,
    );
  }
  return (index) => listed[index]!;
}

/** Refuses to answer a retry from an entry that did something else. */
export function checkRetry(entry: OplogEntry, kinds: readonly OpType[], code: number, what: string): void {
  const { op } = entry.operation;
  if (kinds.includes(op)) return;
  throw new CommandError(
    code,
    `${what} retry request is not compatible with previous write in the transaction of type: ${op}`,
  );
}

/** `{ retriedStmtIds }`, or nothing if no statement was answered from the oplog. */
export function retriedReply(retryable: RetryableWrite | undefined): Reply {
  return retryable && retryable.retried.length > 0 ? { retriedStmtIds: retryable.retried } : {};
}

/** Whether a statement's failure is that of its command. Upstream: write_ops_exec.cpp, handleError. */
export function endsStatements(code: number, inTransaction: boolean): boolean {
  return endsCommand(code) || (inTransaction && isTransientInTransaction(code));
}

/**
 * What goes wrong with single statements of a write command: `writeErrors`, while the command itself is ok.
 * Upstream: write_ops_exec.cpp, handleError.
 */
export class WriteErrors {
  readonly #errors: Reply[] = [];
  readonly #ordered: boolean;
  readonly #inTransaction: boolean;

  /**
   * @param ordered the first error ends the command
   * @param inTransaction it does so there in any case, and what lets a client try the transaction again is the command's failure
   */
  constructor(ordered: boolean, inTransaction: boolean) {
    this.#ordered = ordered || inTransaction;
    this.#inTransaction = inTransaction;
  }

  /**
   * Takes what a statement threw; gives it on if it is no statement's failure but the whole command's.
   * @returns whether the next statement is to be carried out
   */
  add(index: number, error: unknown): boolean {
    if (!(error instanceof CommandError) || endsStatements(error.code, this.#inTransaction)) throw error;
    const { code, extra, message: errmsg } = error;
    this.#errors.push({ index, code, errmsg, ...extra });
    return !this.#ordered;
  }

  /** `{ writeErrors }`, or nothing if all went well. */
  reply(): Reply {
    return this.#errors.length > 0 ? { writeErrors: this.#errors } : {};
  }
}
