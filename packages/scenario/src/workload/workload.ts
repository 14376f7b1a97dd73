import type { Random } from '@replsim/kernel';
import { type ClientTrace, type OpTime, toHex } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { Driver } from '../client/driver.ts';
import { type Attempt, type Operation, type Outcome, performOperation } from '../client/operation.ts';
import { headBytes, headOf } from '../client/replyHead.ts';
import { ClientSession, isAcknowledged, type TransactionOptions } from '../client/session.ts';
import { type TransactionEnd, withTransaction } from '../client/transaction.ts';
import { runWaiting } from '../client/waiting.ts';
import { FillError, type Filling, fillValue, type Template } from '../file/placeholder.ts';
import type { TransferTurn, WorkloadAction } from '../scenario.ts';
import { endingOf, firstBatch, idsOf } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { sumIn } from '../stage/sums.ts';
import { transfer } from './transfer.ts';

type Told = Omit<Extract<ClientTrace, { type: 'clientTold' }>, 'type' | 'workload' | 'turn' | 'sinceMicros' | 'server'>;

/**
 * A client that works in the background: one operation a turn, the next not before the one before it is over.
 * Whatever it sends and is told goes into the trace; its ledger is kept from there.
 */
export class Workload {
  readonly #action: WorkloadAction;
  readonly #set: ReplicaSetApi;
  readonly #fillings: Fillings;
  readonly #random: Random;
  readonly #driver: Driver;
  readonly #schedule: (afterMicros: number, happen: () => void) => () => void;
  readonly #startedMicros: number;
  /** Of its transactions; drivers make explicit sessions causally consistent. */
  readonly #session: ClientSession;
  #turn = 0;
  #busy = false;
  #stopped = false;
  #cancelNext: () => void = () => {};

  /** @param random a stream of its own: its chance is nobody else's */
  constructor(action: WorkloadAction, set: ReplicaSetApi, fillings: Fillings, random: Random) {
    this.#action = action;
    this.#set = set;
    this.#fillings = fillings;
    this.#random = random.split('values');
    this.#startedMicros = set.nowMicros;
    const { name, near, everyMicros, operation, ns, concern } = action;
    set.record({
      type: 'workloadStarted',
      workload: name,
      operation,
      everyMicros,
      ns,
      ...(concern !== undefined && { concern }),
      ...(near !== undefined && { near }),
    });
    this.#session = new ClientSession(random.split('session'), { causal: true });
    const end = set.client(name, near);
    this.#schedule = (afterMicros, happen) => end.schedule(afterMicros, happen);
    const seeds = set.memberNames.map((member) => set.hostOf(member));
    this.#driver = new Driver(end, set.setName, seeds, action.options, random.split('driver'));
    this.#takeTurn();
  }

  /** Nothing of it is under way. */
  get isOver(): boolean {
    return this.#stopped && !this.#busy;
  }

