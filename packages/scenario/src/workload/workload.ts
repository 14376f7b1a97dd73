import {
  type Attempt,
  ClientSession,
  Driver,
  isAcknowledged,
  type Operation,
  type Outcome,
  performOperation,
  runWaiting,
  type Statement,
  type TransactionOptions,
  type Waiting,
  withTransaction,
} from '@replsim/driver';
import type { Random } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { FillError, type Filling, fillFields, type Template } from '../file/placeholder.ts';
import type { WorkloadAction } from '../scenario.ts';
import type { Fillings } from '../stage/fillings.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { sumIn } from '../stage/sums.ts';
import { Appends } from './append.ts';
import { Calls, fateOf } from './calls.ts';
import { ClientLog } from './clientLog.ts';
import { Reads } from './reads.ts';
import { NOTHING, type Told, toldByTransaction, toldOf } from './told.ts';
import { transfer } from './transfer.ts';
import { writtenBy } from './written.ts';

/** Tells what came of an operation. */
type Ended = (outcome: Outcome, told: Told) => void;

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
  readonly #log: ClientLog;
  readonly #calls: Calls;
  /** Who reads back what is written, where somebody does. */
  readonly #reads: Reads | undefined;
  readonly #appends: Appends | undefined;
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
    const { name, near, everyMicros, operation, ns, concern, history, append, reads } = action;
    set.record({
      type: 'workloadStarted',
      workload: name,
      operation,
      everyMicros,
      ns,
      ...(concern !== undefined && { concern }),
      ...(near !== undefined && { near }),
      ...(history && { history }),
    });
    this.#session = new ClientSession(random.split('session'), { causal: true });
    const end = set.client(name, near);
    this.#schedule = (afterMicros, happen) => end.schedule(afterMicros, happen);
    const seeds = set.memberNames.map((member) => set.hostOf(member));
    this.#driver = new Driver(end, set.setName, seeds, action.options, random.split('driver'));
    this.#log = new ClientLog(set, name);
    this.#calls = new Calls(set, name, name);
    if (append) this.#appends = new Appends(append, name, this.#random, this.#calls);
    if (reads)
      this.#reads = new Reads(action, reads, set, random.split('reads'), {
        driver: this.#driver,
        session: this.#ownSession,
        calls: this.#calls,
      });
    this.#takeTurn();
  }

  /** Nothing of it is under way. */
  get isOver(): boolean {
    return this.#stopped && !this.#busy && (this.#reads?.isOver ?? true);
  }

  /** Begins no further operation. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelNext();
    this.#set.record({ type: 'workloadStopped', workload: this.#action.name });
    this.#reads?.stop();
    if (!this.#busy) this.#driver.close();
  }

  /** Of its writes, if it reads in a causally consistent session what it has just written. */
  get #ownSession(): ClientSession | undefined {
    const { reads } = this.#action;
    return reads?.causal && reads.everyMicros === undefined ? this.#session : undefined;
  }

  #takeTurn(): void {
    const turn = ++this.#turn;
    const sinceMicros = this.#set.nowMicros;
    this.#busy = true;
    const ended = (outcome: Outcome, told: Told) => {
      this.#log.outcome(turn, sinceMicros, outcome, told);
    };
    const over = () => {
      this.#busy = false;
      if (this.#stopped) this.#driver.close();
      else this.#cancelNext = this.#schedule(this.#untilNextTurn(), () => this.#takeTurn());
    };
    const attempting = (attempt: Attempt) => this.#log.attempt(turn, attempt);
    if (this.#action.transfer || this.#appends) this.#transact(turn, attempting, ended, over);
    else this.#perform(turn, attempting, ended, over);
  }

  #perform(turn: number, attempting: (attempt: Attempt) => void, ended: Ended, over: () => void): void {
    const operation = this.#operation(turn);
    const written = this.#reads && writtenBy(operation.command, this.#action.field);
    if (written) this.#reads?.knows(written);
    const returned = written && this.#calls.begin({ kind: 'write', key: written.key, value: written.value });
    let attempts = 0;
    const counting = (attempt: Attempt) => {
      ({ attempt: attempts } = attempt);
      attempting(attempt);
    };
    runWaiting(performOperation(this.#driver, operation, counting), (outcome) => {
      const told = this.#toldOf(outcome);
      ended(outcome, told);
      returned?.(fateOf(attempts, outcome, told));
      if (written && this.#reads) this.#reads.after(written, over);
      else over();
    });
  }

  #transact(turn: number, attempting: (attempt: Attempt) => void, ended: Ended, over: () => void): void {
    const options = filled(this.#action.command, this.#filling(turn));
    const sums: number[] = [];
    const work = withTransaction(
      this.#driver,
      this.#session,
      Object.fromEntries(options) as TransactionOptions,
      (statement) => this.#statements(statement, sums),
      attempting,
    );
    runWaiting(work, (end) => {
      const told = toldByTransaction(end);
      ended(end.outcome, { ...told, ...this.#added(sums), aborted: end.aborted });
      this.#appends?.ended(told, end.inDoubt);
      over();
    });
  }

  #statements(statement: Statement, sums: number[]): Waiting<void> {
    if (this.#appends) return this.#appends.transact(statement);
    const accounts = required(this.#action.transfer, 'accounts between which something is transferred');
    return transfer(statement, accounts, this.#random, (sum) => sums.push(sum));
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
      ...(this.#ownSession && { session: this.#ownSession }),
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
    return fillFields(command.value, filling);
  } catch (error) {
    if (error instanceof FillError) throw new StepFailure('values to send', error.message);
    throw error;
  }
}
