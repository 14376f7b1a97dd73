import { CommandError, type Now, type OpTime } from '@replsim/protocol';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { Killable, Operation, Pause, Resume, RunningOperation } from './operation.ts';
import { OperationDebug } from './operationDebug.ts';

/** What the scheduler uses of its member: the clock, the timers, and the thread that log lines name. */
export interface OperationsHost {
  readonly now: Now;
  /** The thread of a mongod that would do what is done now. */
  thread: string;
  /** @param key names the timer: setting it again moves it @param fire what it wakes @param how whether it computes until then */
  setTimer(key: string, fire: () => void, afterMicros: number, how?: { readonly computes?: true }): void;
  cancelTimer(key: string): void;
}

export interface OperationLabels {
  readonly desc: string;
  readonly ns: string;
  readonly commandName: string;
  readonly killable: Killable;
  readonly endsWithClient?: boolean | undefined;
  readonly session?: string | undefined;
  readonly txnNumber?: bigint | undefined;
  readonly details?: RunningOperation['details'];
  /** Where the caller that starts it will find its result. */
  readonly debug?: OperationDebug;
  /** A client's, as it was sent. */
  readonly command?: Uint8Array | undefined;
  readonly connection?: OpenConnection | undefined;
  /** Told, once for each wait for news, of one whose client counts its patience itself: no timer ends it. */
  readonly awaiting?: ((forMs: number) => void) | undefined;
}

type Ended<T> = (result: { readonly value: T } | { readonly error: CommandError }, operation: RunningOperation) => void;

class Running implements RunningOperation {
  readonly opId: number;
  readonly desc: string;
  readonly ns: string;
  readonly commandName: string;
  readonly startedMicros: number;
  killable: Killable;
  readonly endsWithClient: boolean;
  readonly session: string | undefined;
  readonly txnNumber: bigint | undefined;
  readonly details: RunningOperation['details'];
  lastOpTime: OpTime | undefined;
  written: RunningOperation['written'];
  metConcern: number | string | undefined;
  readonly generator: Operation<unknown>;
  readonly ended: Ended<unknown>;
  pause: Pause | undefined;
  killedBy: CommandError | undefined;
  readonly debug: OperationDebug;
  readonly command: Uint8Array | undefined;
  readonly connection: OpenConnection | undefined;
  readonly awaiting: OperationLabels['awaiting'];
  /** The deadline of the wait that its client was told of, and whether the client's patience is over. Unit: µs. */
  awaitedUntil: number | undefined;
  patienceOver = false;
  /** When it began to wait. */
  waitsSinceMicros = 0;
  /** The key of its timer, and what that wakes. */
  readonly timer: string;
  readonly fire = (): void => this.#scheduler.onTimer(this);
  readonly #scheduler: Scheduler;

  constructor(
    scheduler: Scheduler,
    opId: number,
    startedMicros: number,
    labels: OperationLabels,
    generator: Operation<unknown>,
    ended: Ended<unknown>,
  ) {
    this.#scheduler = scheduler;
    this.opId = opId;
    this.timer = `op:${opId}`;
    this.startedMicros = startedMicros;
    this.desc = labels.desc;
    this.ns = labels.ns;
    this.commandName = labels.commandName;
    this.killable = labels.killable;
    this.endsWithClient = labels.endsWithClient ?? false;
    this.session = labels.session;
    this.txnNumber = labels.txnNumber;
    this.debug = labels.debug ?? new OperationDebug();
    this.command = labels.command;
    this.connection = labels.connection;
    this.awaiting = labels.awaiting;
    this.details = labels.details;
    this.generator = generator;
    this.ended = ended;
  }

  get waitingFor(): string | undefined {
    return this.pause?.type === 'wait' ? this.pause.what : undefined;
  }

  get killPending(): boolean {
    return this.killedBy !== undefined;
  }

  kill(error: CommandError): void {
    this.#scheduler.kill(this, error);
  }
}

/** Runs a member's operations: each goes on when its time has come or what it waits for holds. */
export class Scheduler {
  readonly #host: OperationsHost;
  readonly #running = new Map<number, Running>();
  readonly #waiting = new Set<Running>();
  /** Those that wait for committed entries, by the namespace of these. */
  readonly #awaitingEntries = new Map<string, Set<Running>>();
  #nextOpId = 1;
  #current: Running | undefined;

