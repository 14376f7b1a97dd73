import type { Driver } from './driver.ts';
import type { Attempt, Outcome } from './operation.ts';
import { noServer, outcomeOf } from './operation.ts';
import { PRIMARY } from './readPreference.ts';
import { headOf } from './replyHead.ts';
import { type ClientSession, commitAgainConcern, type TransactionOptions, timesOf, withFields } from './session.ts';
import type { Waiting } from './waiting.ts';

/** For so long it is tried. Upstream: the convenient API for transactions specification, as all below. */
const GIVE_UP_MICROS = 120_000_000;
/** The pause before a transaction is begun again: up to so long, by half as much again each time. */
const FIRST_PAUSE_MICROS = 5000;
const LONGEST_PAUSE_MICROS = 500_000;
const MAX_TIME_MS_EXPIRED = 50;
/** The concern itself cannot be met, and asking again is in vain: UnknownReplWriteConcern, UnsatisfiableWriteConcern. */
const IN_VAIN: ReadonlySet<number> = new Set([79, 100]);

type Command = ReadonlyMap<string, unknown>;

/** Sends a statement in the transaction, and waits for its answer. @throws FailedStatement unless it was done */
export type Statement = (command: Command) => Waiting<Uint8Array>;

/** How a transaction ended for its application. */
export interface TransactionEnd {
  /** Of its commit, or of the statement for which it was given up. */
  readonly outcome: Outcome;
  /** Its commit was sent, and nobody has said what became of it. */
  readonly inDoubt: boolean;
  /** How often it was aborted: to be begun again, or for good. */
  readonly aborted: number;
}

/** What a command of a transaction came to, with the labels of the server and those that a driver adds. */
interface Sent {
  readonly outcome: Outcome;
  readonly failed: boolean;
  readonly labels: readonly string[];
}

class FailedStatement extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super('a statement of a transaction failed');
    this.sent = sent;
  }
}

/**
 * Carries out a transaction as `withTransaction` of drivers does: after a TransientTransactionError the whole of it again, after an
 * UnknownTransactionCommitResult the commit again, and neither after two minutes.
 * @param body what is done in it, each time anew
 * @param attempting told of each beginning, and of each commit that is sent once more, before it is sent
 */
export function* withTransaction(
  driver: Driver,
  session: ClientSession,
  options: TransactionOptions,
  body: (statement: Statement) => Waiting<void>,
  attempting: (attempt: Attempt) => void,
): Waiting<TransactionEnd> {
  const until = driver.nowMicros + GIVE_UP_MICROS;
  const told = { attempt: 0, attempting };
  for (let aborted = 0; ; aborted++) {
    if (aborted > 0) yield* pause(driver, aborted);
    const transaction = new Transaction(driver, session, options, told);
    const last = (yield* failureOf(transaction, body)) ?? (yield* commit(transaction, () => driver.nowMicros < until));
    if (!last.failed) return { outcome: last.outcome, inDoubt: false, aborted };
    if (last.labels.includes(UNKNOWN_RESULT)) return { outcome: last.outcome, inDoubt: true, aborted };
    if (!last.labels.includes(TRANSIENT) || driver.nowMicros >= until)
      return { outcome: last.outcome, inDoubt: false, aborted: aborted + 1 };
  }
}

const TRANSIENT = 'TransientTransactionError';
const UNKNOWN_RESULT = 'UnknownTransactionCommitResult';

/** @returns the statement that failed, behind which the transaction is aborted; undefined if all were done */
function* failureOf(
  transaction: Transaction,
  body: (statement: Statement) => Waiting<void>,
): Waiting<Sent | undefined> {
  try {
    yield* body((command) => transaction.statement(command));
    return undefined;
  } catch (error) {
    if (!(error instanceof FailedStatement)) throw error;
    yield* transaction.abort();
    return error.sent;
  }
}

function* commit(transaction: Transaction, hasTime: () => boolean): Waiting<Sent> {
  let sent = yield* transaction.commit(false);
  while (sent.labels.includes(UNKNOWN_RESULT) && errorOf(sent)?.code !== MAX_TIME_MS_EXPIRED && hasTime())
    sent = yield* transaction.commit(true);
  return sent;
}

/** Those who got into each other's way come back at different times. */
function* pause(driver: Driver, aborted: number): Waiting<void> {
  const longest = Math.min(FIRST_PAUSE_MICROS * 1.5 ** (aborted - 1), LONGEST_PAUSE_MICROS);
  yield* driver.pause(Math.round(driver.random.float() * longest));
}

/** One beginning of a transaction, with its number. */
class Transaction {
  readonly #driver: Driver;
  readonly #session: ClientSession;
  readonly #options: TransactionOptions;
  readonly #txnNumber: bigint;
  readonly #told: { attempt: number; readonly attempting: (attempt: Attempt) => void };
  #hasBegun = false;

