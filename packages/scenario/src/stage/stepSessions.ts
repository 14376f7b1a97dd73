import {
  ClientSession,
  type ClientTransaction,
  ClusterClock,
  commitAgainConcern,
  isAcknowledged,
  timesOf,
} from '@replsim/driver';
import type { Random } from '@replsim/kernel';
import { encodeDocument, required } from '@replsim/protocol';
import { Template } from '../file/placeholder.ts';
import type { ClientAction } from '../scenario.ts';
import type { Hello } from './members.ts';
import { StepFailure } from './stepFailure.ts';

/** What one command of a step gets from its session. */
export interface SessionUse {
  /** The command with what the session adds, as bytes. */
  dress(command: Template, fill: (command: Template) => Uint8Array): Uint8Array;
  /** A statement of a transaction is never sent again by itself. */
  readonly mayRetry: boolean;
  /** What is sent in its place where it is sent again. */
  readonly again?: ((fill: (command: Template) => Uint8Array) => Uint8Array) | undefined;
  /** Takes in the answer; the session may then serve another command. */
  end(reply: Uint8Array): void;
}

/** The sessions of a scenario's steps: those that have a name, and a pool of those that have none. */
export class StepSessions {
  readonly #random: Random;
  readonly #named = new Map<string, ClientSession>();
  /** The one used last serves first. Upstream: the driver sessions specification, the server session pool. */
  readonly #idle: ClientSession[] = [];
  readonly #clock = new ClusterClock();
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * The session for a step's command; undefined where drivers use none.
   * @param hello of the server that it goes to; undefined if it does not answer
   */
  for(action: ClientAction, hello: Hello | undefined): SessionUse | undefined {
    const named = action.session;
    const { value: command } = required(action.commands[0], 'command of the step');
    const acknowledged = isAcknowledged(command);
    if (named === undefined && !(action.implicitSession && hello?.logicalSessions && acknowledged)) return undefined;
    const session = named === undefined ? this.#fromPool() : this.#called(named);
    const statement = statementOf(session, command);
    if (statement) return this.#inTransaction(session, statement, hello?.inSet === true);
    session.transaction = undefined;
    const isRead = command.has('find');
    const numbered = action.retryable && !isRead && hello?.inSet === true && acknowledged;
    const fields = { session, isRead: isRead && action.implicitSession, numbered, gossips: hello?.inSet === true };
    return {
      dress: (template, fill) => fill(this.#dressed(template, fields)),
      mayRetry: true,
      end: (reply) => {
        this.#learn(session, reply);
        if (named === undefined) this.#idle.push(session);
      },
    };
  }

  /** Throws StepFailure where a transaction of the session is under way. */
  startTransaction(name: string, options: ReadonlyMap<string, unknown>): void {
    const session = this.#called(name);
    if (session.transaction && session.transaction.state !== 'ended')
      throw new StepFailure(`no transaction under way in ${name}`, 'there is one: commit it or abort it first');
    session.transaction = {
      txnNumber: session.nextTxnNumber(),
      state: 'starting',
      readConcern: options.get('readConcern'),
      writeConcern: options.get('writeConcern'),
      maxCommitTimeMS: options.get('maxCommitTimeMS'),
    };
  }

  /** The transaction of a session that its client has not ended: whether a statement of it was sent, and who asks a member for it. */
  openIn(name: string): { readonly hasBegun: boolean; readonly currentOp: Uint8Array } | undefined {
    const { transaction, id } = this.#called(name);
    if (!transaction || transaction.state === 'ended') return undefined;
    const match = { 'lsid.id': id, 'transaction.parameters.txnNumber': transaction.txnNumber };
    const pipeline = [{ $currentOp: { allUsers: true } }, { $match: match }];
    const currentOp = encodeDocument({ aggregate: 1, pipeline, cursor: {}, $db: 'admin' });
    return { hasBegun: transaction.state !== 'starting', currentOp };
  }

  /** @param kind what the command is to its transaction */
  #inTransaction(session: ClientSession, { transaction, kind }: StatementUse, gossips: boolean): SessionUse {
    const isFirst = transaction.state === 'starting';
    const isRepeated = transaction.state === 'ended';
    transaction.state = kind === 'statement' ? 'inProgress' : 'ended';
    const dressed = (command: Template, again: boolean): Template => {
      const value = new Map<string, unknown>([...command.value, ['lsid', session.lsid]]);
      value.set('txnNumber', transaction.txnNumber);
      value.set('autocommit', false);
      if (isFirst) value.set('startTransaction', true);
      const readConcern = isFirst && readConcernOf(transaction, session.afterClusterTime);
      if (readConcern) value.set('readConcern', readConcern);
      const writeConcern = kind === 'statement' ? undefined : writeConcernOf(transaction, kind === 'commit' && again);
      if (writeConcern) value.set('writeConcern', writeConcern);
      if (kind === 'commit' && transaction.maxCommitTimeMS !== undefined)
        value.set('maxTimeMS', transaction.maxCommitTimeMS);
      const { newest } = this.#clock;
      if (gossips && newest) value.set('$clusterTime', newest);
      return new Template(value);
    };
    let sent: Template | undefined;
    return {
      dress: (command, fill) => {
        sent = command;
        return fill(dressed(command, isRepeated));
      },
      mayRetry: kind !== 'statement',
      again: (fill) => fill(dressed(required(sent, 'command that was sent'), true)),
      end: (reply) => this.#learn(session, reply),
    };
  }