  constructor(host: OperationsHost) {
    this.#host = host;
  }

  get operations(): Iterable<RunningOperation> {
    return this.#running.values();
  }

  /** The operation whose stretch runs at this moment. */
  get running(): RunningOperation | undefined {
    return this.#current;
  }

  /** Whether there is such an operation, besides the one whose stretch runs at this moment. */
  isUnderWay(choose: (operation: RunningOperation) => boolean): boolean {
    for (const operation of this.#running.values()) if (operation !== this.#current && choose(operation)) return true;
    return false;
  }

  get nextOpId(): number {
    return this.#nextOpId;
  }

  /** Starts an operation, which runs at once until its first pause. */
  run<T>(labels: OperationLabels, generator: Operation<T>, ended: Ended<T>): RunningOperation {
    const opId = this.#nextOpId++;
    const started = this.#host.now.monotonicMicros;
    const operation = new Running(this, opId, started, labels, generator, ended as Ended<unknown>);
    this.#running.set(opId, operation);
    this.#advance(operation, true);
    return operation;
  }

  /** Runs a generator here and now: its work takes no time, and it may not wait. */
  runAtOnce<T>(generator: Operation<T>): T {
    let step = generator.next(true);
    while (!step.done) {
      const ready = step.value.type === 'spend' || step.value.ready();
      if (!ready) return finish(generator, new CommandError('MaxTimeMSExpired', 'operation would have to wait'));
      step = generator.next(true);
    }
    return step.value;
  }

  /** What it waited for has taken its time, or its deadline is there. */
  onTimer(operation: Running): void {
    const { pause } = operation;
    if (!pause) return;
    this.#resume(operation, pause.type === 'spend' || pause.ready());
  }

  /** The client's patience is over: the wait that it was told of ends as at its deadline. */
  onAwaitEnded(opId: number): void {
    const operation = this.#running.get(opId);
    if (operation?.awaitedUntil === undefined) return;
    operation.patienceOver = true;
    // It may be at work on what has come in meanwhile, and then hears of it when it would wait again.
    const { pause } = operation;
    if (pause?.type === 'wait' && isCountedOutside(operation)) this.#resume(operation, pause.ready());
  }

  /** Lets those go on whose condition holds now. */
  poll(): void {
    for (const operation of [...this.#waiting]) this.#look(operation);
  }

  /** Whether somebody waits for committed entries. */
  get awaitsEntries(): boolean {
    return this.#awaitingEntries.size > 0;
  }

  /** The same as `poll`, for those that wait for committed entries of these namespaces, or for any entries. */
  pollEntries(namespaces: Iterable<string>): void {
    const waiting = ['', ...namespaces].flatMap((ns) => [...(this.#awaitingEntries.get(ns) ?? [])]);
    for (const operation of waiting) this.#look(operation);
  }

  /** The same, for all that wait for committed entries. */
  pollAllEntries(): void {
    this.pollEntries([...this.#awaitingEntries.keys()].filter((ns) => ns !== ''));
  }

  #look(operation: Running): void {
    const { pause } = operation;
    if (pause?.type !== 'wait' || !pause.ready()) return;
    if (pause.deadlineMicros !== undefined && !isCountedOutside(operation)) this.#host.cancelTimer(operation.timer);
    this.#resume(operation, true);
  }

  find(opId: number): RunningOperation | undefined {
    return this.#running.get(opId);
  }

  /** Throws `error` into every operation that `choose` names. */
  killAll(choose: (operation: RunningOperation) => boolean, error: () => CommandError): number {
    const chosen = [...this.#running.values()].filter(choose);
    for (const operation of chosen) this.kill(operation, error());
    return chosen.length;
  }

  kill(operation: Running, error: CommandError): void {
    if (!this.#running.has(operation.opId)) return;
    if (!operation.pause) {
      // It is running this very moment; it hears of it where it next waits.
      operation.killedBy = error;
      return;
    }
    this.#endPause(operation);
    this.#host.cancelTimer(operation.timer);
    this.#step(operation, true, error);
  }

  #resume(operation: Running, value: Resume): void {
    this.#endPause(operation);
    this.#advance(operation, value);
  }

  #endPause(operation: Running): void {
    const { pause, debug } = operation;
    operation.pause = undefined;
    if (pause?.type !== 'wait') return;
    this.#leave(operation, pause);
    const waitedMicros = this.#host.now.monotonicMicros - operation.waitsSinceMicros;
    if (pause.what === 'awaitData' || pause.what === 'topologyChange') debug.pausedMicros += waitedMicros;
    else debug.waitedMicros += waitedMicros;
  }

  #enter(operation: Running, { entriesOf }: WaitPause): void {
    if (entriesOf === undefined) {
      this.#waiting.add(operation);
      return;
    }
    const others = this.#awaitingEntries.get(entriesOf);
    if (others) others.add(operation);
    else this.#awaitingEntries.set(entriesOf, new Set([operation]));
  }

  #leave(operation: Running, { entriesOf }: WaitPause): void {
    if (entriesOf === undefined) {
      this.#waiting.delete(operation);
      return;
    }
    const others = this.#awaitingEntries.get(entriesOf);
    others?.delete(operation);
    if (others?.size === 0) this.#awaitingEntries.delete(entriesOf);
  }

  #advance(operation: Running, value: Resume): void {
    this.#step(operation, value, undefined);
  }

  /** @param error thrown in where the operation stands, instead of giving it `value` */
  #step(operation: Running, value: Resume, error: CommandError | undefined): void {
    const host = this.#host;
    const { thread } = host;
    host.thread = operation.desc;
    try {
      this.#stretch(operation, value, error);
    } finally {
      host.thread = thread;
    }
  }

  #stretch(operation: Running, value: Resume, error: CommandError | undefined): void {
    const { generator } = operation;
    let step: IteratorResult<Pause, unknown>;
    const outer = this.#current;
    this.#current = operation;
    try {
      step = error ? generator.throw(error) : generator.next(value);
      while (!step.done && step.value.type === 'wait' && step.value.ready()) step = generator.next(true);
    } catch (error) {
      this.#running.delete(operation.opId);
      // What is no CommandError is our own bug, and stops the run.
      if (!(error instanceof CommandError)) throw error;
      operation.ended({ error }, operation);
      return;
    } finally {
      this.#current = outer;
    }
    if (step.done) {
      this.#running.delete(operation.opId);
      operation.ended({ value: step.value }, operation);
    } else {
      this.#park(operation, step.value);
      const { killedBy } = operation;
      operation.killedBy = undefined;
      if (killedBy) this.kill(operation, killedBy);
    }
  }

  #park(operation: Running, pause: Pause): void {
    operation.pause = pause;
    if (pause.type === 'spend') {
      this.#host.setTimer(operation.timer, operation.fire, pause.micros, pause.idle ? {} : COMPUTES);
      return;
    }
    this.#enter(operation, pause);
    operation.waitsSinceMicros = this.#host.now.monotonicMicros;
    if (isCountedOutside(operation)) return this.#awaitOutside(operation, pause);
    if (pause.deadlineMicros !== undefined) {
      const wait = Math.max(pause.deadlineMicros - this.#host.now.monotonicMicros, 0);
      this.#host.setTimer(operation.timer, operation.fire, wait);
    }
  }

  /** Several stretches that share a deadline are one wait to the client. */
  #awaitOutside(operation: Running, { deadlineMicros, forMs }: WaitPause): void {
    if (operation.awaitedUntil !== deadlineMicros) {
      operation.awaitedUntil = deadlineMicros;
      operation.patienceOver = false;
      operation.awaiting!(forMs!);
    } else if (operation.patienceOver) this.#resume(operation, false);
  }
}

const COMPUTES = { computes: true } as const;

type WaitPause = Extract<Pause, { type: 'wait' }>;

/** Whether what it waits for now is ended by its client. */
function isCountedOutside({ pause, awaiting }: Running): boolean {
  return awaiting !== undefined && pause?.type === 'wait' && pause.forMs !== undefined;
}

function finish<T>(generator: Operation<T>, error: CommandError): T {
  const step = generator.throw(error);
  if (step.done) return step.value;
  throw error;
}
