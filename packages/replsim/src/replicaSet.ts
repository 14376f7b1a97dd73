import { rmSync } from 'node:fs';
import type { RecordingFile } from '@replsim/cli';
import { CommandError } from '@replsim/protocol';
import {
  type BrokenInvariant,
  checkAsked,
  durationMicros,
  type InvariantBroken,
  idleMaxLead,
  type LostWrite,
  limitArguments,
  lossText,
  membersOf,
  playFault,
  ServedSet,
  type ServedStatus,
  type SetLedger,
  SetStoppedError,
  type StepDownOptions,
  shownValue,
  wallClockMs,
} from '@replsim/server';
import { keepCompiled } from '../bin/load.js';
import { createUsers } from './auth.ts';
import type { Call } from './caller.ts';
import { isSet } from './ci.ts';
import {
  type FakedWorld,
  FakeTimersError,
  type FakeTimersLibrary,
  fakeTimers,
  type UsedFakeTimers,
  warnOfFakedTicks,
} from './fakeTimers.ts';
import { FaultMethods } from './faultMethods.ts';
import { load } from './loading.ts';
import type { ReplicaSetOptions } from './options.ts';
import { playSteps } from './playSteps.ts';
import { quietlyStopped } from './quietlyStopped.ts';
import { readOptions, type Wanted } from './readOptions.ts';
import { recordTo } from './recording.ts';

/** A length of virtual time: a string such as `"61s"` or `"1h30m"`, or a number of milliseconds. */
export type Duration = string | number;

/** How many arguments each method takes: first those that return promises, then the others. */
const REJECTING = {
  advance: 1,
  untilTtlPass: 1,
  untilPrimary: 1,
  waitUntilRunning: 0,
  stepDown: 1,
  ledger: 0,
  lost: 0,
  command: 2,
  stop: 1,
  cleanup: 1,
};
const THROWING = { getUri: 1, now: 1, onProcess: 1, useFakeTimers: 2, useRealTimers: 0, unref: 0 };

/** What `stop` and `cleanup` remove, with mongodb-memory-server's names. */
export interface Cleanup {
  /** Accepted for compatibility and without effect: data in memory is always discarded. */
  readonly doCleanup?: boolean;
  /** Also delete the folder `dbpath`. Default: false. */
  readonly force?: boolean;
}

/** Called when a member's process starts (`how` is then undefined), and when it ends. */
export type ProcessListener = (member: string, how?: 'killed' | 'shutdown' | 'fatal') => void;

/**
 * A replica set that runs inside this process in virtual time. It listens on real ports, so real drivers can connect.
 *
 * Virtual time passes at `speed` while the set is idle. While a command is in progress, or after you ask for a jump with
 * `advance()` and the like, it passes as fast as the machine allows.
 *
 * Each asynchronous method resolves once what it describes has happened; after `stop()` it rejects with SetStoppedError. Every
 * fault that a scenario step can cause is also a method: `kill`, `partition`, `clock` and so on.
 */
export class ReplicaSet extends FaultMethods implements AsyncDisposable {
  readonly #served: ServedSet;
  readonly #wanted: Wanted;
  #recording: RecordingFile | undefined;
  #faked: UsedFakeTimers | undefined;
  readonly #processListeners: ProcessListener[] = [];
  #isStopped = false;