  #learn(session: ClientSession, reply: Uint8Array): void {
    const { operationTime, $clusterTime } = timesOf(reply);
    session.advance(operationTime);
    this.#clock.advance($clusterTime);
  }

  #dressed(command: Template, { session, isRead, numbered, gossips }: Dress): Template {
    const value = new Map<string, unknown>([...command.value, ['lsid', session.lsid]]);
    if (numbered) value.set('txnNumber', session.nextTxnNumber());
    const { afterClusterTime } = session;
    const readConcern = command.value.get('readConcern');
    const { newest } = this.#clock;
    if (isRead && afterClusterTime)
      value.set(
        'readConcern',
        new Map([...(readConcern instanceof Map ? readConcern : []), ['afterClusterTime', afterClusterTime]]),
      );
    // Only members of a set know what to do with it.
    if (gossips && newest) value.set('$clusterTime', newest);
    return new Template(value);
  }

  #called(name: string): ClientSession {
    const session = this.#named.get(name) ?? new ClientSession(this.#random.split('named', name), { causal: true });
    this.#named.set(name, session);
    return session;
  }

  #fromPool(): ClientSession {
    return this.#idle.pop() ?? new ClientSession(this.#random.split('implicit', this.#made++), { causal: false });
  }
}

interface StatementUse {
  readonly transaction: ClientTransaction;
  readonly kind: 'statement' | 'commit' | 'abort';
}

/**
 * What a command is to its session's transaction; undefined outside of one.
 * Throws StepFailure for an end of what has not begun.
 */
function statementOf(session: ClientSession, command: ReadonlyMap<string, unknown>): StatementUse | undefined {
  const { transaction } = session;
  const kind = command.has('commitTransaction') ? 'commit' : command.has('abortTransaction') ? 'abort' : 'statement';
  if (kind === 'statement') return transaction && transaction.state !== 'ended' ? { transaction, kind } : undefined;
  if (!transaction) throw new StepFailure('a transaction to end', 'none was begun in this session: startTransaction');
  if (transaction.state === 'starting')
    throw new StepFailure('a transaction to end', 'it has sent nothing: a driver would not send this either');
  return { transaction, kind };
}

function readConcernOf({ readConcern }: ClientTransaction, afterClusterTime: unknown): unknown {
  if (afterClusterTime === undefined) return readConcern;
  return new Map([...(readConcern instanceof Map ? readConcern : []), ['afterClusterTime', afterClusterTime]]);
}

function writeConcernOf({ writeConcern }: ClientTransaction, isCommitAgain: boolean): unknown {
  return isCommitAgain ? commitAgainConcern(writeConcern) : writeConcern;
}

interface Dress {
  readonly session: ClientSession;
  readonly isRead: boolean;
  readonly numbered: boolean;
  readonly gossips: boolean;
}