  constructor(
    driver: Driver,
    session: ClientSession,
    options: TransactionOptions,
    told: { attempt: number; readonly attempting: (attempt: Attempt) => void },
  ) {
    this.#driver = driver;
    this.#session = session;
    this.#options = options;
    this.#txnNumber = session.nextTxnNumber();
    this.#told = told;
  }

  *statement(command: Command): Waiting<Uint8Array> {
    const isFirst = !this.#hasBegun;
    const { afterClusterTime } = this.#session;
    const readConcern = new Map<string, unknown>([
      ...(this.#options.readConcern ?? []),
      ...(afterClusterTime ? ([['afterClusterTime', afterClusterTime]] as const) : []),
    ]);
    const sent = yield* this.#send(command, {
      tells: isFirst,
      fields: isFirst && { startTransaction: true, ...(readConcern.size > 0 && { readConcern }) },
    });
    const { outcome } = sent;
    if (sent.failed || outcome.kind !== 'reply') throw new FailedStatement(withDriversLabel(sent, TRANSIENT));
    return outcome.reply;
  }

  *commit(again: boolean): Waiting<Sent> {
    const { writeConcern, maxCommitTimeMS: maxTimeMS } = this.#options;
    const concern = again ? commitAgainConcern(writeConcern) : writeConcern;
    const sent = yield* this.#send(COMMIT, {
      tells: again,
      again,
      fields: { ...(concern && { writeConcern: concern }), ...(maxTimeMS !== undefined && { maxTimeMS }) },
    });
    return isUnknown(sent) ? withDriversLabel(sent, UNKNOWN_RESULT, true) : sent;
  }

  /** Whatever is answered, nothing of it will ever be seen. It is sent once more where that may help, as drivers do. */
  *abort(): Waiting<void> {
    if (!this.#hasBegun) return;
    const { writeConcern } = this.#options;
    const fields = writeConcern && { writeConcern };
    const { labels, outcome } = yield* this.#send(ABORT, { fields });
    if (outcome.kind === 'networkError' || labels.includes('RetryableWriteError')) yield* this.#send(ABORT, { fields });
  }

  *#send(
    command: Command,
    how: { fields: object | false | undefined; tells?: boolean; again?: boolean },
  ): Waiting<Sent> {
    const driver = this.#driver;
    const session = this.#session;
    const txnNumber = this.#txnNumber;
    const server = yield* driver.selectServer(PRIMARY);
    if (!server) return { outcome: noServer(driver), failed: true, labels: [] };
    if (how.tells) {
      const attempt = ++this.#told.attempt;
      const again = attempt === 1 ? undefined : how.again ? 'commit' : 'transaction';
      this.#told.attempting({ attempt, server: server.address, session, txnNumber, again });
    }
    this.#hasBegun = true;
    const { newest } = driver.clusterClock;
    const fields = { lsid: session.lsid, txnNumber, autocommit: false, ...how.fields };
    const bytes = withFields(command, { ...fields, ...(newest && { $clusterTime: newest }) });
    const ended = yield* driver.request(server, bytes);
    const outcome = outcomeOf(ended, server);
    if (outcome.kind !== 'reply') return { outcome, failed: true, labels: [] };
    session.advance(timesOf(outcome.reply).operationTime);
    const { ok, writeErrors, writeConcernError, errorLabels } = headOf(outcome.reply);
    const failed = ok !== 1 || writeErrors !== undefined || writeConcernError !== undefined;
    return { outcome, failed, labels: Array.isArray(errorLabels) ? errorLabels : [] };
  }
}

const COMMIT: Command = new Map<string, unknown>([
  ['commitTransaction', 1],
  ['$db', 'admin'],
]);
const ABORT: Command = new Map<string, unknown>([
  ['abortTransaction', 1],
  ['$db', 'admin'],
]);

/** Whether a commit that failed may have been done, or be undone yet. */
function isUnknown(sent: Sent): boolean {
  if (!sent.failed) return false;
  if (sent.outcome.kind !== 'reply' || sent.labels.includes('RetryableWriteError')) return true;
  const error = errorOf(sent);
  return error?.code === MAX_TIME_MS_EXPIRED || (error?.isOfConcern === true && !IN_VAIN.has(error.code));
}

function errorOf({ outcome }: Sent): { readonly code: number; readonly isOfConcern: boolean } | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const { ok, code, writeConcernError } = headOf(outcome.reply);
  if (ok !== 1) return { code: Number(code), isOfConcern: false };
  return writeConcernError && { code: Number(writeConcernError.code), isOfConcern: true };
}

/** What the driver itself knows of: a connection that broke, no server. @param always be it answered or not */
function withDriversLabel(sent: Sent, label: string, always = false): Sent {
  return always || sent.outcome.kind !== 'reply' ? { ...sent, labels: [...sent.labels, label] } : sent;
}