  /**
   * Starts a set and lets virtual time pass until it has a primary. With `initiate: false` it does not wait; with `scenario` it
   * runs the steps of the scenario instead.
   * @throws InvalidOptions
   * @throws PortTakenError
   * @throws DbpathInUseError, DbpathMismatchError, DataGoneError or DiskError, for the data under `dbpath`
   * @throws NoPrimaryError
   * @throws InvalidScenario or ScenarioFailed, for the file `scenario`
   * @throws CommandError for a config or a parameter that mongod would reject
   */
  static async start(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    const wanted = readOptions(options);
    warnOfFakedTicks();
    const { serve, scenario, record, invariants = isSet(process.env.CI) } = wanted;
    const served = await ServedSet.open({
      ...serve,
      invariants,
      ...(scenario && { speed: 0, epochMs: serve.epochMs ?? wallClockMs() }),
    });
    const idleLead = idleMaxLead(serve.maxLeadMs, serve.speed);
    if (idleLead !== undefined) process.emitWarning(`maxLead: ${idleLead}`, { code: 'REPLSIM_IDLE_MAX_LEAD' });
    served.handshakes.onRefused((told) => process.emitWarning(told, { code: 'REPLSIM_BAD_HANDSHAKE' }));
    served.standstill.onInVain((told) => process.emitWarning(told, { code: 'REPLSIM_TIME_STANDS_STILL' }));
    served.dates.onBehind((told) => process.emitWarning(told, { code: 'REPLSIM_DATE_BEHIND' }));
    for (const loss of served.losses) process.emitWarning(lossText(loss), { code: 'REPLSIM_DATA_LOST' });
    let recording: RecordingFile | undefined;
    try {
      if (record !== undefined) recording = recordTo(record, served);
      if (scenario !== undefined) await playSteps(served, scenario);
      else if (serve.initiate !== false) await served.ready();
      if (wanted.auth !== undefined) await createUsers(wanted.auth, served);
      if (wanted.dump !== undefined && !served.resumed) await load(wanted.dump, served);
      served.pacer.speed = serve.speed ?? 1;
      return new ReplicaSet(served, wanted, recording);
    } catch (error) {
      await served.stop();
      recording?.close();
      // A broken invariant explains more than the error that it led to, for example that no primary was elected.
      throw brokenOf(served, wanted) ?? served.failure ?? error;
    }
  }

  /** Same as `start`, under mongodb-memory-server's name. */
  static create(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
    return ReplicaSet.start(options);
  }