  /** Begins no further operation. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelNext();
    this.#set.record({ type: 'workloadStopped', workload: this.#action.name });
    if (!this.#busy) this.#driver.close();
  }

  #takeTurn(): void {
    const turn = ++this.#turn;
    const sinceMicros = this.#set.nowMicros;
    this.#busy = true;
    const attempting = (attempt: Attempt) => this.#recordAttempt(turn, attempt);
    const ended = (outcome: Outcome, told: Told) => {
      this.#recordOutcome(turn, sinceMicros, outcome, told);
      this.#busy = false;
      if (this.#stopped) this.#driver.close();
      else this.#cancelNext = this.#schedule(this.#untilNextTurn(), () => this.#takeTurn());
    };
    if (this.#action.transfer) this.#transfer(this.#action.transfer, turn, attempting, ended);
    else
      runWaiting(performOperation(this.#driver, this.#operation(turn), attempting), (outcome) =>
        ended(outcome, this.#toldOf(outcome)),
      );
  }

  #transfer(
    accounts: TransferTurn,
    turn: number,
    attempting: (attempt: Attempt) => void,
    ended: (outcome: Outcome, told: Told) => void,
  ): void {
    const options = filled(this.#action.command, this.#filling(turn));
    const sums: number[] = [];
    const work = withTransaction(
      this.#driver,
      this.#session,
      Object.fromEntries(options) as TransactionOptions,
      (statement) => transfer(statement, accounts, this.#random, (sum) => sums.push(sum)),
      attempting,
    );
    runWaiting(work, (end) =>
      ended(end.outcome, { ...toldByTransaction(end), ...this.#added(sums), aborted: end.aborted }),
    );
  }

  /** Turns stand at whole intervals from the start; one that comes while an operation is under way is left out. */
  #untilNextTurn(): number {
    const { everyMicros } = this.#action;
    const passed = this.#set.nowMicros - this.#startedMicros;
    return (Math.floor(passed / everyMicros) + 1) * everyMicros - passed;
  }

  #operation(turn: number): Operation {
    const { command, readPreference, retryable } = this.#action;
    return {
      kind: this.#kind,
      command: filled(command, this.#filling(turn)),
      ...(readPreference && { readPreference }),
      retryable,
    };
  }

  #filling(turn: number): Filling {
    return { ...this.#fillings.for(this.#action.near), random: this.#random, i: turn };
  }

  get #kind(): 'read' | 'write' {
    const { operation } = this.#action;
    return operation === 'find' || operation === 'sum' ? 'read' : 'write';
  }

  #memberAt(address: string): string {
    return this.#set.memberAt(address) ?? address;
  }

  #recordAttempt(turn: number, { attempt, server, session, txnNumber, again }: Attempt): void {
    this.#set.record({
      type: 'clientSent',
      workload: this.#action.name,
      turn,
      attempt,
      server: this.#memberAt(server),
      lsid: toHex(session.id.buffer),
      ...(txnNumber !== undefined && { txnNumber: Number(txnNumber) }),
      ...(again && { again }),
    });
  }

  #recordOutcome(turn: number, sinceMicros: number, outcome: Outcome, told: Told): void {
    const server = outcome.server === undefined ? {} : { server: this.#memberAt(outcome.server) };
    this.#set.record({ type: 'clientTold', workload: this.#action.name, turn, sinceMicros, ...server, ...told });
  }

  /** What the application makes of how one operation ended. */
  #toldOf(outcome: Outcome): Told {
    const { operation, command } = this.#action;
    const hears = outcome.kind !== 'reply' || isAcknowledged(command.value);
    const told = hears ? toldOf(outcome, this.#kind) : NOTHING;
    if (operation !== 'sum' || told.outcome !== 'read' || outcome.kind !== 'reply') return told;
    const { ids: _, ...read } = told;
    const sum = sumIn(outcome.reply);
    return { ...read, ...this.#added(sum === undefined ? [] : [sum]) };
  }

  #added(sums: readonly number[]): Pick<Told, 'sums' | 'torn'> {
    const torn = sums.filter((sum) => sum !== this.#action.total);
    return { ...(sums.length > 0 && { sums }), ...(torn.length > 0 && { torn }) };
  }
}

/** The command of one turn; what a placeholder cannot be is the scenario's failure. */
function filled(command: Template, filling: Filling): ReadonlyMap<string, unknown> {
  try {
    return fillValue(command.value, filling) as ReadonlyMap<string, unknown>;
  } catch (error) {
    if (error instanceof FillError) throw new StepFailure('values to send', error.message);
    throw error;
  }
}

/** With `w: 0` the application hears nothing from the server, be it good or bad. */
const NOTHING: Told = { outcome: 'unknown' };

/** What the application makes of an outcome. */
function toldOf(outcome: Outcome, kind: 'read' | 'write'): Told {
  switch (outcome.kind) {
    case 'noServer':
      return { outcome: 'error', error: { name: 'MongoServerSelectionError', message: outcome.errmsg } };
    case 'networkError': {
      const isUnknown = kind === 'write' && outcome.reached;
      return {
        outcome: isUnknown ? 'unknown' : 'error',
        error: { name: 'MongoNetworkError', message: outcome.errmsg },
      };
    }
    case 'reply':
      return toldByReply(outcome.reply, kind);
  }
}

/** The commit that was not answered may have been carried out; whatever else failed was not. */
function toldByTransaction({ outcome, inDoubt }: TransactionEnd): Told {
  const told = toldOf(outcome, 'write');
  return told.outcome === 'acknowledged' ? told : { ...told, outcome: inDoubt ? 'unknown' : 'error' };
}

function toldByReply(reply: Uint8Array, kind: 'read' | 'write'): Told {
  const { operationTime, opTime } = headOf(reply);
  const times = {
    ...(operationTime && { operationTime: { t: operationTime.t, i: operationTime.i } }),
    ...(opTime?.ts && { opTime: { ts: { t: opTime.ts.t, i: opTime.ts.i }, t: Number(opTime.t) } satisfies OpTime }),
  };
  const [error] = endingOf(headBytes(reply)).errors;
  if (error) {
    const { code, errmsg, where } = error;
    const name =
      where === 'command' ? 'MongoServerError' : where === 'write' ? 'MongoBulkWriteError' : 'MongoWriteConcernError';
    return { outcome: 'error', error: { name, code, message: errmsg }, ...times };
  }
  if (kind === 'write') return { outcome: 'acknowledged', ...times };
  return { outcome: 'read', ids: idsOf(firstBatch(reply)), ...times };
}