  private constructor(served: ServedSet, wanted: Wanted, recording: RecordingFile | undefined) {
    if (!(served instanceof ServedSet))
      throw new TypeError('new ReplicaSet() does not start a set: use "await ReplicaSet.start(options)"');
    super((kind, what) => this.#do((served) => playFault(served, { [kind]: what }, { asked: kind })));
    this.#served = served;
    this.#wanted = wanted;
    this.#recording = recording;
  }

  /** The connection string of the set, for `new MongoClient(set.uri)`. */
  get uri(): string {
    return this.getUri();
  }

  /**
   * Returns the connection string of the set, for `new MongoClient(set.getUri())`.
   * @param database the client's default database; default: `replSet.dbName`
   */
  getUri(database: string | undefined = this.#wanted.database): string {
    return this.#served.uriOf(database);
  }

  /** Name of the set. */
  get name(): string {
    return this.#served.set.setName;
  }

  /** Seed of this run. The same seed, with the same input at the same virtual times, repeats the run. */
  get seed(): number {
    return this.#served.set.seed;
  }

  /** Name of the member that accepts writes now, or undefined if none does. */
  get primary(): string | undefined {
    return this.#served.primary;
  }

  /** All processes of the set, including spares: their addresses, and whether they are running. After `stop()` none is. */
  get members(): ServedStatus['members'] {
    return this.#served.status().members;
  }

  /** The invariants that the set has broken so far, at most the first 20. Always empty without the option `invariants`. */
  get brokenInvariants(): readonly BrokenInvariant[] {
    return this.#served.invariants?.broken ?? [];
  }

  /** Virtual seconds that pass in a real second while no command is in progress. 0 stops time except during commands and jumps. */
  get speed(): number {
    return this.#served.pacer.speed;
  }

  /** @throws RangeError for a speed that is negative, not a number or too high */
  set speed(speed: number) {
    this.#served.pacer.speed = speed;
  }

  /**
   * Returns the current virtual time. Every member's wall clock shows it, unless the fault `clock` changed that clock.
   * @param member return this member's own clock instead. Use `primary` for the clock by which TTL deletes documents
   * @throws CommandError if there is no such member
   */
  now(member?: string): Date {
    if (member === undefined) return new Date(this.#served.wallMs);
    const [name = member] = membersOf(this.#served, member);
    return new Date(this.#served.wallMsOf(name));
  }

  /**
   * Fakes this process's `Date` and timers, and makes them share one clock with the set. The clock advances only while a command
   * is in progress and when you call `advance()` or one of the library's own functions. Timers and events of the set fire in
   * order, to the millisecond.
   *
   * The timeouts of drivers stay real, and so do `setImmediate`, `nextTick`, `queueMicrotask`, `performance` and the
   * `node:timers` modules. `stop()` restores the real timers.
   * @param library `vi`, `jest` or `sinon`
   * @param world the global object whose timers to fake; default: `globalThis`
   * @throws FakeTimersError if timers are faked already, or if the set's speed is not 1
   * @throws SetStoppedError
   */
  useFakeTimers(library: FakeTimersLibrary, world: FakedWorld = globalThis): UsedFakeTimers {
    const { pacer, failure } = this.#served;
    if (this.#isStopped || failure !== undefined) throw new SetStoppedError();
    if (pacer.speed !== 1)
      throw new FakeTimersError(
        `the set's speed is ${pacer.speed}: a set can only follow the application's clock at speed 1`,
      );
    this.#faked = this.#served.follow((nowMs, heard) => fakeTimers(library, world, nowMs, heard));
    return this.#faked;
  }

  /** Restores the real timers, like `restore()` of what `useFakeTimers` returns. Does nothing if the timers are real. */
  useRealTimers(): void {
    this.#faked?.restore();
  }

  /**
   * Lets this much virtual time pass, as fast as the machine allows, with everything that is due in it. Concurrent calls run one
   * after the other.
   * @returns the virtual time after the jump
   */
  advance(duration: Duration): Promise<Date> {
    return this.#do(async (served) => {
      const micros = await served.advance(durationMicros('advance', duration));
      return new Date(served.set.epochMs + Math.floor(micros / 1000));
    });
  }

  /**
   * Lets virtual time pass until the primary's TTL monitor completes a pass that began after this call, so every document that
   * is expired now has been deleted.
   * @param options `within` limits the wait, in virtual time; default: one hour
   * @throws NoTtlPassError if no pass completes in time; the message says why
   */
  untilTtlPass(options: { readonly within?: Duration } = {}): Promise<void> {
    return this.#do(async (served) => {
      checkAsked('untilTtlPass', options, ['within']);
      return served.untilTtlPass(optionalMicros(options.within));
    });
  }

  /**
   * Lets virtual time pass until a member accepts writes.
   * @param options `within` limits the wait, in virtual time; default: two minutes. `other` names a member that does not count,
   *   usually the old primary
   * @returns the name of the primary
   * @throws NoPrimaryError if there is none in time; the message says how each member sees the set
   */
  untilPrimary(options: { readonly within?: Duration; readonly other?: string } = {}): Promise<string> {
    return this.#do(async (served) => {
      checkAsked('untilPrimary', options, ['within', 'other']);
      return served.untilPrimary(optionalMicros(options.within), options.other);
    });
  }

  /**
   * Lets virtual time pass until the set has a primary, under mongodb-memory-server's name.
   * @throws NoPrimaryError
   */
  waitUntilRunning(): Promise<void> {
    return this.#do(async (served) => void (await served.untilPrimary()));
  }

  /**
   * Makes the primary step down and waits for a new primary.
   * @returns the name of the new primary
   * @throws CommandError if the primary refuses to step down
   */
  stepDown(options: StepDownOptions = {}): Promise<string> {
    return this.#do((served) => served.stepDown(options));
  }

  /**
   * Sends a command to one member, whatever its state. The database is `admin` unless the command has a `$db`.
   * @returns the reply, with BSON numbers as plain numbers
   * @throws CommandError if the reply is an error or has a write concern error, as a driver's `db.command` does. `extra` holds the reply
   */
  command(member: string, command: object): Promise<Record<string, unknown>> {
    return this.#do(async (served) => {
      checkCommand(member, command);
      const [name] = membersOf(served, member);
      const reply = await served.command(name!, command);
      const error = reply.ok === 1 ? (reply.writeConcernError as Record<string, unknown> | undefined) : reply;
      if (error === undefined) return reply;
      throw new CommandError(Number(error.code), String(error.errmsg), reply);
    });
  }

  /**
   * Returns how many writes were acknowledged to clients and which of them are lost as of now. For each lost write it names the
   * election or forced reconfig that lost it, and the write concern that would have kept it.
   *
   * A write counts as acknowledged if its reply says that its write concern was satisfied. A retried write counts once. Writes
   * with `w: 0`, or whose reply has a `writeConcernError`, do not count.
   * @throws NoLedgerError if the set was started with `ledger: false`
   */
  ledger(): Promise<SetLedger> {
    return this.#do(async (served) => {
      await served.advance(0);
      return served.ledger();
    });
  }

  /**
   * Returns the acknowledged writes that are lost as of now, the same as `lost` of `ledger()`. In a test:
   * `expect(await set.lost()).toEqual([])`.
   * @throws NoLedgerError if the set was started with `ledger: false`
   */
  async lost(): Promise<readonly LostWrite[]> {
    const { lost } = await this.ledger();
    return lost;
  }

  /** Lets the process exit even if the set has not been stopped. Connected clients still keep the process alive. */
  unref(): void {
    this.#served.unref();
  }

  /**
   * Closes the ports and the disks, so that nothing keeps the process alive. Members do not shut down cleanly first, but no write
   * acknowledged at `w: "majority"` or `j: true` is lost. Calling it again has no further effect.
   * @throws InvariantBroken if the set broke an invariant
   * @throws Error if the set had failed before; `cause` holds the failure
   */
  async stop(cleanup: Cleanup = {}): Promise<void> {
    const { force = false } = checkedCleanup('stop', cleanup);
    await this.#end();
    keepCompiled();
    if (force) await this.cleanup({ force });
    const broken = brokenOf(this.#served, this.#wanted);
    if (broken !== undefined) throw broken;
    const { failure } = this.#served;
    if (failure !== undefined)
      throw new Error(`the set with seed ${this.seed} has failed: ${failure}`, { cause: failure });
  }

  /** Stops the set. With `force: true` it also deletes the folder `dbpath`. */
  async cleanup(cleanup: Cleanup = {}): Promise<void> {
    const { force = false } = checkedCleanup('cleanup', cleanup);
    await this.#end();
    const { dbpath } = this.#wanted.serve;
    if (force && dbpath !== undefined) rmSync(dbpath, { recursive: true, force: true });
  }

  /**
   * Calls `listener` whenever a member's process starts or ends. `stop()` reports every running process as shut down.
   * @throws CommandError if `listener` is not a function
   */
  onProcess(listener: ProcessListener): void {
    if (typeof listener !== 'function') throw new CommandError('BadValue', 'onProcess takes a function of (name, how)');
    this.#served.set.onProcess(listener);
    this.#processListeners.push(listener);
  }

  /** Stops the set at the end of the block: `await using set = await ReplicaSet.start()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  static {
    limitArguments(ReplicaSet, { start: 1, create: 1 }, true);
    limitArguments(ReplicaSet.prototype, REJECTING, true);
    limitArguments(ReplicaSet.prototype, THROWING, false);
  }

  async #end(): Promise<void> {
    // If a driver call timed out because nextTick was faked, this is where the user learns why.
    warnOfFakedTicks();
    this.#isStopped = true;
    this.useRealTimers();
    const { set } = this.#served;
    const running = set.memberNames.filter((name) => set.status(name).running);
    await this.#served.stop();
    for (const listener of this.#processListeners.splice(0)) for (const name of running) listener(name, 'shutdown');
    this.#recording?.close();
    this.#recording = undefined;
  }

  #do<Result>(act: (served: ServedSet) => Promise<Result>): Promise<Result> {
    warnOfFakedTicks();
    const call: Call = {};
    Error.captureStackTrace(call, this.#do);
    return quietlyStopped(act(this.#served), call);
  }
}

function brokenOf(served: ServedSet, { record }: Wanted): InvariantBroken | undefined {
  return served.broken(record, "record: 'FILE'");
}

/** Options that delete data are never guessed at. @throws CommandError BadValue, TypeMismatch */
function checkedCleanup(asked: 'stop' | 'cleanup', cleanup: Cleanup): Cleanup {
  checkAsked(asked, cleanup, ['doCleanup', 'force']);
  for (const [name, value] of Object.entries(cleanup))
    if (value !== undefined && typeof value !== 'boolean')
      throw new CommandError('TypeMismatch', `${asked}: ${name} must be a boolean, not ${shownValue(value)}`);
  return cleanup;
}

/** Users of a driver's `db.command({ … })` tend to forget the member. */
function checkCommand(member: unknown, command: unknown): void {
  if (typeof member === 'string' && typeof command === 'object' && command !== null) return;
  throw new CommandError('BadValue', "command takes a member's name and a document: command('n1', { ping: 1 })");
}

function optionalMicros(within: Duration | undefined): number | undefined {
  return within === undefined ? undefined : durationMicros('within', within);
}
